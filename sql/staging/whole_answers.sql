-- Each complete answer of a list that is asked for whole, such as open orders or positions, by its first page: what it shows
-- is how things stood when that was received. One whose last page was not reached is not complete. Pages from before the
-- journal said so count as the end of their list.
-- grain: one row per account, feed, partition and first_page
select account, feed, partition, first_page, min_by(pages.received_at, page_id) as received_at,
  sum(pages.row_count) as row_count
from staging.answer_pages as pages
group by account, feed, partition, first_page
having max_by(is_last, page_id)
