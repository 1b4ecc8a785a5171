-- Every P2P type tells whether coins came or went. What is classified without a direction makes no entry.
-- (A type that nobody has classified is the matter of unknown_type.)
-- grain: one row per account and type
with
aside as (
  select records.account, records.p2p_tax_type, count(*) as record_count, min(ts) as occurred_at,
    list(id order by ts, id)[1:10] as ids
  from main.p2p_records as records
  join staging.types as types
    on types.feed = 'tax.p2pRecords' and types.type = records.p2p_tax_type
  where is_current and types.kind <> 'unclassified' and types.direction not in ('in', 'out')
  group by records.account, records.p2p_tax_type
)
select 'warning' as severity, account, 'P2P' as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  cast(record_count as varchar) || ' P2P record(s) of type ' || p2p_tax_type
    || ' tell no direction and are kept aside. Give the type a direction in tax_types.csv.' as explanation,
  cast(to_json(ids) as varchar) as evidence, p2p_tax_type as culprit
from aside
