-- Prices in the reporting currency by the best source that a coin has at all: no way over other coins can be better.
-- grain: one row per coin and priced_at
select links.coin, links.priced_at, links.rank, links.price, links.is_reverse, links.source, links.valid_until
from staging.price_links as links
join staging.price_pairs as pairs
  on pairs.coin = links.coin and pairs.currency = links.currency and pairs.rank = links.rank
where pairs.is_shortest_and_best
