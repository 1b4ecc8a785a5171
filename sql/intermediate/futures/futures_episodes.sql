-- Futures positions from flat to flat, by filled orders (staging.futures_runs). In one-way mode one order may reverse a position
-- without being flat in between: both sides are one position here (staging.futures_stretches separates them).
-- grain: one row per account, line, symbol, position_side and number
with
episodes as (
  select account, line, symbol, position_side, number, min(created_time) as first_created_at,
    min(filled_at) as first_filled_at, min_by(change, nth) as first_change,
    min_by(held - change, nth) as held_before,
    case when max(is_end) = 1 then max(filled_at) end as ends_at, max(may_be_brought) = 1 as is_brought_along
  from staging.futures_runs
  group by account, line, symbol, position_side, number
),
following as (
  select *,
    lag(ends_at, 1, null) over (partition by account, line, symbol, position_side order by number) as previous_end
  from episodes
)
select account, line, symbol, position_side, number, is_brought_along,
  -- What was carried in was held before the first order, which may close it.
  case
    when position_side <> 'net' then position_side
    when held_before > 0 or (held_before = 0 and first_change > 0) then 'long'
    else 'short'
  end as hold_side,
  first_created_at,
  greatest(first_created_at, coalesce(previous_end + interval 1 millisecond, first_created_at)) as begins_at,
  first_filled_at, ends_at
from following
