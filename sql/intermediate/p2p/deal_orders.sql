-- Completed merchant orders, with the time of completion.
-- grain: one row per account and order
select account, order_id, lower_case(p2p_orders.side) as side, coin, count as quantity, fiat, amount as fiat_amount, price,
  counterparty_id,
  coalesce(release_time, u_time, c_time) as completed_at
from main.p2p_orders
where is_current and lower_case(status) = 'completed'
