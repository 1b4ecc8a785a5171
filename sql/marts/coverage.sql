-- What has been received of each feed, and what has not and why: maximal intervals, both ends inclusive.
-- grain: one row per account, feed, partition, starts_at and status
-- keys:  account, feed, partition, starts_at, status
-- columns:
--   account: Account that was asked.
--   feed: Endpoint that was asked.
--   partition: Part of the feed; empty if the feed has no parts or the whole feed is meant.
--   starts_at: First moment of the interval; null if the whole feed or partition is meant.
--   ends_at: Last moment of the interval; null if the whole feed or partition is meant.
--   status: complete (unreadable rows are in the table quarantine), empty (complete, without any records), lost,
--     failed, pending, unproven (read as far as the venue allows, without proof that nothing is missing), missing
--     (wanted but not received, with no reason recorded) or not_applicable.
--   code: Why it was not received, as the venue's code or one of tieout's; null if it was received.
--   reason: The same in words; null if it was received.
--   is_named: Whether the configuration names the feed, so that its absence is a warning.
--   is_before_books: Whether it was already beyond the venue's retention when this feed was first asked.
with
ranges as (
  select account, feed, partition, starts_at, ends_at,
    case when has_rows then 'complete' else 'empty' end as status
  from staging.covered_ranges
),
-- Feeds that are asked without a range report the state at the time they were read to their end.
list_answers as (
  select answers.account as account, answers.feed as feed, answers.partition as partition,
    answers.first_page as first_page, answers.told_at as told_at, answers.row_count as row_count,
    kept.kept_minutes as kept_minutes,
    case when feeds.is_public then '' else answers.account end as asker
  from staging.whole_answers as answers
  left join staging.feed_retention as kept on kept.feed = answers.feed
  left join staging.feeds as feeds on feeds.feed = answers.feed
  where answers.is_proven and not exists (
    select 1 from landing.covered as covered
    where covered.account = answers.account and covered.feed = answers.feed
  )
),
-- When such a feed was read before. A public feed read by any account has been read for all.
after_others as (
  select *,
    lag(or_null(told_at), 1, null) over (
      partition by account, feed, partition order by told_at, first_page
    ) as own_before,
    lag(or_null(told_at), 1, null) over (
      partition by asker, feed, partition order by told_at, first_page
    ) as before_it
  from list_answers
),
sittings as (
  select *,
    sum(case when plus_minutes(own_before, kept_minutes) < told_at then 1 else 0 end) over (
      partition by account, feed, partition order by told_at, first_page
      rows between unbounded preceding and current row
    ) as sitting
  from after_others
),
readings as (
  select account, feed, partition, min(told_at) as starts_at, max(told_at) as ends_at,
    case when sum(row_count) > 0 then 'complete' else 'empty' end as status
  from sittings
  group by account, feed, partition, sitting
),
-- What was added after one reading and had been dropped by the venue by the next.
forgotten as (
  select account, feed, partition, before_it + interval 1 millisecond as starts_at,
    plus_minutes(told_at, -kept_minutes) - interval 1 millisecond as ends_at
  from after_others
  where plus_minutes(before_it, kept_minutes) < told_at
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
  select account, feed, partition, starts_at, ends_at, 'lost', 'retention', 'older than the venue remembers', false, false
  from forgotten
  union all
  select account, feed, partition, starts_at, ends_at, status, code, reason, is_named, is_before_books
  from staging.missing_ranges
)
select * from final
