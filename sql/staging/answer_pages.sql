-- The pages of lists that are requested whole, such as open orders or positions, each with the first page of its answer. An
-- answer may have several pages, of which the first is requested without a cursor. Times of receipt are by the machine's clock,
-- times of the content by the venue's, if the two differ.
-- grain: one row per page
-- keys:  page_id unique
with
numbered as (
  select account, feed, partition, page_id, run_id, received_at, coalesce(answered_at, received_at) as told_at, row_count,
    coalesce(ends_list, true) as is_last,
    max(case when cursor is null then page_id end) over (
      partition by account, feed, partition order by page_id rows between unbounded preceding and current row
    ) as first_page
  from landing.pages
  where window_start is null
)
select account, feed, partition, page_id, run_id, received_at, told_at, row_count, is_last, first_page
from numbered
where first_page is not null
