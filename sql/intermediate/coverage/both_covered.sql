-- Times in which two feeds of an account are both complete, a day inside the edges: only there may one be held against
-- the other. For feeds with parts, the parts that tell of the same business line are paired.
-- grain: one row per comparison, account, line and starts_at
with
comparisons as (
  select * from (
    values
      ('futures', 'tax.records', 'USDT-FUTURES', 'tax.futuresRecords', 'USDT-FUTURES', 'USDT-FUTURES'),
      ('futures', 'tax.records', 'COIN-FUTURES', 'tax.futuresRecords', 'COIN-FUTURES', 'COIN-FUTURES'),
      ('futures', 'tax.records', 'USDC-FUTURES', 'tax.futuresRecords', 'USDC-FUTURES', 'USDC-FUTURES'),
      ('orders', 'tax.records', 'SPOT', 'trade.orderHistory', 'SPOT', 'SPOT'),
      ('orders', 'tax.records', 'MARGIN-crossed', 'trade.orderHistory', 'MARGIN', 'MARGIN'),
      ('orders', 'tax.records', 'USDT-FUTURES', 'trade.orderHistory', 'USDT-FUTURES', 'USDT-FUTURES'),
      ('orders', 'tax.records', 'COIN-FUTURES', 'trade.orderHistory', 'COIN-FUTURES', 'COIN-FUTURES'),
      ('orders', 'tax.records', 'USDC-FUTURES', 'trade.orderHistory', 'USDC-FUTURES', 'USDC-FUTURES'),
      ('p2p', 'tax.p2pRecords', '', 'p2p.orders', '', 'P2P'),
      ('transfers', 'tax.p2pRecords', '', 'tax.records', 'SPOT', 'P2P')
  ) as rules (comparison, one_feed, one_part, other_feed, other_part, line)
)
select comparisons.comparison, one.account, comparisons.line,
  greatest(one.starts_at, other.starts_at) + interval 1 day as starts_at,
  least(one.ends_at, other.ends_at) - interval 1 day as ends_at
from comparisons
join staging.covered_ranges as one
  on one.feed = comparisons.one_feed and one.partition = comparisons.one_part
join staging.covered_ranges as other
  on other.account = one.account and other.feed = comparisons.other_feed
  and other.partition = comparisons.other_part
  and other.starts_at <= one.ends_at and other.ends_at >= one.starts_at
where greatest(one.starts_at, other.starts_at) + interval 1 day
  < least(one.ends_at, other.ends_at) - interval 1 day
