-- Futures positions (staging.futures_episodes) divided by side: in one-way mode an order that does more than close what is held
-- reverses it, ending one stretch and beginning the next. This is certain only if no other order of the contract was active in
-- its time; otherwise the position stays one. The orders show how much of such an order closed and how much opened; no record
-- does: its results are of what it closed, but its fees are of both.
-- slices: begins_at
-- from day: staging.futures_runs, staging.futures_episodes, main.entries
-- carries: staging.futures_stretches_before at last_nth per account, line, symbol, position_side
-- lasting: ends_at
-- grain: one row per account, line, symbol, position_side, number and stretch
with
levelled as (
  select runs.account as account, runs.line as line, runs.symbol as symbol, runs.position_side as position_side,
    runs.nth as nth, runs.created_time as created_time, runs.filled_at as filled_at, runs.change as change,
    runs.held - coalesce(levels.level, 0) as held,
    lag(or_null(runs.filled_at), 1, null) over in_order as previous_at,
    min(or_null(runs.created_time)) over (
      partition by runs.account, runs.line, runs.symbol, runs.position_side order by runs.nth desc
      rows between unbounded preceding and 1 preceding
    ) as next_at
  from staging.futures_runs as runs
  left join staging.futures_levels as levels
    on levels.account = runs.account and levels.line = runs.line and levels.symbol = runs.symbol
    and levels.position_side = runs.position_side
  left join staging.futures_stretches_before as earlier
    on earlier.account = runs.account and earlier.line = runs.line and earlier.symbol = runs.symbol
    and earlier.position_side = runs.position_side
  where runs.position_side = 'net' and (earlier.account is null or runs.nth > earlier.last_nth)
  window in_order as (partition by runs.account, runs.line, runs.symbol, runs.position_side order by runs.nth)
),
turning as (
  select * from levelled
  where previous_at < created_time and ((held > 0 and held - change < 0) or (held < 0 and held - change > 0))
    and (next_at is null or next_at > filled_at)
),
remaining as (
  select episodes.account as account, episodes.line as line, episodes.symbol as symbol,
    episodes.position_side as position_side, episodes.number as number, episodes.hold_side as hold_side,
    episodes.begins_at as begins_at, episodes.first_filled_at as first_filled_at, episodes.ends_at as ends_at,
    episodes.first_nth as first_nth, episodes.last_nth as last_nth
  from staging.futures_episodes as episodes
  left join staging.futures_stretches_before as earlier
    on earlier.account = episodes.account and earlier.line = episodes.line and earlier.symbol = episodes.symbol
    and earlier.position_side = episodes.position_side
  where earlier.account is null or episodes.first_nth > earlier.last_nth
),
turns as (
  select turning.account as account, turning.line as line, turning.symbol as symbol,
    turning.position_side as position_side, episodes.number as number, turning.held as held,
    turning.created_time as created_time, turning.filled_at as filled_at
  from turning
  asof join remaining as episodes
    on episodes.account = turning.account and episodes.line = turning.line
    and episodes.symbol = turning.symbol and episodes.position_side = turning.position_side
    and episodes.first_nth <= turning.nth
  -- A position begins a millisecond after the end of the one before it; nothing that begins with it can be told from it.
  where episodes.first_nth < turning.nth and episodes.begins_at < turning.created_time
),
contracts as (select distinct account, line, symbol from turns),
records as (
  select distinct entries.account as account, entries.product_line as line, entries.symbol as symbol,
    entries.occurred_at as occurred_at
  from main.entries as entries
  join contracts
    on contracts.account = entries.account and contracts.line = entries.product_line
    and contracts.symbol = entries.symbol
  where entries.kind in ('realised_pnl', 'liquidation', 'fee')
),
-- From the first record in the time of the order on, the order may have reversed the position.
touched as (
  select turns.account as account, turns.line as line, turns.symbol as symbol, turns.position_side as position_side,
    turns.number as number, case when turns.held > 0 then 'long' else 'short' end as hold_side,
    turns.created_time as begins_at,
    case when records.occurred_at <= turns.filled_at then records.occurred_at else turns.created_time end as turned_from,
    turns.filled_at as turned_at
  from turns
  asof left join records
    on records.account = turns.account and records.line = turns.line and records.symbol = turns.symbol
    and records.occurred_at >= turns.created_time
),
-- Positions that were never reversed are one stretch each.
turned as (select distinct account, line, symbol, position_side, number from touched),
begun as (
  select episodes.account as account, episodes.line as line, episodes.symbol as symbol,
    episodes.position_side as position_side, episodes.number as number, episodes.hold_side as hold_side,
    episodes.begins_at as begins_at, null_time() as turned_from, null_time() as turned_at
  from remaining as episodes
  join turned
    on turned.account = episodes.account and turned.line = episodes.line and turned.symbol = episodes.symbol
    and turned.position_side = episodes.position_side and turned.number = episodes.number
  union all
  select account, line, symbol, position_side, number, hold_side, begins_at, turned_from, turned_at from touched
),
counted as (
  select *,
    cast(row_number() over by_time as bigint) as stretch,
    lag(turned_at, 1, null) over by_time as turned_before, lead(turned_at, 1, null) over by_time as turns_at,
    lag(or_null(hold_side), 1, null) over by_time as side_before
  from begun
  window by_time as (partition by account, line, symbol, position_side, number order by begins_at)
)
select counted.account as account, counted.line as line, counted.symbol as symbol,
  counted.position_side as position_side, counted.number as number, counted.stretch as stretch,
  counted.hold_side as hold_side, counted.begins_at as begins_at, episodes.first_filled_at as first_filled_at,
  counted.turned_from as turned_from, counted.turned_at as turned_at,
  counted.turned_before as turned_before, counted.turns_at as turns_at, counted.side_before as side_before,
  episodes.ends_at as ends_at, episodes.last_nth as last_nth
from counted
join remaining as episodes
  on episodes.account = counted.account and episodes.line = counted.line and episodes.symbol = counted.symbol
  and episodes.position_side = counted.position_side and episodes.number = counted.number
union all
select episodes.account, episodes.line, episodes.symbol, episodes.position_side, episodes.number,
  cast(1 as bigint), episodes.hold_side, episodes.begins_at, episodes.first_filled_at, null_time(), null_time(),
  null_time(), null_time(), cast(null as varchar), episodes.ends_at, episodes.last_nth
from remaining as episodes
anti join turned
  on turned.account = episodes.account and turned.line = episodes.line and turned.symbol = episodes.symbol
  and turned.position_side = episodes.position_side and turned.number = episodes.number
