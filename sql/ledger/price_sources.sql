-- Where prices come from, and which counts before which: the policy of the configuration (`prices: order:`), in which
-- `others` stands for every source that it does not name, but for what answers about positions and lending bring along:
-- that counts where it is named. A price of a later source is used only where none of an earlier one still counts, however
-- much fresher it is.
-- grain: one row per source that has prices
-- keys:  source unique
-- columns:
--   source: Source of prices, as in the table prices.
--   rank: Place in the policy, from 1; null for a source that the policy leaves out, whose prices value nothing.
--   price_count: How many prices of it there are.
--   first_priced_at: Time of the earliest.
--   last_priced_at: Time of the latest.
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
