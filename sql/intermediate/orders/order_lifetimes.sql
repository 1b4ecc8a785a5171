-- Orders that have filled something, with the time in which they were live: from their creation to their last change.
-- slices: begins_at
-- by day: main.orders
-- grain: one row per account and order_id
select account, order_id, upper_case(category) as line, symbol, lower_case(orders.side) as side,
  cum_exec_qty as quantity, created_time as begins_at,
  greatest(created_time, coalesce(updated_time, created_time)) as ends_at
from main.orders as orders
where is_current and cum_exec_qty > 0
