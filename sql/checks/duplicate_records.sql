-- The venue reports each P2P deal and move once, and each funding and transfer of a futures account. The same record received
-- again under its own id is one record and no break; under another id it counts twice in the books until the venue takes
-- it back, and what else disagrees there follows from it. Elsewhere equal records are two equal fills as often as not:
-- balance_chain decides for unified accounts, futures_v3_v2, positions, order_fees, orders_vs_futures and orders_vs_tax for
-- the rest. A fill of a classic account, which has no orders, is held against its position alone, while that is open.
-- grain: one row per group of equal records
select 'warning' as severity, equal.account as account,
  case when equal.what = 'P2P' then 'P2P' else ledgers.ledger end as ledger, equal.coin as coin,
  equal.happened_at as occurred_at, equal.quantity as expected,
  exact_multiply(equal.quantity, cast(equal.record_count as decimal(38, 18))) as found,
  exact_multiply(equal.quantity, cast(equal.record_count - 1 as decimal(38, 18))) as difference,
  cast(equal.record_count as varchar) || ' ' || equal.what || ' records of type ' || equal.type
    || coalesce(' in ' || nullif(equal.symbol, ''), '') || ' are equal in all but their ids.' as explanation,
  cast(to_json(equal.ids) as varchar) as evidence, equal.first_id as culprit
from staging.equal_records as equal
left join staging.line_ledgers as ledgers
  on ledgers.account = equal.account and ledgers.feed = equal.feed and ledgers.line = equal.line
