-- Each account has a credential for every feed that applies to it, with the permission that the feed needs.
-- grain: one row per account and refusal code
with
refused as (
  select account, feed, code, reason
  from main.coverage
  where status = 'failed' and code in (select code from staging.permission_codes)
),
grouped as (
  select account, code, case when code = 'no credential' then refused.reason else '' end as lacking,
    joined_distinct(feed, ', ') as feeds, min(refused.reason) as reason,
    distinct_list(feed) as names
  from refused
  group by account, code, case when code = 'no credential' then refused.reason else '' end
)
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'Not read: ' || feeds || ' (' || code || ': ' || coalesce(reason, '') || ').' as explanation,
  cast(to_json(names) as varchar) as evidence,
  code || '/' || lacking as culprit
from grouped
