-- Moments at which an account is already known to be wrong, each with the check that reports it: open steps of balance chains,
-- gaps in the coverage, types that no row classifies, records reported twice. What other checks find there follows from it.
-- grain: one row per cause
select account, coin, previous_at as starts_at, occurred_at as ends_at,
  'balance_chain' as check_name, 'the open balance chain of ' || coin || ' at record ' || source_id as cause
from main.balance_chain
where status = 'open'
union all
select account, coin, occurred_at, occurred_at,
  'unknown_type', 'the unknown type ' || type || ' of record ' || source_id
from staging.unclassified_records
union all
select records.account, records.coin, records.occurred_at, records.occurred_at,
  'p2p_direction', 'the type ' || records.type || ' of record ' || records.source_id || ', which has no direction'
from staging.moved_records as records
join staging.types as types on types.feed = records.feed and types.type = records.type
where records.is_current and records.is_unsigned and types.kind <> 'unclassified' and types.direction not in ('in', 'out')
union all
select account, coin, happened_at, happened_at,
  'duplicate_records', 'the ' || what || ' record ' || first_id || ', which was reported twice'
from staging.equal_records
union all
select account, cast(null as varchar), starts_at, ends_at,
  'coverage', 'the hole in ' || feed || ' ' || partition
from staging.missing_ranges
where starts_at is not null and status in ('lost', 'failed', 'pending', 'unproven', 'missing') and not is_before_books
  and feed in (select feed from staging.feeds where is_rested_on)
