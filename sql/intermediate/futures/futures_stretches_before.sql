-- The last stretch of each contract and side (staging.futures_stretches) that ended before the days that are rebuilt. A full
-- build rebuilds all days, so that it has none.
-- grain: one row per account, line, symbol and position_side
select account, line, symbol, position_side, last_nth
from staging.futures_episodes
where false
