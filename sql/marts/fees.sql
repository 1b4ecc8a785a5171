-- Every fee that records of the venue charge, for whatever: trades, futures, liquidations, moves; and whatever else the user
-- classifies as a cost (main.kinds). A fee named in an imported row is not an
-- entry and is not listed here: a trade's fee is in trades (fee, fee_coin), any row's fee in imported_trades. Nor is the fee
-- of a trade that only orders report: it is in trades, a second one in other_fee.
-- grain: one row per entry
-- keys:  entry_id unique
-- slices: occurred_at
-- by day: main.entries, main.valuations, main.trades, staging.futures_fee_orders
-- columns:
--   entry_id: Entry.
--   transaction_id: Transaction that the fee belongs to.
--   account: Account.
--   ledger: Wallet.
--   product_line: Business type.
--   coin: Coin of the fee.
--   fee: Fee in units of the coin, positive when paid and negative for a rebate.
--   value: Value in the reporting currency; null if no price is valid.
--   currency: Reporting currency.
--   price_source: Source of the price for each step of the path, separated by ` > `; null for the reporting currency itself, and
--     if no price is valid.
--   symbol: Futures contract; null elsewhere and if the venue does not report it.
--   venue_symbol: Contract, or the trade's market as spelled in an order in the books; null if no record gives it.
--   order_id: Order that was charged, if orders prove it (trade_orders, futures_fee_orders); null elsewhere.
--   occurred_at: When it happened.
select entries.entry_id as entry_id, entries.transaction_id as transaction_id, entries.account as account,
  entries.ledger as ledger, entries.product_line as product_line, entries.coin as coin,
  -entries.amount as fee, case when entries.amount < 0 then valuations.value else -valuations.value end as value,
  valuations.currency as currency, valuations.sources as price_source, entries.symbol as symbol,
  coalesce(entries.symbol, trades.venue_symbol) as venue_symbol, coalesce(trades.order_id, orders.order_id) as order_id,
  entries.occurred_at as occurred_at
from main.entries as entries
join main.kinds as effects on effects.kind = entries.kind and effects.effect = 'cost'
left join main.valuations as valuations on valuations.entry_id = entries.entry_id
left join main.trades as trades on trades.trade_id = entries.transaction_id
left join staging.futures_fee_orders as orders on orders.entry_id = entries.entry_id
