-- What leads from one coin or currency to another, and for how long: each price as quoted, and inverted where permitted: between
-- two state currencies, towards the reporting currency, and towards a quote coin, over which other prices can be reached. In
-- the last case, prices from one's own trades and deals are excluded: they would set the rate of the very money that was paid in
-- them. A price is valid for a day; between two state currencies for five, because their markets close. Among several of one
-- rank and moment, a price as quoted takes precedence, then by source.
-- grain: one row per coin, currency, rank and priced_at
with
reporting as (select currency from staging.reporting),
hubs as (select coin from staging.quote_ranks),
points as (
  select prices.coin as coin, prices.currency as currency, prices.priced_at as priced_at, prices.price as price,
    prices.source as source, sources.rank as rank
  from main.prices as prices
  join main.price_sources as sources on sources.source = prices.source
  where prices.price > 0 and sources.rank is not null
),
known as (
  select points.coin as coin, points.currency as currency, points.priced_at as priced_at, points.price as price,
    points.source as source, points.rank as rank,
    coin_fiat.currency is not null and currency_fiat.currency is not null as is_fiat,
    hubs.coin is not null and points.source not in ('trades', 'p2p') as leads_back
  from points
  left join staging.fiat as coin_fiat on coin_fiat.currency = points.coin
  left join staging.fiat as currency_fiat on currency_fiat.currency = points.currency
  left join hubs on hubs.coin = points.coin
),
links as (
  select coin, currency, rank, priced_at, price, source, is_fiat, false as is_reverse from known
  union all
  select currency, coin, rank, priced_at, price, source, is_fiat, true
  from known
  where is_fiat or leads_back or coin = (select currency from reporting)
),
onward as (
  select *, case when is_reverse then 'reverse ' else 'forward ' end || source as preference
  from links
  where coin <> (select currency from reporting)
)
select coin, currency, rank, priced_at, min_by(onward.price, preference) as price,
  min_by(onward.source, preference) as source,
  min_by(onward.is_reverse, preference) as is_reverse,
  plus_days(priced_at, case when bool_or(is_fiat) then 5 else 1 end) as valid_until
from onward
group by coin, currency, rank, priced_at
