-- What runs stated about ranges of time: not fetched yet, refused, lost or not proven complete.
-- If a feed, or a part of it, turns out not to apply and never returned anything, nothing was missing: whatever earlier runs left
-- undone is dropped. A feed that did return something keeps its gaps.
-- A refusal in the venue's own words has no status; tieout's statement is recorded beside it.
-- grain: one row per statement
-- keys:  seq unique
with
never_applied as (
  select account, feed, partition, max(seq) as said_at
  from landing.statements as statements
  where status = 'not_applicable' and starts_at is null
    and not exists (
      select 1 from landing.pages as page
      where page.account = statements.account and page.feed = statements.feed
        and (page.partition = statements.partition or statements.partition = '')
    )
  group by account, feed, partition
)
select seq, run_id, account, feed, partition, starts_at, ends_at, status, code, reason, named
from landing.statements as statements
where statements.status is not null and statements.starts_at is not null
  and not exists (
    select 1 from never_applied as never
    where never.account = statements.account and never.feed = statements.feed
      and (never.partition = statements.partition or never.partition = '')
      and never.said_at > statements.seq
  )
