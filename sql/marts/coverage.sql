-- What of each feed has been received, and what not and why: maximal intervals, both ends included.
-- grain: one row per account, feed, partition, starts_at and status
-- keys:  account, feed, partition, starts_at, status
-- columns:
--   account: Account that was asked.
--   feed: Endpoint that was asked.
--   partition: Part of the feed; empty where it has no parts or the whole feed is meant.
--   starts_at: First moment of the interval; null where the whole feed or partition is meant.
--   ends_at: Last moment of the interval; null where the whole feed or partition is meant.
--   status: complete (rows that could not be read are in the table quarantine), empty (complete without a record), lost,
--     failed, pending, unproven (read as far as the venue lets it be read, without a proof that nothing is missing), missing
--     (wanted, and nobody has said why it is not there) or not_applicable.
--   code: Why it was not had, as the venue's code or a word of ours; null where it was had.
--   reason: The same in words; null where it was had.
--   is_named: Whether the configuration names the feed, so that its absence is a warning.
--   is_before_books: Whether it was already beyond the venue's memory when this feed was first asked.
with
ranges as (
  select account, feed, partition, starts_at, ends_at,
    case when has_rows then 'complete' else 'empty' end as status
  from staging.covered_ranges
),
-- Feeds that are asked without a range report how things stood whenever they were read.
readings as (
  select account, feed, partition, min(received_at) as starts_at, max(received_at) as ends_at,
    case when sum(row_count) > 0 then 'complete' else 'empty' end as status
  from landing.pages as page
  where window_start is null
    and not exists (
      select 1 from landing.covered as covered
      where covered.account = page.account and covered.feed = page.feed
    )
  group by account, feed, partition
),
had as (
  select * from ranges
  union all
  select * from readings
),
final as (
  select account, feed, partition, starts_at, ends_at, status,
    cast(null as varchar) as code, cast(null as varchar) as reason,
    false as is_named, false as is_before_books
  from had
  union all
  select account, feed, partition, starts_at, ends_at, status, code, reason, is_named, is_before_books
  from staging.missing_ranges
)
select * from final
