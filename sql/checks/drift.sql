-- The venue's answers have the form given in the interface document.
-- grain: one row per account, feed, field and problem
with
found as (
  select account, feed, field, problem, example from landing.drift where problem <> 'value that does not fit'
  union all
  select account, feed, field, problem, example from staging.item_problems where problem <> 'value that does not fit'
),
grouped as (
  select account, feed, field, problem, min(found.example) as example
  from found
  group by account, feed, field, problem
),
unread as (select account, feed, count(*) as row_count from main.quarantine group by account, feed)
select 'notice' as severity, grouped.account as account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  grouped.feed || ': ' || problem || ' in ' || coalesce(field, 'the answer')
    || case when example is null then '' else ', for example ' || example end
    || case when unread.account is null then '. Everything is kept.'
      else '. Rows of this feed that could not be read are in the table quarantine; everything else is kept.' end as explanation,
  cast(to_json([grouped.feed || '.' || coalesce(field, '')]) as varchar) as evidence,
  grouped.feed || '/' || coalesce(field, '') || '/' || problem as culprit
from grouped
left join unread on unread.account = grouped.account and unread.feed = grouped.feed
