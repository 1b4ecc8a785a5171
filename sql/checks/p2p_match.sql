-- Every completed merchant order has its P2P record of a purchase or sale, and every such record its order, in the time for which
-- both feeds are complete, less a day at each end. An unmatched record and an unmatched order of the same coin and side within an
-- hour of each other are one disagreement about the quantity. If an erased answer of the other feed covered the time, the
-- explanation says so.
-- grain: one row per record without an order, and one per order without a record
with
inside as (
  select account, coin, side, own_quantity as quantity, happened_at, id, wallet as what from staging.unmatched_deals
),
-- One's own accounts may be the two sides of one order, so its id alone does not say whose it is.
pairs as (
  select among as account, second_id as record_id, first_id as order_id from staging.nearest_unmatched
),
reported as (
  select inside.account as account, inside.coin as coin, inside.side as side, inside.quantity as quantity,
    inside.happened_at as happened_at, inside.id as id, inside.what as what, pairs.order_id as order_id,
    orders.quantity as order_quantity
  from inside
  left join pairs on pairs.account = inside.account and pairs.record_id = inside.id
  left join inside as orders on orders.account = pairs.account and orders.id = pairs.order_id
  where not exists (
    select 1 from pairs as told where told.account = inside.account and told.order_id = inside.id
  )
),
caused as (
  select inside.account as account, inside.id as id, min(causes.cause) as cause
  from inside
  join staging.disturbances as causes
    on causes.account = inside.account and coalesce(causes.coin, inside.coin) = inside.coin
    and inside.happened_at between causes.starts_at - interval 1 day and causes.ends_at + interval 1 day
  group by inside.account, inside.id
),
-- A record or an order whose counterpart may have been in an answer that was erased.
erased as (
  select distinct reported.account as account, reported.id as id
  from reported
  join landing.pages as pages
    on pages.account = reported.account and pages.is_erased
    and pages.feed = case when reported.what = 'order' then 'tax.p2pRecords' else 'p2p.orders' end
    and reported.happened_at between pages.window_start - interval 1 day and pages.window_end + interval 1 day
  where reported.order_id is null
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  reported.account as account, 'P2P' as ledger, coin, happened_at as occurred_at,
  case when what = 'order' then quantity else coalesce(order_quantity, 0) end as expected,
  case when what = 'order' then 0 else quantity end as found,
  case when what = 'order' then -quantity else quantity - coalesce(order_quantity, 0) end as difference,
  case
    when what = 'order' then 'A completed P2P ' || coalesce(side || ' ', '') || 'order has no P2P record.'
    when order_id is not null then 'A P2P ' || side || ' and its completed merchant order report different quantities.'
    else 'A P2P ' || side || ' has no completed merchant order, so its fiat side is unknown.'
  end || case
    when erased.id is null then ''
    else case when what = 'order' then ' Records' else ' Orders' end || ' that were received for this time have been erased.'
  end || case when caused.cause is null then '' else ' Follows from ' || caused.cause || '.' end as explanation,
  cast(to_json(case when order_id is null then [reported.id] else [reported.id, order_id] end) as varchar) as evidence,
  reported.id as culprit
from reported
left join caused on caused.account = reported.account and caused.id = reported.id
left join erased on erased.account = reported.account and erased.id = reported.id
