-- Changes whose value determines a gain and is not known, by the coin or the money that has no price.
-- grain: one row per coin
-- keys:  coin unique
with
of_days as (
  select coin, day, first_ids, unnest(places_of(first_ids)) as place from staging.unpriced_days
),
firsts as (
  select coin, first_by(first_ids[place + 1], (day, place), 5) as ids from of_days group by coin
),
summed as (
  select coin, cast(sum(days.event_count) as bigint) as event_count, min(days.occurred_at) as occurred_at,
    min(days.currency) as currency,
    case when min(days.first_account) = max(days.last_account) then min(days.first_account) end as account
  from staging.unpriced_days as days
  group by coin
)
select summed.coin as coin, event_count, occurred_at, currency, account, firsts.ids as ids
from summed
join firsts on firsts.coin = summed.coin
