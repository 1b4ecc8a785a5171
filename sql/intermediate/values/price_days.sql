-- The days on which the books need a price of a coin that the user has not imported: where an amount of it has to be valued, and
-- where some of it is held or owed at the end of the day.
-- slices: day
-- by day: staging.amounts_to_value
-- grain: one row per coin, day and is_day_end
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
)
select coin, day, false as is_day_end from valued_days
union all
select coin, day, true from held_days
