-- Each answer of a list that is requested whole, such as open orders or positions, that was read to its last page, by its first
-- page: it shows the state at its time. Pages from before the journal recorded this are taken as the end of their list. For an
-- answer that broke off at a full page with no next page named, it is unknown whether more was to follow.
-- grain: one row per account, feed, partition and first_page
with
answers as (
  select account, feed, partition, first_page, min(pages.run_id) as run_id, min_by(pages.received_at, page_id) as received_at,
    min_by(pages.told_at, page_id) as told_at, sum(pages.row_count) as row_count
  from staging.answer_pages as pages
  group by account, feed, partition, first_page
  having max_by(is_last, page_id)
),
broken_off as (
  select distinct run_id, account, feed, partition
  from landing.statements
  where status = 'unproven' and starts_at is null
)
select answers.account as account, answers.feed as feed, answers.partition as partition,
  answers.first_page as first_page, answers.received_at as received_at, answers.told_at as told_at,
  answers.row_count as row_count,
  broken_off.run_id is null as is_proven
from answers
left join broken_off
  on broken_off.run_id = answers.run_id and broken_off.account = answers.account and broken_off.feed = answers.feed
  and broken_off.partition = answers.partition
