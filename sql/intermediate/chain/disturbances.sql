-- Moments at which something is known to be wrong in an account already, each with the check that says so: open steps
-- of balance chains, holes in the coverage, types that no row classifies, P2P records told twice. What other checks find
-- there follows from it.
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
select records.account, records.coin, records.ts, records.ts,
  'p2p_direction', 'the type ' || records.p2p_tax_type || ' of record ' || records.id || ', which tells no direction'
from main.p2p_records as records
join staging.types as types
  on types.feed = 'tax.p2pRecords' and types.type = records.p2p_tax_type
where records.is_current and types.kind <> 'unclassified' and types.direction not in ('in', 'out')
union all
select account, coin, happened_at, happened_at,
  'duplicate_records', 'the P2P record ' || first_id || ', which has come twice'
from staging.equal_p2p_records
union all
select account, cast(null as varchar), starts_at, ends_at,
  'coverage', 'the hole in ' || feed || ' ' || partition
from staging.missing_ranges
where starts_at is not null and status in ('lost', 'failed', 'pending', 'unproven', 'missing') and not is_before_books
  and feed in ('tax.records', 'tax.futuresRecords', 'tax.p2pRecords', 'trade.orderHistory', 'p2p.orders')
