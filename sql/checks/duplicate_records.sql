-- The venue tells each P2P deal and move once. The same record received again under its own id is one record and no break;
-- under another id it counts twice in the books until the venue takes it back, and what else disagrees there follows
-- from it. In the other feeds equal records are two equal fills as often as not: balance_chain decides for unified
-- accounts, futures_v3_v2, positions and orders_vs_tax for the rest.
-- grain: one row per group of equal records
select 'warning' as severity, account, 'P2P' as ledger, coin, happened_at as occurred_at, quantity as expected,
  exact_multiply(quantity, cast(record_count as decimal(38, 18))) as found,
  exact_multiply(quantity, cast(record_count - 1 as decimal(38, 18))) as difference,
  cast(record_count as varchar) || ' P2P records of type ' || type || ' are equal in all but their ids.' as explanation,
  cast(to_json(ids) as varchar) as evidence, first_id as culprit
from staging.equal_p2p_records
