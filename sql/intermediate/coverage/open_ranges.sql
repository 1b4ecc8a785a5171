-- Time that was wanted and that no page covers, cut wherever anything known about it changes.
-- grain: one row per account, feed, partition and starts_at
with
-- From the first instant ever requested to the last for which anything is known. A requested window shows how far back, not how
-- far forward: its end may be later than the venue's clock. Its end is used only if nothing else is known.
known as (
  select account, feed, partition, starts_at, ends_at from staging.range_statements
  union all
  select account, feed, partition, starts_at, ends_at from staging.covered_ranges
  union all
  select account, feed, partition, window_start, window_end from landing.progress
),
asked as (
  select account, feed, partition, min(window_start) as starts_at, max(window_end) as ends_at
  from landing.pages
  where window_start is not null
  group by account, feed, partition
),
wanted as (
  select account, feed, partition, min(ranges.starts_at) as starts_at, max(ranges.ends_at) as ends_at
  from (
    select * from known
    union all
    select account, feed, partition, starts_at,
      case
        when exists (
          select 1 from known
          where known.account = asked.account and known.feed = asked.feed and known.partition = asked.partition
        ) then starts_at
        else ends_at
      end
    from asked
  ) as ranges
  group by account, feed, partition
),
-- The ends of statements and covered ranges cut the time line; between two cuts nothing changes.
ends as (
  select account, feed, partition, starts_at, ends_at from staging.range_statements
  union all
  select account, feed, partition, starts_at, ends_at from staging.covered_ranges
  union all
  select account, feed, partition, starts_at, ends_at from wanted
),
cuts as (
  select account, feed, partition, starts_at as cut_at from ends
  union
  select account, feed, partition, ends_at + interval 1 millisecond from ends
),
pieces as (
  select account, feed, partition, cut_at as starts_at,
    lead(cut_at, 1, null) over (partition by account, feed, partition order by cut_at)
      - interval 1 millisecond as ends_at
  from cuts
)
select account, feed, partition, starts_at, ends_at
from pieces
where ends_at is not null
  and not exists (
    select 1 from staging.covered_ranges as covered
    where covered.account = pieces.account and covered.feed = pieces.feed
      and covered.partition = pieces.partition
      and covered.starts_at <= pieces.starts_at and covered.ends_at >= pieces.ends_at
  )
