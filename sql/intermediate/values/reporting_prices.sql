-- Prices in the reporting currency, each as a numerator and a denominator so that a value is rounded once. Steps: 1, a
-- price in that currency, or the reverse of a price of it; 2, over another coin or currency that has one at that time.
-- A price counts for a day; between two currencies of the state for five, for their markets close.
-- grain: one row per coin, priced_at and steps
with
reporting as (select currency from staging.reporting),
-- Of several prices of one moment an imported one counts before one's own trades, and those before P2P.
points as (
  select coin, currency, priced_at,
    coalesce(
      max(case when source not in ('trades', 'p2p') then price end),
      max(case when source = 'trades' then price end),
      max(price)
    ) as price
  from main.prices
  where price > 0
  group by coin, currency, priced_at
),
told as (
  select points.coin, points.currency, points.priced_at, points.price,
    coin_fiat.currency is not null and currency_fiat.currency is not null as is_fiat
  from points
  left join staging.fiat as coin_fiat on coin_fiat.currency = points.coin
  left join staging.fiat as currency_fiat on currency_fiat.currency = points.currency
),
edges as (
  select coin, currency, priced_at, price as numerator, cast(1 as decimal(38, 18)) as denominator,
    0 as is_reverse, case when is_fiat then 5 else 1 end as days
  from told
  union all
  select currency, coin, priced_at, cast(1 as decimal(38, 18)), price, 1, case when is_fiat then 5 else 1 end
  from told
  where is_fiat or coin = (select currency from reporting)
),
straight as (
  select coin, priced_at,
    coalesce(max(case when is_reverse = 0 then numerator end), max(numerator)) as numerator,
    coalesce(max(case when is_reverse = 0 then denominator end), max(denominator)) as denominator,
    priced_at + max(days) * interval 1 day as valid_until
  from edges
  where currency = (select currency from reporting) and coin <> (select currency from reporting)
  group by coin, priced_at
),
onward as (
  select coin, currency, priced_at, numerator, denominator, days,
    row_number() over (partition by coin, priced_at order by is_reverse, currency) as choice
  from edges
  where currency <> (select currency from reporting) and coin <> (select currency from reporting)
    and currency in (select coin from straight)
),
crossed as (
  select onward.coin, onward.priced_at, onward.numerator, onward.denominator, onward.days, onward.choice,
    straight.numerator as next_numerator, straight.denominator as next_denominator,
    straight.valid_until as next_valid_until
  from onward
  asof join straight
    on straight.coin = onward.currency and straight.priced_at <= onward.priced_at
),
first_crossed as (
  select *, row_number() over (partition by coin, priced_at order by choice) as nth
  from crossed
  where next_valid_until >= priced_at
)
select coin, priced_at, 1 as steps, numerator, denominator, valid_until from straight
union all
select coin, priced_at, 2,
  case when numerator = 1 then next_numerator else exact_multiply(numerator, next_numerator) end,
  case when denominator = 1 then next_denominator else exact_multiply(denominator, next_denominator) end,
  priced_at + days * interval 1 day
from first_crossed
where nth = 1
