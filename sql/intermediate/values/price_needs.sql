-- Which prices the books need of the configured sources: of every coin by the hour on days on which an amount of it has to
-- be valued, and by the day while any of it is held; of money the rates of those days. Not where the user has imported
-- a price that counts then.
-- grain: one row per coin, unit and first_day
with
reporting as (select currency from staging.reporting),
imported as (
  select asset, currency, priced_at
  from landing.imported_prices
  anti join landing.import_withdrawals using (page_id)
),
-- A rate between two currencies is one of either.
known as (
  select asset as coin, priced_at from imported
  union
  select imported.currency, imported.priced_at
  from imported
  join staging.fiat as asset_fiat on asset_fiat.currency = imported.asset
  join staging.fiat as currency_fiat on currency_fiat.currency = imported.currency
),
amounts as (
  select amounts.coin as coin, amounts.valued_at as valued_at, fiat.currency is not null as is_fiat,
    known.priced_at as priced_at
  from staging.amounts_to_value as amounts
  left join staging.fiat as fiat on fiat.currency = amounts.coin
  asof left join known on known.coin = amounts.coin and known.priced_at <= amounts.valued_at
  -- What is held at the end of a day needs the price of that day alone, which is below.
  where amounts.coin <> (select currency from reporting) and not starts_with(amounts.entry_id, 'day/')
),
valued_days as (
  select coin, utc_day(valued_at) as day
  from amounts
  where priced_at is null or priced_at < plus_days(valued_at, case when is_fiat then -5 else -1 end)
  group by coin, utc_day(valued_at)
),
changes as (
  select coin, utc_day(occurred_at) as day, sum(amount) as change
  from main.entries
  where coin <> (select currency from reporting)
  group by coin, utc_day(occurred_at)
),
holdings as (
  select coin, day, sum(change) over (
      partition by coin order by day rows between unbounded preceding and current row
    ) as held,
    lead(day, 1, null) over (partition by coin order by day) as next_day
  from changes
),
last_day as (select max(changes.day) as day from changes)
select coin, 'hour' as unit, day as first_day, day as last_day from valued_days
union all
select holdings.coin, 'day', holdings.day, coalesce(holdings.next_day, last_day.day)
from holdings
cross join last_day
where holdings.held <> 0
