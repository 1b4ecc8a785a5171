-- The last filled order of each contract and side (staging.futures_runs) before the days that are rebuilt. A full build rebuilds
-- all days, so that it has none.
-- grain: one row per account, line, symbol and position_side
select account, line, symbol, position_side, filled_at, cast(0 as bigint) as nth, change as held
from staging.futures_fills
where false
