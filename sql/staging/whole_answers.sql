-- Each complete answer of a list that is asked for whole, such as open orders or positions, by its first page: what it shows
-- is how things stood when that was received. An answer may come in several pages; one whose last page was not reached is not
-- complete. Pages from before the journal said so count as the end of their list.
-- grain: one row per account, feed, partition and first_page
with
numbered as (
  select account, feed, partition, page_id, received_at, row_count, coalesce(ends_list, true) as is_last,
    sum(case when cursor is null then 1 else 0 end) over (
      partition by account, feed, partition order by page_id rows between unbounded preceding and current row
    ) as answer
  from landing.pages
  where window_start is null
)
select account, feed, partition, min(numbered.page_id) as first_page,
  min_by(numbered.received_at, page_id) as received_at, sum(numbered.row_count) as row_count
from numbered
where answer > 0
group by account, feed, partition, answer
having max_by(is_last, page_id)
