-- Time ranges for which every record has been received: the proofs of the pages merged into maximal intervals.
-- Times are whole milliseconds and both ends belong to the range, so ranges one millisecond apart touch.
-- grain: one row per account, feed, partition and starts_at
with
proven as (
  select account, feed, partition, starts_at, ends_at, page_id, row_count from landing.covered
),
marked as (
  select *,
    case
      when starts_at <= max(ends_at) over (
        partition by account, feed, partition order by starts_at, ends_at, page_id
        rows between unbounded preceding and 1 preceding
      ) + interval 1 millisecond then 0
      else 1
    end as is_new
  from proven
),
numbered as (
  select *,
    sum(is_new) over (
      partition by account, feed, partition order by starts_at, ends_at, page_id
      rows between unbounded preceding and current row
    ) as island
  from marked
),
ranges as (
  select account, feed, partition, min(numbered.starts_at) as starts_at, max(numbered.ends_at) as ends_at,
    sum(row_count) > 0 as is_proven_by_rows
  from numbered
  group by account, feed, partition, island
)
-- A window that is proven only as a whole is proven by its last page, which may be empty; rows of its earlier pages count too.
select account, feed, partition, starts_at, ends_at,
  is_proven_by_rows or exists (
    select 1 from landing.pages as page
    where page.account = ranges.account and page.feed = ranges.feed and page.partition = ranges.partition
      and page.row_count > 0 and page.window_start <= ranges.ends_at and page.window_end >= ranges.starts_at
  ) as has_rows
from ranges
