-- Every completed merchant order has its P2P record of a purchase or sale, and every such record its order, in the time for which
-- both feeds are complete, less a day at each end. An unmatched record and an unmatched order of the same coin and side within an
-- hour of each other are one disagreement about the quantity.
-- grain: one row per record without an order, and one per order without a record
with
records as (
  select account, coin, side, quantity, traded_at as happened_at, entry_id as id
  from main.p2p_trades
  where order_id is null
),
orders as (
  select account, coin, lower_case(orders.side) as side, count as quantity,
    coalesce(release_time, u_time, c_time) as happened_at, 'p2p.orders/' || order_id as id
  from main.p2p_orders as orders
  where is_current and lower_case(status) = 'completed'
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
  select alone.account as account, alone.coin as coin, alone.side as side, alone.quantity as quantity,
    alone.happened_at as happened_at, alone.id as id, alone.what as what
  from alone
  join staging.both_covered as covered
    on covered.comparison = 'p2p' and covered.account = alone.account
    and alone.happened_at between covered.starts_at and covered.ends_at
),
-- The record and the order that are nearest to each other in time, each other's first choice.
near as (
  select records.id as record_id, orders.id as order_id,
    row_number() over (
      partition by records.id
      order by abs(epoch_ms(records.happened_at) - epoch_ms(orders.happened_at)), orders.id
    ) as choice_of_record,
    row_number() over (
      partition by orders.id
      order by abs(epoch_ms(records.happened_at) - epoch_ms(orders.happened_at)), records.id
    ) as choice_of_order
  from inside as records
  join inside as orders
    on orders.what = 'order' and orders.account = records.account and orders.coin = records.coin
    and orders.side = records.side
    and abs(epoch_ms(records.happened_at) - epoch_ms(orders.happened_at)) <= 3600000
  where records.what = 'record'
),
pairs as (
  select record_id, order_id from near where choice_of_record = 1 and choice_of_order = 1
),
reported as (
  select inside.account as account, inside.coin as coin, inside.side as side, inside.quantity as quantity,
    inside.happened_at as happened_at, inside.id as id, inside.what as what, pairs.order_id as order_id,
    orders.quantity as order_quantity
  from inside
  left join pairs on pairs.record_id = inside.id
  left join inside as orders on orders.id = pairs.order_id
  where inside.id not in (select order_id from pairs)
),
caused as (
  select inside.id as id, min(causes.cause) as cause
  from inside
  join staging.disturbances as causes
    on causes.account = inside.account and coalesce(causes.coin, inside.coin) = inside.coin
    and inside.happened_at between causes.starts_at - interval 1 day and causes.ends_at + interval 1 day
  group by inside.id
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  account, 'P2P' as ledger, coin, happened_at as occurred_at,
  case when what = 'order' then quantity else coalesce(order_quantity, 0) end as expected,
  case when what = 'order' then 0 else quantity end as found,
  case when what = 'order' then -quantity else quantity - coalesce(order_quantity, 0) end as difference,
  case
    when what = 'order' then 'A completed P2P ' || coalesce(side || ' ', '') || 'order has no P2P record.'
    when order_id is not null then 'A P2P ' || side || ' and its completed merchant order report different quantities.'
    else 'A P2P ' || side || ' has no completed merchant order, so its fiat side is unknown.'
  end || case when caused.cause is null then '' else ' Follows from ' || caused.cause || '.' end as explanation,
  cast(to_json(case when order_id is null then [reported.id] else [reported.id, order_id] end) as varchar) as evidence,
  reported.id as culprit
from reported
left join caused on caused.id = reported.id
