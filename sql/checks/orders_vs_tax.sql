-- Spot and margin orders have filled as much as the trades of the tax records say, symbol by symbol, where both feeds
-- are complete, a day inside the edges. An order may fill over several days, so days are compared together as far as
-- orders reach across midnight. Order history tells only of orders that have ended: what an order that is still open
-- has filled stands in the open orders, and where nobody has read those, trades without an order prove nothing.
-- grain: one row per account and symbol
with
inside as (
  select *
  from staging.order_islands
  where line in ('SPOT', 'MARGIN') and all_ordered <> all_traded
    and (
      all_ordered > all_traded
      or account in (select account from landing.pages where feed = 'trade.openOrders')
    )
),
trouble as (
  select account, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, occurred_at, occurred_at, 'the legs left over at record ' || source_id
  from staging.trade_legs
  where status = 'leftover'
),
caused as (
  select inside.account, inside.symbol, min(trouble.cause) as cause
  from inside
  join trouble
    on trouble.account = inside.account
    and cast(trouble.starts_at at time zone 'UTC' as date) <= inside.ends_on
    and cast(trouble.ends_at at time zone 'UTC' as date) >= inside.begins_on
  group by inside.account, inside.symbol
),
grouped as (
  select account, symbol, sum(all_ordered) as ordered, sum(all_traded) as traded, min(begins_on) as first_day,
    count(*) as island_count, min_by(ids, begins_on) as first_ids
  from inside
  group by account, symbol
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  cast(first_day as timestamp) at time zone 'UTC' as occurred_at,
  ordered as expected, traded as found, traded - ordered as difference,
  'Orders of ' || grouped.symbol || ' and the trades of the tax records differ on '
    || cast(island_count as varchar) || ' day(s) or run(s) of days, the first on ' || cast(first_day as varchar)
    || case when caused.cause is null then '.' else '; this follows from ' || caused.cause || '.' end
    as explanation,
  cast(to_json(first_ids) as varchar) as evidence,
  grouped.symbol as culprit
from grouped
left join caused on caused.account = grouped.account and caused.symbol = grouped.symbol
