-- What an entry was worth in the reporting currency at its time, where a price says so: its own amount in that
-- currency, else quantity times the nearest earlier price of the coin that is at most a day old. Fees of a fill and
-- legs of a fill in that currency need no price; other legs of such a fill take its own value.
-- grain: one row per entry
with
needed as (
  select entries.entry_id, entries.account, entries.place, entries.part, entries.coin,
    abs(entries.amount) as quantity, entries.occurred_at
  from main.entries as entries
  left join staging.trade_sides as received
    on received.account = entries.account and received.received_place = entries.place
    and entries.part = 'amount' and received.stated_value is not null
  left join staging.trade_sides as paid
    on paid.account = entries.account and paid.paid_place = entries.place
    and entries.part = 'amount' and paid.stated_value is not null
  where entries.part in ('amount', 'fee') and received.account is null and paid.account is null
),
priced as (
  select coin, priced_at, max(price) as price
  from main.prices
  where currency = (select currency from staging.reporting)
  group by coin, priced_at
),
looked_up as (
  select needed.entry_id, needed.coin, needed.quantity, needed.occurred_at, priced.price, priced.priced_at
  from needed
  asof left join priced
    on priced.coin = needed.coin and priced.priced_at <= needed.occurred_at
)
select entry_id, coin,
  case
    when coin = (select currency from staging.reporting) then quantity
    when priced_at >= occurred_at - interval 1 day then exact_multiply(quantity, price)
  end as value
from looked_up
