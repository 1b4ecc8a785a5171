-- The unpriced_events of a UTC day, by the coin or the money that has no price, with the first five of them.
-- slices: day
-- by day: staging.unpriced_events
-- grain: one row per coin and day
-- keys:  coin, day unique
select coin, utc_day(events.happened_at) as day, count(*) as event_count, min(events.happened_at) as occurred_at,
  min(events.currency) as currency, min(events.account) as first_account, max(events.account) as last_account,
  first_by(events.event_id, (events.happened_at, events.account, events.place, events.event_id), 5) as first_ids
from staging.unpriced_events as events
group by coin, utc_day(events.happened_at)
