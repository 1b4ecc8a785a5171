-- What came in or went out without a trade, according to the effect of its kind (main.kinds): interest, what the venue gives
-- and takes, profit shared in copy trading, and imported income. Results (of futures, including funding, and of a liquidation
-- on any line) are listed only in the profit and loss (futures_pnl, pnl_monthly).
-- grain: one row per entry, or imported row of income
-- keys:  entry_id unique, an entry of entries or an imported row
-- slices: occurred_at
-- by day: main.entries, staging.entry_pnl_parts, main.valuations
-- columns:
--   entry_id: Entry, or id of the imported row.
--   account: Account.
--   ledger: Wallet; null for an import.
--   product_line: Business type; null for an import.
--   kind: interest, reward, profit_share or adjustment; a user-defined kind with the effect income; income for an import.
--   coin: Coin.
--   amount: Signed amount in units of the coin; negative when paid.
--   value: Value when received, in the reporting currency, with the sign of the amount; null if no price is valid.
--   currency: Reporting currency.
--   price_source: Source of the price for each step of the path, separated by ` > `; null for the reporting currency itself, if
--     no price is valid, and for an import, whose file may state the value.
--   occurred_at: When it happened.
select entries.entry_id as entry_id, entries.account as account, entries.ledger as ledger,
  entries.product_line as product_line, entries.kind as kind, entries.coin as coin,
  entries.amount as amount, case when entries.amount < 0 then -valuations.value else valuations.value end as value,
  valuations.currency as currency, valuations.sources as price_source, entries.occurred_at as occurred_at
from main.entries as entries
join main.kinds as effects on effects.kind = entries.kind and effects.effect = 'income'
left join staging.entry_pnl_parts as parts on parts.entry_id = entries.entry_id
left join main.valuations as valuations on valuations.entry_id = entries.entry_id
where parts.entry_id is null or parts.interest <> 0
union all
select imported.id, imported.account, cast(null as varchar), cast(null as varchar), 'income', imported.asset,
  imported.quantity, imported_values.row_value, reporting.currency, cast(null as varchar), imported.occurred_at
from main.imported_trades as imported
cross join staging.reporting as reporting
left join staging.imported_rows as rows on rows.id = imported.id and rows.type = 'income'
left join staging.imported_values as imported_values on imported_values.place = rows.place
where imported.type = 'income' and imported.id not in (select id from staging.imported_twins)
