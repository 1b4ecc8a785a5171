-- Orders that rest at the venue, as its newest complete answer has them; what was filled or cancelled since is not here. Where
-- its list has broken off since, an order that it no longer shows may rest or not: it stays, with when it was last seen, until
-- the order history has its end or a complete answer lacks it.
-- grain: one row per account and order
-- keys:  account, order_id unique
-- columns:
--   read_at: When the list that showed the order last was received, by the venue's clock where the machine's differs; earlier than for the other orders of the account where it
--     is not proven that the order still rests.
--   account: Account, as the configuration names it.
--   category: Product line.
--   order_id: Id of the order.
--   client_oid: Id that the client gave.
--   symbol: Pair or contract.
--   side: buy or sell.
--   order_type: limit or market.
--   price: Limit price; null where there is none.
--   qty: Quantity ordered.
--   value: qty times price in the quote coin of the pair or contract, what is filled of it included, rounded half to even at 18 decimals; null without a limit price.
--   cum_exec_qty: Quantity filled so far.
--   order_status: Status, as the venue spells it.
--   created_time: When the order was placed.
--   updated_time: When it last changed.
with
ended as (
  select account, order_id
  from main.orders
  where is_current and lower_case(order_status) in ('filled', 'cancelled')
  group by account, order_id
)
select case when orders.last_seen_at >= lists.arrived_at then lists.read_at else orders.last_seen_at end as read_at,
  orders.account as account, orders.category as category, orders.order_id as order_id, orders.client_oid as client_oid, orders.symbol as symbol, orders.side as side,
  orders.order_type as order_type, orders.price as price, orders.qty as qty,
  exact_multiply(orders.qty, orders.price) as value, orders.cum_exec_qty as cum_exec_qty,
  orders.order_status as order_status, orders.created_time as created_time,
  orders.updated_time as updated_time
from main.open_orders as orders
join staging.newest_lists as lists
  on lists.account = orders.account and lists.partition = orders.partition and lists.feed = 'trade.openOrders'
left join ended on ended.account = orders.account and ended.order_id = orders.order_id
where orders.is_current and (orders.last_seen_at >= lists.arrived_at or ended.order_id is null)
