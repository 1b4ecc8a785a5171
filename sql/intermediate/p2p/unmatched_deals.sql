-- P2P records of a purchase or sale without a merchant order of their quantity, and completed orders without such a record, in the
-- time for which both feeds are complete, less a day at each end; for finding those that differ in the quantity alone. The order
-- is the first side, the record the second.
-- grain: one row per record and per order
with
alone as (
  select account, coin, side, quantity, traded_at as happened_at, 'record' as wallet, 1 as is_second, entry_id as id
  from main.p2p_trades
  where order_id is null
  union all
  select account, coin, lower_case(orders.side), count, coalesce(release_time, u_time, c_time), 'order', 0,
    'p2p.orders/' || order_id
  from main.p2p_orders as orders
  where is_current and lower_case(status) = 'completed'
    and not exists (
      select 1 from main.p2p_trades as matched
      where matched.account = orders.account and matched.order_id = orders.order_id
    )
)
select alone.account as among, alone.account as account, alone.coin as coin, alone.side as side,
  cast(0 as decimal(38, 18)) as quantity, alone.happened_at as happened_at, alone.wallet as wallet,
  alone.is_second as is_second, cast(0 as bigint) as place, alone.id as id, alone.quantity as own_quantity
from alone
join staging.both_covered as covered
  on covered.comparison = 'p2p' and covered.account = alone.account
  and alone.happened_at between covered.starts_at and covered.ends_at
