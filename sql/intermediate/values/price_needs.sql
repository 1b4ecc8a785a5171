-- The prices that the books need from the configured sources: for every coin, hourly on days on which an amount of it has to be
-- valued, and daily while any account holds or owes some of it, whether the venue or imports report that account: the days of
-- daily_valuation. For money, the rates of those days. Excluded where the user has imported a price that is valid then.
-- grain: one row per coin, unit and first_day
with
reporting as (select currency from staging.reporting),
imported as (
  select asset, currency, priced_at
  from landing.imported_prices
  anti join landing.import_withdrawals using (page_id)
),
-- A rate between two currencies is a price of either.
known as (
  select asset as coin, currency, priced_at from imported
  union
  select imported.currency, imported.asset, imported.priced_at
  from imported
  join staging.fiat as asset_fiat on asset_fiat.currency = imported.asset
  join staging.fiat as currency_fiat on currency_fiat.currency = imported.currency
),
-- A daily price that itself needs a path to the reporting currency would leave the rest of its path unrequested.
known_directly as (
  select coin, priced_at from known where currency = (select currency from reporting)
),
needed as (
  select amounts.coin as coin, amounts.valued_at as valued_at, starts_with(amounts.entry_id, 'day/') as is_day_end,
    case when fiat.currency is not null then -5 else -1 end as counts_from
  from staging.amounts_to_value as amounts
  left join staging.fiat as fiat on fiat.currency = amounts.coin
  where amounts.coin <> (select currency from reporting)
),
valued_days as (
  select amounts.coin as coin, utc_day(amounts.valued_at) as day
  from needed as amounts
  asof left join known on known.coin = amounts.coin and known.priced_at <= amounts.valued_at
  where not is_day_end
    and (known.priced_at is null or known.priced_at < plus_days(amounts.valued_at, amounts.counts_from))
  group by amounts.coin, utc_day(amounts.valued_at)
),
held_days as (
  select amounts.coin as coin, utc_day(amounts.valued_at) as day
  from needed as amounts
  asof left join known_directly as known on known.coin = amounts.coin and known.priced_at <= amounts.valued_at
  where is_day_end
    and (known.priced_at is null or known.priced_at < plus_days(amounts.valued_at, amounts.counts_from))
),
-- Consecutive days are one need: each day less its number among those of its coin is the same date.
numbered as (
  select coin, day, plus_days(day, -cast(row_number() over (partition by coin order by day) as integer)) as before_first
  from held_days
)
select coin, 'hour' as unit, day as first_day, day as last_day from valued_days
union all
-- The close of the day before is the newest price for a first day that is not over yet.
select coin, 'day', utc_day(day_start(min(day)) - interval 1 hour), max(day)
from numbered
group by coin, before_first
