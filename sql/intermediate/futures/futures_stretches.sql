-- Futures positions (staging.futures_episodes) divided by side: in one-way mode an order that does more than close what is held
-- reverses it, ending one stretch and beginning the next. This is certain only if no other order of the contract was active in
-- its time; otherwise the position stays one. The orders show how much of such an order closed and how much opened; no record
-- does: its results are of what it closed, but its fees are of both.
-- slices: begins_at
-- grain: one row per account, line, symbol, position_side, number and stretch
with
neighbours as (
  select *,
    lag(or_null(filled_at), 1, null) over (partition by account, line, symbol, position_side order by nth) as previous_at,
    lag(or_null(number), 1, null) over (partition by account, line, symbol, position_side order by nth) as previous_number,
    min(or_null(created_time)) over (
      partition by account, line, symbol, position_side order by nth desc
      rows between unbounded preceding and 1 preceding
    ) as next_at
  from staging.futures_runs
),
turns as (
  select neighbours.account as account, neighbours.line as line, neighbours.symbol as symbol,
    neighbours.position_side as position_side, neighbours.number as number, neighbours.held as held,
    neighbours.created_time as created_time, neighbours.filled_at as filled_at
  from neighbours
  join staging.futures_episodes as episodes
    on episodes.account = neighbours.account and episodes.line = neighbours.line
    and episodes.symbol = neighbours.symbol and episodes.position_side = neighbours.position_side
    and episodes.number = neighbours.number
  -- A position begins a millisecond after the end of the one before it; nothing that begins with it can be told from it.
  where neighbours.position_side = 'net' and previous_number = neighbours.number and previous_at < created_time
    and episodes.begins_at < created_time
    and ((held > 0 and held - change < 0) or (held < 0 and held - change > 0))
    and (next_at is null or next_at > filled_at)
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
  from staging.futures_episodes as episodes
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
  episodes.ends_at as ends_at
from counted
join staging.futures_episodes as episodes
  on episodes.account = counted.account and episodes.line = counted.line and episodes.symbol = counted.symbol
  and episodes.position_side = counted.position_side and episodes.number = counted.number
union all
select episodes.account, episodes.line, episodes.symbol, episodes.position_side, episodes.number,
  cast(1 as bigint), episodes.hold_side, episodes.begins_at, episodes.first_filled_at, null_time(), null_time(),
  null_time(), null_time(), cast(null as varchar), episodes.ends_at
from staging.futures_episodes as episodes
anti join turned
  on turned.account = episodes.account and turned.line = episodes.line and turned.symbol = episodes.symbol
  and turned.position_side = episodes.position_side and turned.number = episodes.number
