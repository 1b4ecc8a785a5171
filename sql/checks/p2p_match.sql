-- Completed merchant orders and P2P records of purchases and sales belong together, where both feeds are complete, a day
-- inside the edges.
-- grain: one row per record without an order, and per order without a record
with
records as (
  select account, coin, side, quantity, traded_at as happened_at, entry_id as id
  from main.p2p_trades
  where order_id is null
),
orders as (
  select account, coin, lower(side) as side, count as quantity,
    coalesce(release_time, u_time, c_time) as happened_at, 'p2p.orders/' || order_id as id
  from main.p2p_orders as orders
  where is_current and lower(status) = 'completed'
    and not exists (
      select 1 from main.p2p_trades as matched
      where matched.account = orders.account and matched.order_id = orders.order_id
    )
),
alone as (
  select *, 'record' as what from records
  union all
  select *, 'order' from orders
),
inside as (
  select alone.*
  from alone
  join staging.both_covered as covered
    on covered.comparison = 'p2p' and covered.account = alone.account
    and alone.happened_at between covered.starts_at and covered.ends_at
),
caused as (
  select inside.id, min(causes.cause) as cause
  from inside
  join staging.disturbances as causes
    on causes.account = inside.account and coalesce(causes.coin, inside.coin) = inside.coin
    and inside.happened_at between causes.starts_at - interval 1 day and causes.ends_at + interval 1 day
  group by inside.id
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  account, 'P2P' as ledger, coin, happened_at as occurred_at,
  case when what = 'order' then quantity else 0 end as expected,
  case when what = 'order' then 0 else quantity end as found,
  case when what = 'order' then -quantity else quantity end as difference,
  case
    when what = 'order' then 'A completed P2P ' || side || ' order has no P2P record.'
    else 'A P2P ' || side || ' has no completed merchant order, so its fiat side is unknown.'
  end || case when caused.cause is null then '' else ' Follows from ' || caused.cause || '.' end as explanation,
  cast(to_json([inside.id]) as varchar) as evidence, inside.id as culprit
from inside
left join caused on caused.id = inside.id
