-- Where the path from a coin to the reporting currency ends, at the moments reported by the check valuation: which prices lead
-- onwards and what is missing from there, in a sentence. These moments are the first of the changes without a price for a coin,
-- and of the imported rows of each account: what was missing at one moment explains no other.
-- grain: one row per coin and moment
-- keys:  coin, valued_at unique
with
reporting as (select currency from staging.reporting),
of_imports as (
  select account, coin, min(unpriced_imports.occurred_at) as valued_at
  from staging.unpriced_imports
  where coin is not null
  group by account, coin
),
unvalued as (
  select coin, occurred_at as valued_at from staging.unpriced_changes
  union
  select coin, valued_at from of_imports
),
moments as (select valued_at from unvalued group by valued_at),
-- Only as prices are quoted: what only an inverted price would lead to does not help to see what is missing.
quoted as (
  select coin, currency, priced_at, valid_until
  from staging.price_links
  where not is_reverse
    or (coin in (select currency from staging.fiat) and currency in (select currency from staging.fiat))
),
fresh as (
  select moments.valued_at as valued_at, links.coin as coin, links.currency as currency
  from moments
  join quoted as links
    on links.priced_at <= moments.valued_at and links.valid_until >= moments.valued_at
  group by moments.valued_at, links.coin, links.currency
),
-- ClickHouse has no recursion that excludes what it has seen, so each hop is a step.
hop_0 as (select coin, valued_at, coin as node from unvalued),
hop_1 as (
  select distinct hop_0.coin as coin, hop_0.valued_at as valued_at, fresh.currency as node
  from hop_0
  join fresh on fresh.valued_at = hop_0.valued_at and fresh.coin = hop_0.node
),
hop_2 as (
  select distinct hop_1.coin as coin, hop_1.valued_at as valued_at, fresh.currency as node
  from hop_1
  join fresh on fresh.valued_at = hop_1.valued_at and fresh.coin = hop_1.node
),
hop_3 as (
  select distinct hop_2.coin as coin, hop_2.valued_at as valued_at, fresh.currency as node
  from hop_2
  join fresh on fresh.valued_at = hop_2.valued_at and fresh.coin = hop_2.node
),
hop_4 as (
  select distinct hop_3.coin as coin, hop_3.valued_at as valued_at, fresh.currency as node
  from hop_3
  join fresh on fresh.valued_at = hop_3.valued_at and fresh.coin = hop_3.node
),
reached as (
  select coin, valued_at, node, 1 as hops from hop_1
  union all
  select coin, valued_at, node, 2 from hop_2
  union all
  select coin, valued_at, node, 3 from hop_3
  union all
  select coin, valued_at, node, 4 from hop_4
),
nearest as (
  select coin, valued_at, node, min(reached.hops) as hops
  from reached
  where node <> coin
  group by coin, valued_at, node
),
places as (
  select coin, valued_at, count(*) as place_count, min(node) as one_place,
    count(case when node = (select currency from reporting) then 1 end) as arrivals,
    joined_list(case when hops = 1 then node end, ', ', node) as near_places,
    joined_list(case when hops > 1 then node end, ', ', (hops, node)) as far_places
  from nearest
  group by coin, valued_at
),
-- What leads back to a quote coin only may be valid and lead nowhere, so it says nothing about the times of prices.
dated as (
  select coin, priced_at from quoted
  union all
  select coin, priced_at from staging.price_links where is_reverse and currency = (select currency from reporting)
),
earlier as (
  select unvalued.coin as coin, unvalued.valued_at as valued_at, max(links.priced_at) as priced_at
  from unvalued
  join dated as links on links.coin = unvalued.coin and links.priced_at <= unvalued.valued_at
  group by unvalued.coin, unvalued.valued_at
),
later as (
  select unvalued.coin as coin, unvalued.valued_at as valued_at, min(links.priced_at) as priced_at
  from unvalued
  join dated as links on links.coin = unvalued.coin and links.priced_at > unvalued.valued_at
  group by unvalued.coin, unvalued.valued_at
)
select unvalued.coin as coin, unvalued.valued_at as valued_at,
  case
    when places.place_count = 1
      then unvalued.coin || ' has prices in ' || one_place || '; ' || one_place || ' has none in ' || reporting.currency
    when places.place_count > 1
      then unvalued.coin || ' has prices in ' || near_places
        || case when far_places is null then '' else ', which lead on to ' || far_places end
        || '; none of these has one in ' || reporting.currency
    when earlier.priced_at is not null
      then 'the newest price of ' || unvalued.coin || ' before ' || substr(time_text(unvalued.valued_at), 1, 16)
        || ' dates from ' || substr(time_text(earlier.priced_at), 1, 16) || ' and is no longer valid'
    when later.priced_at is not null
      then 'the first price of ' || unvalued.coin || ' dates from ' || substr(time_text(later.priced_at), 1, 16)
        || ', later than ' || substr(time_text(unvalued.valued_at), 1, 16)
    else 'no source in use has a price of ' || unvalued.coin
  end as missing
from unvalued
cross join reporting
left join places on places.coin = unvalued.coin and places.valued_at = unvalued.valued_at
left join earlier on earlier.coin = unvalued.coin and earlier.valued_at = unvalued.valued_at
left join later on later.coin = unvalued.coin and later.valued_at = unvalued.valued_at
-- The value of a conversion of several coins may be missing only the price of another coin.
where coalesce(places.arrivals, 0) = 0
