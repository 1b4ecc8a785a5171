-- Runs that asked the venue, as the journal has them.
-- grain: one row per run
-- keys:  run_id unique
-- columns:
--   run_id: Id of the run in the journal.
--   started_at: When the run began, by what it called now (--now moves it).
--   ended_at: When the run ended, by what it called now; null for one that was killed or is under way.
--   command: Command that made it.
--   requests: Requests sent.
--   rows: Rows received.
--   retries: Requests sent again.
--   outcome: How it ended: done, part done (--accounts or --feeds named what it read), incomplete (something is left
--     for another run) or refused; null for one that was killed or is under way.
--   is_answered: Whether the venue answered a request of it that a key had signed, within two days of what it called now as it
--     began, as far as ranges were proven. Only such a run tells that nothing has happened since the last record: one that reached nobody does
--     not, and what it called now may be a clock that is wrong, which public data are answered under too.
with
-- Nothing is proven beyond the venue's own clock.
proven as (
  select pages.run_id as run_id, max(covered.ends_at) as proven_to
  from landing.pages as pages
  join landing.covered as covered on covered.page_id = pages.page_id
  group by pages.run_id
)
select runs.run_id as run_id, runs.started_at as started_at, runs.ended_at as ended_at, runs.command as command,
  runs.requests as requests, runs.row_count as rows, runs.retries as retries, runs.outcome as outcome,
  runs.run_id in (
    select run_id from landing.pages where feed not in (select feed from staging.feeds where is_public)
  ) and coalesce(proven.proven_to >= runs.started_at - interval 2 day, true) as is_answered
from landing.runs as runs
left join proven on proven.run_id = runs.run_id
