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
--   is_answered: Whether the venue answered a request of it that a key had signed. Only such a run tells that nothing has
--     happened since the last record: one that reached nobody does not, and what it called now may be a clock that is wrong,
--     which public data are answered under too.
select run_id, started_at, ended_at, command, requests, row_count as rows, retries, outcome,
  run_id in (
    select run_id from landing.pages where feed not in (select feed from staging.feeds where is_public)
  ) as is_answered
from landing.runs
