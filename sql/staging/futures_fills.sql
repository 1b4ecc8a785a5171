-- Filled futures orders: what each added to or took from the position of its side. Orders without a position side (one-way
-- mode) count as bought less sold.
-- slices: created_time
-- by day: main.orders
-- grain: one row per account and order
select account, upper_case(category) as line, symbol, order_id, created_time,
  greatest(created_time, coalesce(updated_time, created_time)) as filled_at,
  case when lower_case(pos_side) in ('long', 'short') then lower_case(pos_side) else 'net' end as position_side,
  case
    when (lower_case(coalesce(pos_side, '')) = 'short') = (lower_case(side) = 'sell') then cum_exec_qty
    else -cum_exec_qty
  end as change
from main.orders
where is_current and upper_case(category) like '%-FUTURES' and cum_exec_qty > 0 and cum_exec_qty < 1000000000000000
