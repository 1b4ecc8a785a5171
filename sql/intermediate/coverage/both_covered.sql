-- Times in which two feeds of an account are both complete, less a day at each end: only there may one be compared with the
-- other. For feeds with parts, the parts that report the same business line are paired. Orders are compared with the book of
-- record, which is the futures feed if the unified one is not read. That feed also covers the time before an account became
-- unified, for which there are no orders, so it is used from the first order on.
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
      ('orders', 'tax.futuresRecords', 'USDT-FUTURES', 'trade.orderHistory', 'USDT-FUTURES', 'USDT-FUTURES'),
      ('orders', 'tax.futuresRecords', 'COIN-FUTURES', 'trade.orderHistory', 'COIN-FUTURES', 'COIN-FUTURES'),
      ('orders', 'tax.futuresRecords', 'USDC-FUTURES', 'trade.orderHistory', 'USDC-FUTURES', 'USDC-FUTURES'),
      ('p2p', 'tax.p2pRecords', '', 'p2p.orders', '', 'P2P'),
      ('transfers', 'tax.p2pRecords', '', 'tax.records', 'SPOT', 'P2P')
  ) as rules (comparison, one_feed, one_part, other_feed, other_part, line)
),
first_orders as (
  select account, min(created_time) as ordered_at
  from main.orders
  group by account
),
pairs as (
  select comparisons.comparison as comparison, one.account as account, comparisons.line as line, one.feed as feed,
    greatest(one.starts_at, other.starts_at) as starts_at, least(one.ends_at, other.ends_at) as ends_at
  from comparisons
  join staging.covered_ranges as one
    on one.feed = comparisons.one_feed and one.partition = comparisons.one_part
  join staging.covered_ranges as other
    on other.account = one.account and other.feed = comparisons.other_feed
    and other.partition = comparisons.other_part
    and other.starts_at <= one.ends_at and other.ends_at >= one.starts_at
),
bounded as (
  select pairs.comparison, pairs.account, pairs.line, pairs.starts_at, pairs.ends_at
  from pairs
  where not (pairs.comparison = 'orders' and pairs.feed = 'tax.futuresRecords')
  union all
  select pairs.comparison, pairs.account, pairs.line, greatest(pairs.starts_at, first_orders.ordered_at), pairs.ends_at
  from pairs
  join first_orders on first_orders.account = pairs.account
  where pairs.comparison = 'orders' and pairs.feed = 'tax.futuresRecords'
    and pairs.account not in (select account from staging.tax_books)
)
select comparison, account, line, bounded.starts_at + interval 1 day as starts_at,
  bounded.ends_at - interval 1 day as ends_at
from bounded
where bounded.starts_at + interval 1 day < bounded.ends_at - interval 1 day
