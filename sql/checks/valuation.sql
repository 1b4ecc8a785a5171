-- Entries whose value decides a gain have a price in the reporting currency that is at most a day old.
-- grain: one row per account
with
unpriced as (
  select events.account, count(*) as event_count, min(events.happened_at) as occurred_at,
    min(events.currency) as currency, string_agg(distinct events.coin, ', ' order by events.coin) as coins,
    list(events.event_id order by events.happened_at, events.place)[1:5] as ids
  from main.lot_events as events
  join main.entries as entries on entries.entry_id = events.event_id
  join staging.kind_effects as effects on effects.kind = entries.kind
  where events.value is null and effects.effect in ('exchange', 'cost', 'income', 'debt', 'fiat')
  group by events.account
)
select 'notice' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  cast(event_count as varchar) || ' change(s) of ' || coins || ' have no price in ' || currency
    || ' of their day: their value is unknown.' as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from unpriced
