-- The venue does not change a record once reported, and no answer reports a record twice with different content. Either is
-- a warning, and all versions are kept; a record that only gained unknown fields is a notice. Orders and other records with a
-- life cycle may change from one answer to the next.
-- grain: one row per account, feed and whether known fields changed, unknown ones did, or one answer contradicts itself
with
answers as (
  select account, feed, record_id, page_id, min(first_seen_at) as told_at
  from staging.record_versions
  group by account, feed, record_id, page_id
  having count(distinct core) > 1
),
contradictions as (
  select account, feed, record_id, min(answers.told_at) as contradicted_at
  from answers
  group by account, feed, record_id
),
changes as (
  select account, feed, record_id, max(first_seen_at) as changed_at, count(distinct core) > 1 as is_known_change
  from staging.record_versions
  where nature = 'event'
  group by account, feed, record_id
  having count(distinct core) > 1 or count(distinct coalesce(extra, '')) > 1
),
records as (
  select changes.account as account, changes.feed as feed, changes.record_id as record_id,
    changes.changed_at as changed_at, case when changes.is_known_change then 'known' else 'unknown' end as what
  from changes
  left join contradictions on contradictions.account = changes.account and contradictions.feed = changes.feed
    and contradictions.record_id = changes.record_id
  where contradictions.account is null
  union all
  select account, feed, record_id, contradicted_at, 'one answer' from contradictions
),
grouped as (
  select account, feed, what, count(*) as record_count, min(changed_at) as occurred_at,
    first_of(ordered_list(record_id, record_id), 10) as ids
  from records
  group by account, feed, what
)
select case when what = 'unknown' then 'notice' else 'warning' end as severity, account,
  cast(null as varchar) as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  case what
    when 'known'
      then counted(record_count, 'record of ' || feed || ' was', 'records of ' || feed || ' were')
        || ' changed by the venue after receipt. The books follow the newest version; all versions are kept (is_current).'
    when 'one answer'
      then counted(record_count, 'record of ' || feed || ' appears', 'records of ' || feed || ' appear')
        || ' twice in one answer, with different content. The books follow the version updated last, or else the last in'
        || ' the answer; all versions are kept (is_current).'
    else counted(record_count, 'record', 'records') || ' of ' || feed || ' arrived again with different unknown fields.'
  end as explanation,
  cast(to_json(ids) as varchar) as evidence,
  feed || '/' || what as culprit
from grouped
