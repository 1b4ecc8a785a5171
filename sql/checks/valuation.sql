-- Entries and imported rows whose value decides a gain have a price in the reporting currency that still counts.
-- grain: one row per account, and for imports another
with
unpriced as (
  select events.account, count(*) as event_count, min(events.happened_at) as occurred_at,
    min(events.currency) as currency, string_agg(distinct events.coin, ', ' order by events.coin) as coins,
    arg_min(events.event_id, row(events.happened_at, events.place), 5) as ids
  from main.lot_events as events
  join main.entries as entries on entries.entry_id = events.event_id
  join staging.kind_effects as effects on effects.kind = entries.kind
  where events.value is null and effects.effect in ('exchange', 'cost', 'income', 'fiat')
  group by events.account
),
unpriced_imports as (
  select rows.account, count(*) as row_count, min(rows.occurred_at) as occurred_at,
    arg_min(rows.id, rows.place, 5) as ids
  from staging.imported_rows as rows
  join staging.imported_values as imported on imported.place = rows.place
  where imported.fee_value is null
    or (imported.row_value is null and rows.transfer_id is null)
    or (imported.network_value is null and imported.network_quantity > 0)
  group by rows.account
)
select 'notice' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  cast(event_count as varchar) || ' change(s) of ' || coins || ' have no price in ' || currency
    || ' of their day: their value is unknown.' as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from unpriced
union all
select 'warning', account, cast(null as varchar), cast(null as varchar), occurred_at,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), cast(null as decimal(38, 18)),
  cast(row_count as varchar) || ' imported row(s) have no price in ' || currency
    || ' of their time: their gains are unknown. Import what is missing with `tieout import prices`.',
  cast(to_json(ids) as varchar), 'import'
from unpriced_imports
cross join staging.reporting
