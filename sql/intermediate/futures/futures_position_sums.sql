-- Futures results per position and coin, of the records that can be told apart (staging.futures_position_moves). A position may
-- pay in several coins, and it begins and ends in all of them together. ends_at is when it became flat; a side of a position that
-- was reversed has the end of the whole.
-- slices: begins_at
-- from day: staging.futures_position_moves
-- carries: staging.futures_position_sums_before at number per account, line, symbol, position_side
-- lasting: ends_at
-- grain: one row per account, line, symbol, position_side, number, stretch, hold_side, state and coin
with
moves as (
  select moves.account as account, moves.line as line, moves.symbol as symbol, moves.coin as coin,
    moves.kind as kind, moves.amount as amount, moves.occurred_at as occurred_at, moves.held_at as held_at,
    moves.hold_side as hold_side, moves.position_side as position_side, moves.number as number,
    moves.stretch as stretch, moves.state as state, moves.turned_at as turned_at, moves.turns_at as turns_at,
    moves.ends_at as ends_at
  from staging.futures_position_moves as moves
  left join staging.futures_position_sums_before as earlier
    on earlier.account = moves.account and earlier.line = moves.line and earlier.symbol = moves.symbol
    and earlier.position_side = moves.position_side
  where moves.stretch is not null and (earlier.account is null or moves.number > earlier.number)
),
summed as (
  select account, line, symbol, coin, hold_side, position_side, number, stretch, state,
    min(moves.held_at) as first_at, max(case when kind = 'funding' then null else occurred_at end) as last_filled_at,
    max(moves.turned_at) as begun_at, max(moves.turns_at) as turns_at, max(moves.ends_at) as ends_at,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end) as realised_pnl,
    sum(case when kind = 'fee' then amount else 0 end) as fees,
    sum(case when kind = 'funding' then amount else 0 end) as funding
  from moves
  group by account, line, symbol, coin, hold_side, position_side, number, stretch, state
),
joint as (
  select *,
    min(summed.first_at) over position as joint_first_at, max(summed.begun_at) over position as joint_begun_at,
    max(summed.turns_at) over position as joint_turns_at,
    max(summed.last_filled_at) over position as joint_last_filled_at
  from summed
  window position as (partition by account, line, symbol, hold_side, position_side, number, stretch)
)
select account, line, symbol, coin, hold_side, position_side, number, stretch, state,
  coalesce(joint_begun_at, joint_first_at) as begins_at, coalesce(joint_turns_at, joint_last_filled_at) as last_at, ends_at,
  realised_pnl, fees, funding
from joint
