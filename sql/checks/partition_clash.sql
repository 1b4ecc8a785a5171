-- A record is in only one part of its feed.
-- grain: one row per account, feed and pair of parts
select 'notice' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  counted(record_count, 'record', 'records') || ' of ' || feed || ' arrived in ' || partition || ' and in '
    || other_partition || '; each is counted once, in the first.' as explanation,
  cast(to_json([partition, other_partition]) as varchar) as evidence,
  feed || '/' || partition || '/' || other_partition as culprit
from staging.record_clashes
