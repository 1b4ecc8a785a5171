-- Filled futures orders in the order of execution, with the position that each belongs to, from flat to flat, and how much of it
-- is then held: the running sum of what orders opened and closed, by contract and side. If records of the side are older than
-- its first order, or orders closed more than they opened, a position was carried in or may have been. Flat is then the level
-- at which the sum is most often, and `held` is measured from it. Orders without a position side (one-way mode) are summed as
-- bought less sold.
-- grain: one row per account and filled order
with
fills as (select * from staging.futures_fills),
running as (
  select *,
    row_number() over (
      partition by account, line, symbol, position_side order by filled_at, try_whole(order_id), order_id
    ) as nth,
    sum(change) over (
      partition by account, line, symbol, position_side order by filled_at, try_whole(order_id), order_id
      rows between unbounded preceding and current row
    ) as held
  from fills
),
beginnings as (
  select account, line, symbol, position_side, min(created_time) as first_order_at
  from fills
  group by account, line, symbol, position_side
),
brought_along as (
  select distinct entries.account as account, entries.product_line as line, entries.symbol as symbol,
    beginnings.position_side as position_side
  from main.entries as entries
  join beginnings
    on beginnings.account = entries.account and beginnings.line = entries.product_line
    and beginnings.symbol = entries.symbol and entries.occurred_at < beginnings.first_order_at
  where entries.kind in ('realised_pnl', 'liquidation', 'fee')
    and not (beginnings.position_side = 'long' and upper_case(entries.type) like '%SHORT%')
    and not (beginnings.position_side = 'short' and upper_case(entries.type) like '%LONG%')
  union
  -- Nobody holds less than zero of a side: what was closed beyond everything that the orders opened was there before.
  select account, line, symbol, position_side from running where position_side <> 'net' and held < 0
),
levels as (
  select running.account as account, running.line as line, running.symbol as symbol,
    running.position_side as position_side, running.held as held,
    row_number() over (
      partition by running.account, running.line, running.symbol, running.position_side
      order by count(*) desc,
        case when running.position_side = 'net' then abs(running.held) else running.held end
    ) as choice
  from running
  join brought_along
    on brought_along.account = running.account and brought_along.line = running.line
    and brought_along.symbol = running.symbol and brought_along.position_side = running.position_side
  group by running.account, running.line, running.symbol, running.position_side, running.held
),
ended as (
  select running.account as account, running.line as line, running.symbol as symbol, running.order_id as order_id,
    running.created_time as created_time, running.filled_at as filled_at, running.position_side as position_side,
    running.change as change, running.nth as nth, running.held - coalesce(levels.held, 0) as held,
    case when running.held = coalesce(levels.held, 0) then 1 else 0 end as is_end,
    case when levels.held is null then 0 else 1 end as may_be_brought
  from running
  left join levels
    on levels.account = running.account and levels.line = running.line and levels.symbol = running.symbol
    and levels.position_side = running.position_side and levels.choice = 1
)
select account, line, symbol, position_side, order_id, created_time, filled_at, change, nth, held, is_end,
  may_be_brought,
  1 + sum(is_end) over (
    partition by account, line, symbol, position_side order by nth rows between unbounded preceding and current row
  ) - is_end as number
from ended
