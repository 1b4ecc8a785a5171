-- Where the way from a coin to the reporting currency ends, at the first moment at which it was needed and not found: over
-- which prices one gets on, and what they lack, in a sentence.
-- grain: one row per coin of which any amount has no value
-- keys:  coin unique
with recursive
reporting as (select currency from staging.reporting),
unvalued as (
  select coin, min(valued_at) as valued_at
  from main.valuations
  where steps is null and not starts_with(entry_id, 'day/')
  group by coin
),
moments as (select valued_at from unvalued group by valued_at),
-- As prices are quoted: what only a price turned round would lead to helps nobody to see what is missing.
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
reached as (
  select coin, valued_at, coin as node, 0 as hops from unvalued
  union
  select reached.coin as coin, reached.valued_at as valued_at, fresh.currency as currency, reached.hops + 1
  from reached
  join fresh on fresh.valued_at = reached.valued_at and fresh.coin = reached.node
  where reached.hops < 4
),
nearest as (
  select coin, node, min(hops) as hops from reached where hops > 0 and node <> coin group by coin, node
),
places as (
  select coin, count(*) as place_count, min(node) as one_place,
    joined_list(case when hops = 1 then node end, ', ', node) as near_places,
    joined_list(case when hops > 1 then node end, ', ', (hops, node)) as far_places
  from nearest
  group by coin
),
earlier as (
  select unvalued.coin as coin, max(links.priced_at) as priced_at
  from unvalued
  join quoted as links on links.coin = unvalued.coin and links.priced_at <= unvalued.valued_at
  group by unvalued.coin
),
later as (
  select unvalued.coin as coin, min(links.priced_at) as priced_at
  from unvalued
  join quoted as links on links.coin = unvalued.coin and links.priced_at > unvalued.valued_at
  group by unvalued.coin
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
        || ' is of ' || substr(time_text(earlier.priced_at), 1, 16) || ' and no longer counts'
    when later.priced_at is not null
      then 'the first price of ' || unvalued.coin || ' is of ' || substr(time_text(later.priced_at), 1, 16)
        || ', later than ' || substr(time_text(unvalued.valued_at), 1, 16)
    else 'no source that counts has a price of ' || unvalued.coin
  end as missing
from unvalued
cross join reporting
left join places on places.coin = unvalued.coin
left join earlier on earlier.coin = unvalued.coin
left join later on later.coin = unvalued.coin
