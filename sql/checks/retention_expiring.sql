-- Warns before unfetched data ages out at the venue: two weeks ahead, or a quarter of the venue's retention if that is less.
-- Anything pending, refused or missing, and anything a feed has sent since it was last asked, becomes a break. For a missing
-- credential it is a notice, because that has its own break. The time is taken from the books: the last moment up to which
-- anything of the account was requested.
-- grain: one row per account and feed
with
asked as (
  select account, ends_at from staging.covered_ranges
  union all
  select account, ends_at from landing.statements where status is not null and ends_at is not null
),
last_asked as (
  select account, max(ends_at) as asked_until from asked group by account
),
gone as (
  select distinct account, feed, partition from staging.missing_ranges where status = 'not_applicable'
),
lacking as (
  select distinct account, feed
  from staging.missing_ranges
  where status = 'failed' and code in (select code from staging.permission_codes)
),
open_ends as (
  select account, feed, partition, max(ends_at) as open_from
  from staging.covered_ranges
  group by account, feed, partition
  union all
  select account, feed, partition, starts_at
  from staging.missing_ranges
  where status in ('pending', 'failed', 'missing') and starts_at is not null
),
first_open as (
  select account, feed, partition, min(open_ends.open_from) as open_from
  from open_ends
  group by account, feed, partition
),
expiring as (
  select open.account as account, open.feed as feed, open.partition as partition, open.open_from as open_from,
    plus_minutes(open.open_from, kept.kept_minutes) as forgotten_from
  from first_open as open
  join staging.feed_retention as kept on kept.feed = open.feed
  join last_asked on last_asked.account = open.account
  where not exists (
      select 1 from gone
      where gone.account = open.account and gone.feed = open.feed
        and (gone.partition = '' or gone.partition = open.partition)
    )
    and plus_minutes(open.open_from, kept.kept_minutes - kept.warning_minutes) <= last_asked.asked_until
    and (
      open.feed in (select feed from staging.named_feeds)
      or not exists (select 1 from staging.named_feeds)
    )
),
grouped as (
  select account, feed, min(expiring.open_from) as open_from, min(expiring.forgotten_from) as forgotten_from,
    distinct_list(feed || case when partition = '' then '' else ' ' || partition end) as parts
  from expiring
  group by account, feed
)
select case when lacking.feed is null then 'warning' else 'notice' end as severity,
  grouped.account as account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  forgotten_from as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'The venue starts to drop unfetched data of ' || grouped.feed || ' on ' || cast(utc_day(forgotten_from) as varchar)
    || '; nothing since ' || cast(utc_day(open_from) as varchar) || ' has been fetched'
    || case
      when lacking.feed is null then '. Run `tieout nightly` before that day.'
      else ', because a credential is missing (see the check missing_credential).'
    end as explanation,
  cast(to_json(parts) as varchar) as evidence, grouped.feed as culprit
from grouped
left join lacking on lacking.account = grouped.account and lacking.feed = grouped.feed
