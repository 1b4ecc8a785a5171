-- Every value fits the column in which it is published, so that nothing is missing from sums. This covers values of a list or an
-- object inside a record, and values of a record on which no figure of the books depends (any other misfit quarantines its row).
-- A value that does not fit stays in the column extra of its row.
-- grain: one row per account, feed and field
with
misfits as (
  select account, feed, field, item_count as value_count, example,
    cast(page_id as varchar) || ':' || cast(page_row as varchar) as place
  from staging.item_problems
  where problem = 'value that does not fit'
  union all
  select account, feed, field, cast(sum(row_count) as bigint), min(example),
    feed || ' page ' || cast(max(page_id) as varchar)
  from landing.drift
  where problem = 'value that does not fit'
  group by account, feed, field
)
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  feed || ': ' || counted(value_count, 'value', 'values') || ' of ' || field || ' did not fit the column'
    || case when example is null then '' else ', for example ' || example end
    || '. Such values are null there, missing from sums, and kept in the column extra.' as explanation,
  cast(to_json([place]) as varchar) as evidence,
  feed || '/' || field as culprit
from misfits
