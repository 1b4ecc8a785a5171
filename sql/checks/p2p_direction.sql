-- If quantities have no sign, as in P2P records, every type states whether coins came in or went out. A record of a type that is
-- classified without a direction makes no entry.
-- (A type that is not classified at all is reported by unknown_type.)
-- grain: one row per account and type
with
aside as (
  select records.account as account, records.line as line, records.type as type, count(*) as record_count,
    min(records.occurred_at) as occurred_at,
    first_of(ordered_list(source_id, (records.occurred_at, source_id)), 10) as ids
  from staging.moved_records as records
  join staging.types as types on types.feed = records.feed and types.type = records.type
  where is_current and is_unsigned and types.kind <> 'unclassified' and types.direction not in ('in', 'out')
  group by records.account, records.line, records.type
)
select 'warning' as severity, account, line as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  counted(record_count, line || ' record of type ' || type || ' has', line || ' records of type ' || type || ' have')
    || ' no direction: no entry is made. Give the type a direction in tax_types.csv.' as explanation,
  cast(to_json(ids) as varchar) as evidence, type as culprit
from aside
