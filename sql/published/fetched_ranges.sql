-- What each run received of each feed in full: how far its proven ranges reach, from how many pages. A range that several runs
-- asked for stands in each of them.
-- grain: one row per account, feed, partition and run
-- keys:  account, feed, partition, run_id unique
-- columns:
--   account: Account.
--   feed: Feed.
--   partition: Part of the feed that is asked for apart, such as a product line; empty where there is none.
--   run_id: Run that received it; of `runs`.
--   starts_at: Beginning of its first range.
--   ends_at: End of its last range, included; what lies between may have holes, which `coverage` has.
--   pages: Pages that prove a range.
--   rows: Rows on these pages.
select covered.account as account, covered.feed as feed, covered.partition as partition, pages.run_id as run_id,
  min(covered.starts_at) as starts_at,
  max(covered.ends_at) as ends_at, count(distinct covered.page_id) as pages,
  cast(sum(covered.row_count) as bigint) as rows
from landing.covered as covered
join landing.pages as pages on pages.page_id = covered.page_id
group by covered.account, covered.feed, covered.partition, pages.run_id
