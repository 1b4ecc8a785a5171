-- Prices in the reporting currency from the best source that a coin has at all: no path over other coins can be better.
-- grain: one row per coin and priced_at
-- slices: priced_at
select links.coin as coin, links.priced_at as priced_at, links.rank as rank, links.price as price,
  links.is_reverse as is_reverse, links.source as source, links.valid_until as valid_until
from staging.price_links as links
join staging.price_pairs as pairs
  on pairs.coin = links.coin and pairs.currency = links.currency and pairs.rank = links.rank
where pairs.is_shortest_and_best
