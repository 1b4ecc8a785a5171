-- Every landed row names a page of the journal.
-- grain: one row per feed and account with rows that do not
with
orphans as (
  select rows.feed as feed, rows.account as account, sum(rows.row_count) as row_count,
    first_of(ordered_list(cast(rows.page_id as varchar), rows.page_id), 10) as pages
  from staging.record_pages as rows
  left join landing.pages as pages on pages.page_id = rows.page_id
  where pages.page_id is null
  group by rows.feed, rows.account
)
select 'error' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  counted(row_count, 'landed row of ' || feed || ' names', 'landed rows of ' || feed || ' name')
    || ' a page that has not landed. '
    || 'Run `tieout rebuild`.' as explanation,
  cast(to_json(pages) as varchar) as evidence, feed as culprit
from orphans
