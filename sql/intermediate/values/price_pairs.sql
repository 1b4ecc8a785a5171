-- Which coins have prices in which others at all, and how far it is from there to the reporting currency. Paths longer than four
-- prices are not considered, nor are paths that could not arrive.
-- grain: one row per coin, currency and rank
with
pairs as (
  select coin, currency, rank from staging.price_links group by coin, currency, rank
),
-- ClickHouse has no recursion that excludes what it has seen, so each hop is a step.
hop_0 as (select currency as coin from staging.reporting),
hop_1 as (select distinct pairs.coin as coin from hop_0 join pairs on pairs.currency = hop_0.coin),
hop_2 as (select distinct pairs.coin as coin from hop_1 join pairs on pairs.currency = hop_1.coin),
hop_3 as (select distinct pairs.coin as coin from hop_2 join pairs on pairs.currency = hop_2.coin),
reached as (
  select coin, 0 as hops from hop_0
  union all
  select coin, 1 from hop_1
  union all
  select coin, 2 from hop_2
  union all
  select coin, 3 from hop_3
),
nearest as (select coin, min(reached.hops) as hops from reached group by coin),
best as (select coin, min(pairs.rank) as rank from pairs group by coin)
select pairs.coin as coin, pairs.currency as currency, pairs.rank as rank, nearest.hops as hops,
  pairs.currency = (select currency from staging.reporting) and pairs.rank = best.rank as is_shortest_and_best
from pairs
join nearest on nearest.coin = pairs.currency
join best on best.coin = pairs.coin
