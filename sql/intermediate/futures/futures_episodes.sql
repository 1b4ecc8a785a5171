-- Futures positions from flat to flat, by filled orders (staging.futures_runs), measured from the level at which the contract is
-- flat. In one-way mode one order may reverse a position without being flat in between: both sides are one position here
-- (staging.futures_stretches separates them).
-- slices: begins_at
-- from day: staging.futures_runs
-- carries: staging.futures_episodes_before at number per account, line, symbol, position_side
-- lasting: ends_at
-- grain: one row per account, line, symbol, position_side and number
with
following as (
  select runs.account as account, runs.line as line, runs.symbol as symbol, runs.position_side as position_side,
    runs.created_time as created_time, runs.filled_at as filled_at, runs.change as change, runs.nth as nth,
    runs.held - coalesce(levels.level, 0) as held,
    case when runs.held = coalesce(levels.level, 0) then 1 else 0 end as is_end,
    levels.account is not null as may_be_brought,
    coalesce(earlier.number, 0) as number_before, earlier.ends_at as ended_before
  from staging.futures_runs as runs
  left join staging.futures_levels as levels
    on levels.account = runs.account and levels.line = runs.line and levels.symbol = runs.symbol
    and levels.position_side = runs.position_side
  left join staging.futures_episodes_before as earlier
    on earlier.account = runs.account and earlier.line = runs.line and earlier.symbol = runs.symbol
    and earlier.position_side = runs.position_side
  where earlier.account is null or runs.nth > earlier.last_nth
),
numbered as (
  select *,
    number_before + 1 + sum(is_end) over (
      partition by account, line, symbol, position_side order by nth rows between unbounded preceding and current row
    ) - is_end as number
  from following
),
episodes as (
  select account, line, symbol, position_side, number, min(created_time) as first_created_at,
    min(filled_at) as first_filled_at, min_by(change, nth) as first_change,
    min_by(held - change, nth) as held_before,
    case when max(is_end) = 1 then max(filled_at) end as ends_at,
    case when max(is_end) = 1 then max(nth) end as last_nth, min(nth) as first_nth,
    bool_or(may_be_brought) as is_brought_along, max(ended_before) as earlier_end
  from numbered
  group by account, line, symbol, position_side, number
),
ordered as (
  select *,
    coalesce(
      lag(ends_at, 1, null) over (partition by account, line, symbol, position_side order by number), earlier_end
    ) as previous_end
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
  first_filled_at, ends_at, first_nth, last_nth
from ordered
