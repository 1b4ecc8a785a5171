-- Orders resting at the venue, as in its newest complete answer; orders filled or cancelled since are not listed. If a later
-- list was cut short, an order that it does not show may or may not still rest. Such an order stays, with the time it was last
-- seen, until the order history shows its end or a complete answer no longer contains it.
-- grain: one row per account and order
-- keys:  account, order_id unique
-- columns:
--   read_at: When the list that last showed the order was received, by the venue's clock if the machine's differs. It is
--     earlier than for the account's other orders if it is not proven that the order still rests.
--   account: Account, as named in the configuration.
--   category: Product line.
--   order_id: Id of the order.
--   client_oid: Id that the client assigned.
--   symbol: Pair or contract.
--   side: buy or sell.
--   order_type: limit or market.
--   price: Limit price; null if there is none, as for an order at the market.
--   qty: Quantity ordered.
--   value: qty times price in the quote coin of the pair or contract, including what is already filled, rounded half to even at 18 decimals; null without a limit price.
--   cum_exec_qty: Quantity filled so far.
--   order_status: Status, as the venue spells it.
--   created_time: When the order was placed.
--   updated_time: When it last changed.
with
ended as (
  select account, order_id
  from main.orders
  where is_current and lower_case(order_status) in ('filled', 'cancelled')
    and order_id in (select order_id from main.open_orders)
  group by account, order_id
)
select case when orders.last_seen_at >= lists.arrived_at then lists.read_at else orders.last_seen_at end as read_at,
  orders.account as account, orders.category as category, orders.order_id as order_id, orders.client_oid as client_oid, orders.symbol as symbol, orders.side as side,
  orders.order_type as order_type, nullif(orders.price, 0) as price, orders.qty as qty,
  exact_multiply(orders.qty, nullif(orders.price, 0)) as value, orders.cum_exec_qty as cum_exec_qty,
  orders.order_status as order_status, orders.created_time as created_time,
  orders.updated_time as updated_time
from main.open_orders as orders
join staging.newest_lists as lists
  on lists.account = orders.account and lists.partition = orders.partition and lists.feed = 'trade.openOrders'
left join ended on ended.account = orders.account and ended.order_id = orders.order_id
where orders.is_current and (orders.last_seen_at >= lists.arrived_at or ended.order_id is null)
