-- Orders whose fills are known one by one. Tax records name no order, so the link is proven: a fill belongs to the only order of
-- its account, product line, symbol and side that was live at its time, and the fills found this way add up to everything that
-- the order filled. If several orders were live together, or a fill is missing, no fill of that order is assigned.
-- grain: one row per account and group_place of a fill that has its order
-- slices: occurred_at
-- by day: staging.trade_groups
-- spans: staging.order_lifetimes from begins_at to ends_at
with
fills as (
  select groups.account as account, groups.group_place as group_place, groups.product_line as line,
    case
      when sides.side = 'buy' then groups.received_coin || groups.paid_coin
      else groups.paid_coin || groups.received_coin
    end as symbol,
    sides.side as side, case when sides.side = 'buy' then received else paid end as quantity,
    groups.occurred_at as occurred_at
  from staging.trade_groups as groups
  join staging.pair_sides as sides
    on sides.received_coin = groups.received_coin and sides.paid_coin = groups.paid_coin
  where groups.family = 'spot'
),
numbered as (
  select cast(row_number() over (order by account, order_id) as bigint) as nth, account, order_id, line, symbol, side,
    lifetimes.quantity as ordered, begins_at, ends_at
  from staging.order_lifetimes as lifetimes
  where line in ('SPOT', 'MARGIN')
),
-- In one instant orders begin, then fill, then end: the last fill has the time at which the order last changed.
events as (
  select account, line, symbol, side, begins_at as happens_at, 1 as phase, 1 as change, nth,
    cast(null as bigint) as group_place,
    cast(null as decimal(38, 18)) as quantity
  from numbered
  union all
  select account, line, symbol, side, occurred_at, 2, 0, 0, group_place, quantity from fills
  union all
  select account, line, symbol, side, ends_at, 3, -1, nth, null, null from numbered
),
swept as (
  select account, group_place, happens_at as occurred_at, quantity,
    sum(change) over so_far as living, sum(change * cast(nth as bigint)) over so_far as living_nth
  from events
  window so_far as (
    partition by account, line, symbol, side order by happens_at, phase
    range between unbounded preceding and current row
  )
),
alone as (
  select swept.account as account, swept.group_place as group_place,
    swept.occurred_at as occurred_at, swept.quantity as quantity,
    numbered.order_id as order_id, numbered.ordered as ordered, numbered.ends_at as ends_at
  from swept
  join numbered on numbered.nth = swept.living_nth
  where swept.group_place is not null and swept.living = 1
),
proven as (
  select account, order_id
  from alone
  group by account, order_id
  having sum(quantity) = any_value(ordered)
)
select alone.account as account, alone.group_place as group_place, alone.occurred_at as occurred_at,
  alone.order_id as order_id, alone.ends_at as ends_at
from alone
join proven on proven.account = alone.account and proven.order_id = alone.order_id
