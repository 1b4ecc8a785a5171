-- Runs to which the venue answered. Only they tell that nothing has happened since the last record: a run that reached nobody
-- does not, and what it called now may be what a clock that is wrong said.
-- grain: one row per run_id
select run_id, started_at, ended_at
from landing.runs
where run_id in (select run_id from landing.pages)
