-- Each complete answer of a list that is asked for whole, such as open orders or positions, by its first page: what it shows
-- is how things stood when that was received. An answer may come in several pages; one whose last page was not reached is not
-- complete. Pages from before the journal said so count as the end of their list.
-- grain: one row per account, feed, partition and first_page
with
answers as (
  select account, feed, partition, page_id as first_page, received_at,
    lead(page_id, 1, null) over (partition by account, feed, partition order by page_id) as next_first
  from landing.pages
  where window_start is null and cursor is null
)
select answers.account as account, answers.feed as feed, answers.partition as partition,
  answers.first_page as first_page, answers.received_at as received_at, sum(pages.row_count) as row_count
from answers
join landing.pages as pages
  on pages.account = answers.account and pages.feed = answers.feed and pages.partition = answers.partition
  and pages.page_id >= answers.first_page and pages.page_id < coalesce(answers.next_first, pages.page_id + 1)
group by answers.account, answers.feed, answers.partition, answers.first_page, answers.received_at
having max_by(coalesce(pages.ends_list, true), pages.page_id)
