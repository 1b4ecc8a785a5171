-- Every received type is covered by the classification. Records of other types are kept and included in the balance.
-- grain: one row per account, feed and type
with
unknown as (
  select account, feed, type, count(*) as record_count, min(coin) as first_coin,
    max(coin) as last_coin, min(occurred_at) as first_at,
    first_of(ordered_list(source_id, (occurred_at, source_id)), 10) as ids
  from staging.unclassified_records
  group by account, feed, type
)
select 'warning' as severity, account, cast(null as varchar) as ledger,
  case when first_coin = last_coin then first_coin end as coin, first_at as occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  counted(record_count, 'record of ' || feed || ' has', 'records of ' || feed || ' have') || ' the type "' || type
    || '", which is not classified. It is included in the balance if the feed has one; coins that it brings have no known cost, '
    || 'and coins that it takes have no known gain. Add a row to tax_types.csv in the folder of the books.' as explanation,
  cast(to_json(ids) as varchar) as evidence,
  feed || '/' || type as culprit
from unknown
