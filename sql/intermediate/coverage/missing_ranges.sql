-- Time ranges that were wanted but not received, with the latest statement about each: anything that a later page covers, or a
-- later statement revises, is superseded. A range without any statement is missing: a run was interrupted before it reached it.
-- A statement about a whole feed or partition has no range and holds until a page of it arrives.
-- grain: one row per account, feed, partition, starts_at and status
with
-- How far back each run had come: what its pages prove, or what it stated. A window that was only requested is not enough: its
-- start is calculated by the machine's clock, and a run that was killed may not have reached its end.
runs as (
  select account, feed, partition, run_id, min(seen) as first_seen, min(seen_pages.reached_from) as reached_from
  from (
    select pages.account as account, pages.feed as feed, pages.partition as partition, pages.run_id as run_id,
      pages.page_id as seen,
      covered.starts_at as reached_from
    from landing.pages as pages
    left join landing.covered as covered
      on covered.page_id = pages.page_id and covered.account = pages.account and covered.feed = pages.feed
      and covered.partition = pages.partition
    union all
    select account, feed, partition, run_id, seq, case when status <> 'lost' then starts_at end
    from landing.statements
  ) as seen_pages
  group by account, feed, partition, run_id
),
earlier_runs as (
  select account, feed, partition, run_id,
    min(runs.reached_from) over (
      partition by account, feed, partition order by first_seen
      rows between unbounded preceding and 1 preceding
    ) as reached_from
  from runs
),
-- The last statement on each piece, if any, and whether a run found it lost before any other had reached so far back: the first
-- run, or one that resumes a first run that was stopped or killed on its way into the past.
judged as (
  select open_ranges.account as account, open_ranges.feed as feed, open_ranges.partition as partition,
    open_ranges.starts_at as starts_at,
    open_ranges.ends_at as ends_at,
    coalesce(max_by(ranged.status, ranged.seq), 'missing') as status,
    case when count(ranged.seq) = 0 then 'not stated' else max_by(ranged.code, ranged.seq) end as code,
    case
      when count(ranged.seq) = 0 then 'a run was interrupted before reaching it'
      else max_by(ranged.reason, ranged.seq)
    end as reason,
    coalesce(bool_or(ranged.named), false) as is_named,
    coalesce(
      bool_or(
        ranged.status = 'lost'
        and (earlier_runs.reached_from is null or earlier_runs.reached_from > open_ranges.starts_at)
      ),
      false
    ) as is_before_books
  from staging.open_ranges as open_ranges
  left join staging.range_statements as ranged
    on ranged.account = open_ranges.account and ranged.feed = open_ranges.feed
    and ranged.partition = open_ranges.partition
    and ranged.starts_at <= open_ranges.starts_at and ranged.ends_at >= open_ranges.ends_at
  left join earlier_runs
    on earlier_runs.account = ranged.account and earlier_runs.feed = ranged.feed
    and earlier_runs.partition = ranged.partition and earlier_runs.run_id = ranged.run_id
  group by open_ranges.account, open_ranges.feed, open_ranges.partition, open_ranges.starts_at,
    open_ranges.ends_at
),
marked as (
  select *,
    case
      when starts_at - interval 1 millisecond
          = lag(ends_at, 1, null) over (partition by account, feed, partition order by starts_at)
        and status = lag(or_null(status), 1, null) over (partition by account, feed, partition order by starts_at)
        and code = lag(or_null(code), 1, null) over (partition by account, feed, partition order by starts_at)
        and is_before_books
          = lag(or_null(is_before_books), 1, null) over (partition by account, feed, partition order by starts_at)
      then 0 else 1
    end as is_new
  from judged
),
numbered as (
  select *,
    sum(is_new) over (
      partition by account, feed, partition order by starts_at
      rows between unbounded preceding and current row
    ) as island
  from marked
),
missing as (
  select account, feed, partition, min(numbered.starts_at) as starts_at, max(numbered.ends_at) as ends_at,
    any_value(numbered.status) as status, any_value(numbered.code) as code, min(numbered.reason) as reason,
    bool_or(numbered.is_named) as is_named, any_value(numbered.is_before_books) as is_before_books
  from numbered
  group by account, feed, partition, island
),
-- The partition of a statement about a whole feed is empty; a page of any partition then supersedes it, and it supersedes
-- earlier statements about the partitions. For a list in several pages, the last page does.
unranged as (
  select *,
    row_number() over (partition by account, feed, partition order by seq desc) as newest
  from landing.statements
  where status is not null and starts_at is null
),
unanswered as (
  select account, feed, partition, starts_at, ends_at, status, code, reason, named as is_named,
    false as is_before_books
  from unranged
  where newest = 1
    and not exists (
      select 1 from landing.statements as later
      where later.status is not null and later.account = unranged.account and later.feed = unranged.feed
        and later.seq > unranged.seq and (later.partition = '' or unranged.partition = '')
    )
    and not exists (
      select 1 from landing.pages as page
      where page.account = unranged.account and page.feed = unranged.feed and page.page_id > unranged.seq
        and (page.partition = unranged.partition or unranged.partition = '')
        and coalesce(page.ends_list, true)
    )
)
select * from missing
union all
select * from unanswered
