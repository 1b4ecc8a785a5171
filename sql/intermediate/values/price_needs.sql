-- The prices that the books need from the configured sources: for every coin, hourly on days on which an amount of it has to be
-- valued, and daily while any account holds or owes some of it, whether the venue or imports report that account: the days of
-- daily_valuation. For money, the rates of those days. Excluded where the user has imported a price that is valid then.
-- grain: one row per coin, unit and first_day
with
-- Consecutive days are one need: each day less its number among those of its coin is the same date.
numbered as (
  select coin, day, plus_days(day, -cast(row_number() over (partition by coin order by day) as integer)) as before_first
  from staging.price_days
  where is_day_end
)
select coin, 'hour' as unit, day as first_day, day as last_day from staging.price_days where not is_day_end
union all
-- The close of the day before is the newest price for a first day that is not over yet.
select coin, 'day', utc_day(day_start(min(day)) - interval 1 hour), max(day)
from numbered
group by coin, before_first
