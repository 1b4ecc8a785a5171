-- The last position of each contract and side (staging.futures_position_sums) that ended before the days that are rebuilt. A full
-- build rebuilds all days, so that it has none.
-- grain: one row per account, line, symbol and position_side
select account, line, symbol, position_side, number
from staging.futures_position_moves
where false
