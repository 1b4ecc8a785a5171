-- Changes whose value determines a gain and is not known, by the coin or the money that has no price.
-- grain: one row per coin
-- keys:  coin unique
select coin, count(*) as event_count, min(events.happened_at) as occurred_at, min(events.currency) as currency,
  case when min(events.account) = max(events.account) then min(events.account) end as account,
  first_by(events.event_id, (events.happened_at, events.account, events.place, events.event_id), 5) as ids
from staging.unpriced_events as events
group by coin
