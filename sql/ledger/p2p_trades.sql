-- Coins bought and sold for fiat, each with the merchant order that has the fiat side. An order matches if it has the same
-- coin, side and quantity and was completed within a day, each being the nearest to the other. Equal deals within a minute
-- of each other are paired in sequence if there are as many orders as records, because the nearest order may belong to the
-- next deal. The fiat side is null if no order reports it.
-- grain: one row per P2P record of a purchase or sale
-- keys:  entry_id unique
-- columns:
--   entry_id: Entry of the coin.
--   account: Account.
--   side: buy or sell, of the coin.
--   coin: Coin.
--   quantity: Quantity of the coin.
--   fiat: Fiat currency; null without an order.
--   fiat_amount: Amount in the fiat currency; null without an order.
--   price: Price as stated in the order; null without an order.
--   traded_at: When the coin moved.
--   order_id: Merchant order; null if none matches.
--   counterparty_id: Pseudonym of the counterparty, as in p2p_orders; null without an order.
--   apart_ms: Milliseconds between the record and the completion of the order; null without an order.
with
records as (
  select entry_id, account, coin, abs(amount) as quantity, occurred_at, place,
    case when amount > 0 then 'buy' else 'sell' end as side,
    utc_day(occurred_at) as day
  from main.entries
  where kind = 'p2p_trade'
),
shifts as (
  select * from (values (-1), (0), (1)) as days (shift)
),
shifted as (
  select orders.account as account, orders.order_id as order_id, orders.side as side, orders.coin as coin,
    orders.quantity as quantity, orders.fiat as fiat, orders.fiat_amount as fiat_amount, orders.price as price,
    orders.counterparty_id as counterparty_id, orders.completed_at as completed_at, orders.day as day,
    day + shift as near_day from staging.deal_orders as orders cross join shifts
),
candidates as (
  select records.entry_id as entry_id, shifted.order_id as order_id, shifted.account as account,
    abs(epoch_ms(shifted.completed_at) - epoch_ms(records.occurred_at)) as apart_ms,
    case when tied.second_id is not null then 0 else 1 end as is_out_of_turn
  from records
  join shifted
    on shifted.account = records.account and shifted.coin = records.coin and shifted.side = records.side
    and shifted.quantity = records.quantity and shifted.near_day = records.day
  left join staging.deal_turns as tied on tied.second_id = records.entry_id and tied.first_id = shifted.order_id
  where abs(epoch_ms(shifted.completed_at) - epoch_ms(records.occurred_at)) <= 86400000
),
ranked as (
  select *,
    row_number() over (partition by entry_id order by is_out_of_turn, apart_ms, order_id) as choice_of_record,
    row_number() over (partition by account, order_id order by is_out_of_turn, apart_ms, entry_id) as choice_of_order
  from candidates
),
pairs as (
  select entry_id, order_id, apart_ms from ranked where choice_of_record = 1 and choice_of_order = 1
)
select records.entry_id as entry_id, records.account as account, records.side as side, records.coin as coin,
  records.quantity as quantity,
  orders.fiat as fiat, orders.fiat_amount as fiat_amount, orders.price as price, records.occurred_at as traded_at,
  pairs.order_id as order_id, orders.counterparty_id as counterparty_id, pairs.apart_ms as apart_ms
from records
left join pairs on pairs.entry_id = records.entry_id
left join staging.deal_orders as orders on orders.account = records.account and orders.order_id = pairs.order_id
