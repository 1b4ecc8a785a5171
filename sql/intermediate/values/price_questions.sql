-- Which coins have to be valued over other coins, and when: those without a valid straight price.
-- slices: valued_at
-- by day: staging.amounts_to_value
-- from day: staging.straight_prices
-- grain: one row per coin and valued_at
with
looked_up as (
  select amounts.coin as coin, amounts.valued_at as valued_at, straight.valid_until as valid_until
  from staging.amounts_to_value as amounts
  asof left join staging.straight_prices as straight
    on straight.coin = amounts.coin and straight.priced_at <= amounts.valued_at
  where amounts.coin in (select coin from staging.price_pairs)
)
select coin, valued_at
from looked_up
where valid_until is null or valid_until < valued_at
group by coin, valued_at
