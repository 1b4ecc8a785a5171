-- Runs that sent requests to the venue, as recorded in the journal.
-- grain: one row per run
-- keys:  run_id unique
-- columns:
--   run_id: Id of the run in the journal.
--   started_at: When the run began, by its own idea of now (--now shifts it).
--   ended_at: When the run ended, by its own idea of now; null if it was killed or is in progress.
--   command: Command that was run.
--   requests: Requests sent.
--   rows: Rows received.
--   retries: Requests that were retries.
--   outcome: How it ended: done, part done (--accounts or --feeds limited what it read), incomplete (something is left
--     for another run) or refused; null if it was killed or is in progress.
--   is_answered: Whether the venue answered at least one signed request of the run, and the ranges it proved, if any, reach to
--     within two days of its own idea of now when it began. Only such a run shows that nothing has happened since the last
--     record. A run that reached no one does not; and its now may come from a wrong clock, with which public requests
--     would still be answered.
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
