-- Coins bought and sold for fiat, each with the merchant order that has the fiat side. An order matches if it has the same
-- coin, side and quantity and was completed within a day, each being the nearest to the other. Equal deals within a minute
-- of each other are paired in sequence if there are as many orders as records, because the nearest order may belong to the
-- next deal. The fiat side is null if no order reports it.
-- grain: one row per P2P record of a purchase or sale
-- keys:  entry_id unique
-- slices: traded_at
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
  select entry_id, account, coin, abs(amount) as quantity, occurred_at,
    case when amount > 0 then 'buy' else 'sell' end as side
  from main.entries
  where kind = 'p2p_trade'
),
pairs as (
  select second_id as entry_id, first_id as order_id, apart_ms from staging.nearest_deals
)
select records.entry_id as entry_id, records.account as account, records.side as side, records.coin as coin,
  records.quantity as quantity,
  orders.fiat as fiat, orders.fiat_amount as fiat_amount, orders.price as price, records.occurred_at as traded_at,
  pairs.order_id as order_id, orders.counterparty_id as counterparty_id, pairs.apart_ms as apart_ms
from records
left join pairs on pairs.entry_id = records.entry_id
left join staging.deal_orders as orders on orders.account = records.account and orders.order_id = pairs.order_id
