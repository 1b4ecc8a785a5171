-- Balances, lots and gains are built from tax records. An account whose trades are known only from its orders has none of these,
-- and none are guessed: orders do not show deposits, fees in other coins or interest. Why the tax records are missing is
-- reported by another check: a credential, a refusal, or a window that is not fetched yet.
-- grain: one row per account
select 'notice' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  min(traded_at) as occurred_at, cast(0 as decimal(38, 18)) as expected, cast(count(*) as decimal(38, 18)) as found,
  cast(count(*) as decimal(38, 18)) as difference,
  counted(count(*), 'trade of ' || account || ' is', 'trades of ' || account || ' are')
    || ' known only from its orders: without tax records it has no balances, lots, gains or income. Give it a tax key, or '
    || 'import its trades.' as explanation,
  cast(to_json(first_by(trade_id, (traded_at, trade_id), 5)) as varchar) as evidence, '' as culprit
from main.trades
where source = 'trade.orderHistory'
group by account
