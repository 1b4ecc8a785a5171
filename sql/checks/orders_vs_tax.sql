-- Spot and margin orders have filled as much as the trades of the tax records say, symbol by symbol, where both feeds
-- are complete, a day inside the edges. An order may fill over several days, so days are compared together as far as
-- orders reach across midnight. Order history tells only of orders that have ended: what an order that is still open
-- has filled stands in the open orders, and where nobody has read those, trades without an order prove nothing.
-- grain: one row per account and symbol
with
spans as (
  select account, category as line, symbol, cum_exec_qty as ordered, cast(0 as decimal(38, 18)) as traded,
    cast(created_time at time zone 'UTC' as date) as first_day,
    case
      when lower(order_status) in ('filled', 'cancelled')
        then cast(coalesce(updated_time, created_time) at time zone 'UTC' as date)
      else date '9999-12-31'
    end as last_day,
    'trade.orderHistory/' || order_id as id
  from main.orders
  where is_current and category in ('SPOT', 'MARGIN') and cum_exec_qty > 0 and cum_exec_qty < 1000000000000000
  union all
  select account, category, symbol, 0, 0, cast(created_time at time zone 'UTC' as date), date '9999-12-31',
    'trade.openOrders/' || order_id
  from main.open_orders as resting
  where is_current and category in ('SPOT', 'MARGIN') and cum_exec_qty > 0
    and not exists (
      select 1 from main.orders as ended
      where ended.account = resting.account and ended.order_id = resting.order_id
    )
  union all
  select account, product_line, symbol, 0, quantity, cast(traded_at at time zone 'UTC' as date),
    cast(traded_at at time zone 'UTC' as date), trade_id
  from main.trades
  where kind = 'trade' and source = 'tax.records'
),
marked as (
  select *,
    case
      when first_day <= max(last_day) over (
        partition by account, line, symbol order by first_day, last_day, id
        rows between unbounded preceding and 1 preceding
      ) then 0
      else 1
    end as is_new
  from spans
),
numbered as (
  select *,
    sum(is_new) over (
      partition by account, line, symbol order by first_day, last_day, id
      rows between unbounded preceding and current row
    ) as island
  from marked
),
islands as (
  select account, line, symbol, island, min(first_day) as begins_on, max(last_day) as ends_on,
    sum(ordered) as all_ordered, sum(traded) as all_traded, list(id order by first_day, id)[1:10] as ids
  from numbered
  group by account, line, symbol, island
  having sum(ordered) <> sum(traded)
),
inside as (
  select islands.*
  from islands
  join staging.both_covered as covered
    on covered.comparison = 'orders' and covered.account = islands.account and covered.line = islands.line
    and islands.begins_on > cast(covered.starts_at at time zone 'UTC' as date)
    and islands.ends_on < cast(covered.ends_at at time zone 'UTC' as date)
  where islands.all_ordered > islands.all_traded
    or islands.account in (select account from landing.pages where feed = 'trade.openOrders')
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
