-- The venue's answers have the form that the interface document gives them.
-- grain: one row per account, feed, field and problem
with
found as (
  select account, feed, field, problem, example from landing.drift
  union all
  select account, feed, field, problem, example from staging.item_problems where problem <> 'value that does not fit'
),
grouped as (
  select account, feed, field, problem, min(found.example) as example
  from found
  group by account, feed, field, problem
)
select 'notice' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  feed || ': ' || problem || ' in ' || coalesce(field, 'the answer')
    || case when example is null then '' else ', for example ' || example end || '. All of it is kept.' as explanation,
  cast(to_json([feed || '.' || coalesce(field, '')]) as varchar) as evidence,
  feed || '/' || coalesce(field, '') || '/' || problem as culprit
from grouped
