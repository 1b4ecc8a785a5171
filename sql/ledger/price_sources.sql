-- Sources of prices and their precedence: the policy of the configuration (`prices: order:`). In it, `others` stands for every
-- source that is not named, except the prices that arrive with answers about positions and lending: those are used only if
-- named. A price from a later source is used only if no earlier source has a valid one, however much fresher it is.
-- grain: one row per source that has prices
-- keys:  source unique
-- columns:
--   source: Source of prices, as in the table prices.
--   rank: Position in the policy, from 1; null for a source that the policy leaves out, whose prices value nothing.
--   price_count: Number of its prices.
--   first_priced_at: Time of the earliest price.
--   last_priced_at: Time of the latest price.
with
found as (
  select source, count(*) as price_count, min(priced_at) as first_priced_at, max(priced_at) as last_priced_at
  from main.prices
  group by source
)
select found.source as source,
  coalesce(named.rank, case when found.source not in ('marks', 'ltv') then others.rank end) as rank,
  found.price_count as price_count, found.first_priced_at as first_priced_at,
  found.last_priced_at as last_priced_at
from found
left join staging.price_order as named on named.source = found.source
left join staging.price_order as others on others.source = 'others'
