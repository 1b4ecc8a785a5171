-- Every received type is covered by the classification. Records of other types are kept and count in the balance.
-- grain: one row per account, feed and type
with
seen as (
  select account, 'tax.records' as feed, type, coin, id, ts from main.tax_records where is_current
  union all
  select account, 'tax.futuresRecords', future_tax_type, margin_coin, id, ts
  from main.futures_records where is_current
  union all
  select account, 'tax.p2pRecords', p2p_tax_type, coin, id, ts from main.p2p_records where is_current
),
unknown as (
  select seen.account, seen.feed, seen.type, count(*) as record_count, min(coin) as first_coin,
    max(coin) as last_coin, min(ts) as occurred_at, list(id order by ts, id)[1:10] as ids
  from seen
  join staging.types as types on types.feed = seen.feed and types.type = seen.type
  where types.kind = 'unclassified'
  group by seen.account, seen.feed, seen.type
)
select 'warning' as severity, account, cast(null as varchar) as ledger,
  case when first_coin = last_coin then first_coin end as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  cast(record_count as varchar) || ' record(s) of ' || feed || ' have the type "' || type
    || '", which nobody has classified: they count in the balance where the feed tells one, and in nothing else. '
    || 'Add a row to tax_types.csv in the folder of the books.' as explanation,
  cast(to_json(ids) as varchar) as evidence,
  feed || '/' || type as culprit
from unknown
