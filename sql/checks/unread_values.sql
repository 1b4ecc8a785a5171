-- Every value of a list or an object inside a record fits the column that it is published in, so that nothing is missing
-- from what is summed. What does not fit stays in the column extra of its row.
-- grain: one row per account, feed and field
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  feed || ': ' || counted(item_count, 'value', 'values') || ' of ' || field || ' did not fit the column'
    || case when example is null then '' else ', for example ' || example end
    || '. What did not fit is null there, missing from sums, and kept in the column extra.' as explanation,
  cast(to_json([cast(page_id as varchar) || ':' || cast(page_row as varchar)]) as varchar) as evidence,
  feed || '/' || field as culprit
from staging.item_problems
where problem = 'value that does not fit'
