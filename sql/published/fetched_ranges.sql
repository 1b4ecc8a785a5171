-- The ranges of each feed that each run received in full: how far they reach and how many pages prove them. A range that
-- several runs requested is listed under each of them.
-- grain: one row per account, feed, partition and run
-- keys:  account, feed, partition, run_id unique
-- columns:
--   account: Account.
--   feed: Feed.
--   partition: Part of the feed that is requested separately, such as a product line; empty if the feed has no parts.
--   run_id: Run that received it, as in `runs`.
--   starts_at: Start of its first range.
--   ends_at: End of its last range, inclusive. There may be gaps in between; `coverage` lists them.
--   pages: Pages that prove these ranges. Where only the end of a window proves it, as with orders, that is its last page.
--   rows: Rows on these pages, which may be fewer than the run received; an empty last page has none.
select covered.account as account, covered.feed as feed, covered.partition as partition, pages.run_id as run_id,
  min(covered.starts_at) as starts_at,
  max(covered.ends_at) as ends_at, count(distinct covered.page_id) as pages,
  cast(sum(covered.row_count) as bigint) as rows
from landing.covered as covered
join landing.pages as pages on pages.page_id = covered.page_id
group by covered.account, covered.feed, covered.partition, pages.run_id
