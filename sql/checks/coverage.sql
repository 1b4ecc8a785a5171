-- Everything that was wanted has been received. Pending ranges are one break of the account, because one more run cures it.
-- So are missing ranges, for which no reason was recorded: a run was interrupted. Failed ranges are one break for each code of
-- the venue; lost or unproven ranges are one for each feed. History that was beyond the venue's retention before the books
-- began is a notice, and so is market data that was lost or is unproven. A feed that does not apply to an account matters only
-- if it was requested by name.
-- A run that was killed may have left no record at all of feeds that it had not reached. That is one break of the books, unless
-- ranges are seen to be missing. It ends when the run's accounts have been read by a run that ended and was not limited to
-- named feeds, or was limited to the same ones.
-- grain: one row per account and cause
with
missing as (
  select account, feed, partition, starts_at, ends_at, status, code, reason, is_before_books,
    coverage.is_named or feed in (select feed from staging.named_feeds) as is_named
  from main.coverage
  where status in ('lost', 'failed', 'pending', 'unproven', 'missing', 'not_applicable')
),
-- A feed that stops at one partition records the others as not asked; they have the cause of the first.
causes as (
  select account, feed, max(code) as first_code
  from missing
  where status = 'failed' and code <> 'not asked'
  group by account, feed
),
-- A part of a feed that does not apply is no break if another part does: what was named is the feed.
partly as (
  select distinct had.account, had.feed
  from main.coverage as had
  where had.status in ('complete', 'empty')
    and not exists (
      select 1 from missing
      where missing.status = 'not_applicable' and missing.account = had.account and missing.feed = had.feed
        and (missing.partition = '' or missing.partition = had.partition)
    )
),
judged as (
  select missing.account as account, missing.feed as feed, missing.partition as partition,
    missing.starts_at as starts_at, missing.ends_at as ends_at,
    missing.status as status, missing.reason as reason,
    coalesce(case when missing.code = 'not asked' then causes.first_code end, missing.code) as cause_code,
    case
      when missing.status = 'lost' and is_before_books then 'notice'
      when missing.status in ('lost', 'unproven') and feeds.is_public then 'notice'
      else 'warning'
    end as severity,
    coalesce(feeds.is_public, false) as is_of_market
  from missing
  left join causes on causes.account = missing.account and causes.feed = missing.feed
  left join partly on partly.account = missing.account and partly.feed = missing.feed
  left join staging.feeds as feeds on feeds.feed = missing.feed
  cross join staging.settings as settings
  where (missing.status <> 'not_applicable' or (is_named and partly.feed is null))
    and (missing.ends_at is null or settings.wanted_since is null or missing.ends_at >= settings.wanted_since)
),
keyed as (
  select *,
    case
      when status in ('pending', 'missing') then ''
      when status = 'failed' then cause_code
      else feed
    end as cause
  from judged
  where status <> 'failed' or cause_code not in (select code from staging.permission_codes)
),
grouped as (
  select account, status, severity, cause, count(*) as range_count, min(starts_at) as first_at,
    max(ends_at) as last_at, joined_distinct(feed, ', ') as feeds, min(cause_code) as code,
    min(reason) as one_reason, bool_or(is_of_market) as is_market,
    distinct_list(feed || case when partition = '' then '' else ' ' || partition end) as parts
  from keyed
  group by account, status, severity, cause
),
-- Which run reached which account, by the frames that state what the account is; an account that the configuration no longer
-- names is not read any more. Every run also reached the account without a name: it may have been killed before any other.
frames as (
  select seq as page_id, seq as run_seq, '' as account from landing.runs
  union all
  select page_id, cast(null as bigint), account
  from landing.accounts
  where account in (select account from staging.account_choices)
    or not exists (select 1 from staging.account_choices)
),
meetings as (
  select account,
    max(run_seq) over (order by page_id rows between unbounded preceding and current row) as seq
  from frames
),
-- The last run that was killed and the last run that ended, among runs of the same feeds.
last_met as (
  select meetings.account as account, coalesce(runs.feeds, '') as feeds,
    max(case when runs.outcome is null then runs.seq end) as killed_seq,
    max(case when runs.outcome is not null then runs.seq end) as ended_seq
  from meetings
  join landing.runs as runs on runs.seq = meetings.seq
  group by meetings.account, coalesce(runs.feeds, '')
),
interrupted as (
  select run_id as last_run, started_at as began_at, coalesce(feeds, '') as last_feeds,
    row_number() over (order by seq desc) as choice
  from landing.runs
  where seq in (
    select killed.killed_seq as killed_seq
    from last_met as killed
    left join last_met as whole on whole.account = killed.account and whole.feeds = ''
    where killed.killed_seq > coalesce(killed.ended_seq, 0) and killed.killed_seq > coalesce(whole.ended_seq, 0)
  )
)
select severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin, first_at as occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  feeds || ': ' || counted(range_count, 'range ', 'ranges ')
    || case status
      when 'lost' then 'lost'
      when 'failed' then 'refused'
      when 'pending' then 'not fetched yet'
      when 'unproven' then 'read, but not proven complete'
      when 'missing' then 'missing'
      else 'not applicable to this account, though the configuration names the feed'
    end
    || case
      when first_at is null then ''
      else ', ' || cast(utc_day(first_at) as varchar) || ' to '
        || cast(utc_day(last_at) as varchar)
    end
    || ' (' || coalesce(code, '') || ': ' || coalesce(one_reason, '') || ').'
    || case
      when status in ('pending', 'missing') then ' Run again.'
      when is_market and status in ('lost', 'unproven') then ' It is market data; nothing in the books depends on it.'
      when severity = 'notice' then ' The venue no longer had this when the books began.'
      else ''
    end as explanation,
  cast(to_json(first_of(parts, 10)) as varchar) as evidence,
  status || '/' || severity || '/' || cause as culprit
from grouped
union all
select 'warning', cast(null as varchar), cast(null as varchar), cast(null as varchar), began_at,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), cast(null as decimal(38, 18)),
  'The run of ' || cast(utc_day(began_at) as varchar)
    || ' was interrupted; what is missing from feeds that it had not reached is not recorded. Run again'
    || case when last_feeds = '' then '.' else ' without --feeds, or with the same ones: --feeds ' || replace(last_feeds, ', ', ',') || '.' end,
  cast(to_json([last_run]) as varchar), 'missing/warning/interrupted'
from interrupted
where choice = 1 and not exists (select 1 from grouped where status = 'missing')
