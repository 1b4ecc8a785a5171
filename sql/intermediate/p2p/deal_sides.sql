-- P2P deals, for the pairing of equal ones in sequence: the merchant order is the first side, the record the second.
-- grain: one row per completed order, and one per record of a purchase or sale
select account as among, account, coin, side, quantity, completed_at as happened_at, 'order' as wallet, 0 as is_second,
  cast(0 as bigint) as place, order_id as id
from staging.deal_orders
union all
select account, account, coin, case when entries.amount > 0 then 'buy' else 'sell' end, abs(entries.amount), occurred_at,
  'record', 1, place, entry_id
from main.entries as entries
where kind = 'p2p_trade'
