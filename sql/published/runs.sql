-- Runs that asked the venue, as the journal tells of them.
-- grain: one row per run
-- keys:  run_id unique
-- columns:
--   run_id: Id of the run in the journal.
--   started_at: When the run began.
--   ended_at: When the run ended; null for one that was killed or is under way.
--   command: Command that made it.
--   requests: Requests sent.
--   rows: Rows received.
--   retries: Requests sent again.
--   outcome: How it ended; null for one that was killed or is under way.
select run_id, started_at, ended_at, command, requests, row_count as rows, retries, outcome
from landing.runs
