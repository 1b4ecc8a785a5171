-- Which coins have prices in which others at all, and how far it is from there to the reporting currency: no way that is
-- longer than four prices is looked for, and none that could not arrive.
-- grain: one row per coin, currency and rank
with recursive
pairs as (
  select coin, currency, rank from staging.price_links group by coin, currency, rank
),
reached as (
  select currency as coin, 0 as hops from staging.reporting
  union
  select pairs.coin as coin, reached.hops + 1
  from reached
  join pairs on pairs.currency = reached.coin
  where reached.hops < 3
),
nearest as (select coin, min(hops) as hops from reached group by coin),
best as (select coin, min(rank) as rank from pairs group by coin)
select pairs.coin as coin, pairs.currency as currency, pairs.rank as rank, nearest.hops as hops,
  pairs.currency = (select currency from staging.reporting) and pairs.rank = best.rank as is_shortest_and_best
from pairs
join nearest on nearest.coin = pairs.currency
join best on best.coin = pairs.coin
