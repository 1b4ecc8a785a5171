-- What an entry, or a part of an imported row, was worth in the reporting currency at its time, where a price says so:
-- its own amount in that currency, else quantity times the nearest earlier price of the coin that still counts, else the
-- same over another currency. Legs of a fill in that currency need no price, for the fill states its value.
-- grain: one row per entry_id; of an imported row the part_id
with
stated as (
  select account, received_place as place, 'amount' as part
  from staging.trade_sides
  where stated_value is not null
  union all
  select account, paid_place, 'amount' from staging.trade_sides where stated_value is not null
),
needed as (
  select entries.entry_id, entries.coin, abs(entries.amount) as quantity, entries.occurred_at
  from main.entries as entries
  left join stated
    on stated.account = entries.account and stated.place = entries.place and stated.part = entries.part
  where entries.part in ('amount', 'fee', 'deal') and stated.account is null
  union all
  select part_id, coin, quantity, occurred_at from staging.imported_parts
),
straight as (select * from staging.reporting_prices where steps = 1),
crossed as (select * from staging.reporting_prices where steps = 2),
looked_up as (
  select needed.entry_id, needed.coin, needed.quantity, needed.occurred_at, straight.numerator,
    straight.denominator,
    case
      when needed.coin = (select currency from staging.reporting) then 0
      when straight.valid_until >= needed.occurred_at then 1
    end as steps
  from needed
  asof left join straight
    on straight.coin = needed.coin and straight.priced_at <= needed.occurred_at
),
unpriced as (
  select entry_id, coin, quantity, occurred_at
  from looked_up
  where steps is null and coin in (select coin from crossed)
),
over_another as (
  select unpriced.entry_id, unpriced.coin, unpriced.quantity, crossed.numerator, crossed.denominator,
    case when crossed.valid_until >= unpriced.occurred_at then 2 end as steps
  from unpriced
  asof left join crossed
    on crossed.coin = unpriced.coin and crossed.priced_at <= unpriced.occurred_at
),
told as (
  select entry_id, coin, quantity, numerator, denominator, steps
  from looked_up
  where steps is not null or coin not in (select coin from crossed)
  union all
  select entry_id, coin, quantity, numerator, denominator, steps from over_another
)
select entry_id, coin, steps,
  case
    when steps = 0 then quantity
    when steps is null then cast(null as decimal(38, 18))
    when denominator = 1 then exact_multiply(quantity, numerator)
    else exact_ratio(quantity, numerator, denominator)
  end as value
from told
