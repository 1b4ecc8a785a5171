-- The last position of each contract and side (staging.futures_episodes) that ended before the days that are rebuilt. A full
-- build rebuilds all days, so that it has none.
-- grain: one row per account, line, symbol and position_side
select account, line, symbol, position_side, cast(0 as bigint) as number, filled_at as ends_at, nth as last_nth
from staging.futures_runs
where false
