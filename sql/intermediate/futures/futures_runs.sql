-- Filled futures orders in the order of execution, and how much is held after each: the running sum of what orders opened and
-- closed, by contract and side. Orders without a position side (one-way mode) are summed as bought less sold. What was held
-- before the first order is not in it (staging.futures_levels).
-- slices: created_time
-- from day: staging.futures_fills
-- carries: staging.futures_runs_before at nth per account, line, symbol, position_side
-- lasting: filled_at
-- grain: one row per account and filled order
with
following as (
  select fills.account as account, fills.line as line, fills.symbol as symbol, fills.position_side as position_side,
    fills.order_id as order_id, fills.created_time as created_time, fills.filled_at as filled_at, fills.change as change,
    coalesce(earlier.nth, 0) as nth_before, coalesce(earlier.held, 0) as held_before
  from staging.futures_fills as fills
  left join staging.futures_runs_before as earlier
    on earlier.account = fills.account and earlier.line = fills.line and earlier.symbol = fills.symbol
    and earlier.position_side = fills.position_side
  where earlier.account is null or fills.filled_at is null or fills.filled_at > earlier.filled_at
)
select account, line, symbol, position_side, order_id, created_time, filled_at, change,
  nth_before + row_number() over (
    partition by account, line, symbol, position_side order by filled_at, try_whole(order_id), order_id
  ) as nth,
  held_before + sum(change) over (
    partition by account, line, symbol, position_side order by filled_at, try_whole(order_id), order_id
    rows between unbounded preceding and current row
  ) as held
from following
