-- Entries and imported rows whose value decides a gain have a price in the reporting currency that still counts; where
-- none does, the link that is missing is named. It is a warning where somebody wants figures in a currency: the
-- configuration names one, or prices were imported. Else it is a notice, and the reports say what their figures lack.
-- grain: one row per coin, and for imports one per account
with
-- Legs carry their part so that the join is on equal columns: a condition on the other side alone would hold each entry
-- against each leg.
legs as (
  select account, place, group_place, 'amount' as part from staging.trade_legs
  where status in ('trade', 'set')
),
unpriced as (
  -- Of a P2P deal it is the money that has no rate, of a fill it may be a fee.
  select coalesce(paid.coin, fees.unpriced_coin, events.coin) as coin, count(*) as event_count,
    min(events.happened_at) as occurred_at, min(events.currency) as currency,
    case when min(events.account) = max(events.account) then min(events.account) end as account,
    first_by(events.event_id, (events.happened_at, events.account, events.place, events.event_id), 5) as ids
  from main.lot_events as events
  join main.entries as entries on entries.entry_id = events.event_id
  join staging.kind_effects as effects on effects.kind = entries.kind
  left join main.valuations as paid on paid.entry_id = events.event_id || '/paid' and paid.steps is null
  left join legs on legs.account = entries.account and legs.place = entries.place and legs.part = entries.part
  left join staging.fill_fees as fees on fees.account = legs.account and fees.group_place = legs.group_place
  where events.value is null and effects.effect in ('exchange', 'cost', 'income', 'fiat')
  group by coalesce(paid.coin, fees.unpriced_coin, events.coin)
),
unpriced_imports as (
  select rows.account as account, count(*) as row_count, min(rows.occurred_at) as occurred_at,
    first_by(rows.id, rows.place, 5) as ids
  from staging.imported_rows as rows
  join staging.imported_values as imported on imported.place = rows.place
  where imported.fee_value is null
    or (imported.row_value is null and rows.transfer_id is null)
    or (imported.network_value is null and imported.network_quantity > 0)
  group by rows.account
),
missing_of_imports as (
  select rows.account as account, joined_distinct(links.missing, '; ') as missing
  from staging.imported_rows as rows
  join staging.imported_parts as parts on parts.place = rows.place
  join main.valuations as valuations on valuations.entry_id = parts.part_id and valuations.steps is null
  join staging.missing_links as links on links.coin = valuations.coin
  group by rows.account
)
select
  case
    when (select is_configured from staging.reporting) or exists (select 1 from landing.imported_prices) then 'warning'
    else 'notice'
  end as severity,
  account, cast(null as varchar) as ledger, unpriced.coin as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  'Costs or proceeds of ' || counted(event_count, 'change', 'changes') || ' are unknown, because ' || unpriced.coin
    || ' has no price in ' || currency || ' of that time' || coalesce(': ' || links.missing, '')
    || '. Import what is missing with `tieout import prices`.' as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from unpriced
left join staging.missing_links as links on links.coin = unpriced.coin
union all
select 'warning', unpriced_imports.account, cast(null as varchar), cast(null as varchar), occurred_at,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), cast(null as decimal(38, 18)),
  counted(row_count, 'imported row has', 'imported rows have') || ' no price in ' || currency
    || ' of that time, so that gains are unknown' || coalesce(': ' || missing, '')
    || '. Import what is missing with `tieout import prices`.',
  cast(to_json(ids) as varchar), 'import'
from unpriced_imports
cross join staging.reporting
left join missing_of_imports on missing_of_imports.account = unpriced_imports.account
