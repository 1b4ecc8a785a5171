-- What the venue has once reported it does not change. A changed record is a warning, with both versions kept; a record to
-- which only unknown fields came is a notice. Orders and the like live, so they may change.
-- grain: one row per account, feed and whether known fields changed
with
records as (
  select account, feed, record_id, min(first_seen_at) as first_at, max(first_seen_at) as changed_at,
    count(distinct core) > 1 as is_known_change
  from staging.record_versions
  where nature = 'event'
  group by account, feed, record_id
  having count(distinct core) > 1 or count(distinct coalesce(extra, '')) > 1
),
grouped as (
  select account, feed, is_known_change, count(*) as record_count, min(changed_at) as occurred_at,
    first_of(ordered_list(record_id, record_id), 10) as ids
  from records
  group by account, feed, is_known_change
)
select case when is_known_change then 'warning' else 'notice' end as severity, account,
  cast(null as varchar) as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  case
    when is_known_change
      then counted(record_count, 'record of ' || feed || ' was', 'records of ' || feed || ' were')
        || ' changed by the venue after receipt. The books follow the newest version; all versions are kept (is_current).'
    else counted(record_count, 'record', 'records') || ' of ' || feed || ' came again with other unknown fields.'
  end as explanation,
  cast(to_json(ids) as varchar) as evidence,
  feed || case when is_known_change then '/known' else '/unknown' end as culprit
from grouped
