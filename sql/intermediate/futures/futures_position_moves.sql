-- Records of futures results with the position that each belongs to, by filled orders (staging.futures_episodes): the position of
-- its side, or of either side if the record has none, that was held at that moment. If several are possible, or orders do not
-- reach that far, number is null. Funding may be stamped some seconds late, and belongs to what was held when it was settled. For
-- a position that was reversed, stretch identifies the side; it is null for the charges of the reversing order, and for funding
-- at its time. ends_at is when the position became flat.
-- slices: occurred_at
-- by day: main.entries
-- from day: staging.futures_stretches
-- grain: one row per entry of a realised result, fee or funding of futures
with
moves as (
  select entries.account as account, entries.product_line as line, entries.symbol as symbol, entries.coin as coin,
    entries.kind as kind, entries.amount as amount,
    entries.occurred_at as occurred_at, entries.place as place, entries.part as part,
    settled_at(entries.kind, entries.occurred_at) as held_at,
    types.side as side
  from main.entries as entries
  join staging.types as types on types.feed = entries.source_feed and types.type = entries.type
  where entries.product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and entries.kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
-- What ended before any of them held none of them: on some days of many, that leaves few to be searched.
earliest as (select min(moves.held_at) as held_at from moves),
reaching as (
  select * from staging.futures_stretches where ends_at is null or ends_at >= (select held_at from earliest)
),
-- Only what has positions at all is searched for the one that was held.
sides as (select distinct account, line, symbol, position_side from reaching),
asked as (
  select moves.account as account, moves.place as place, moves.part as part, moves.line as line,
    moves.symbol as symbol, moves.held_at as held_at, sides.position_side as position_side
  from moves
  join sides on sides.account = moves.account and sides.line = moves.line and sides.symbol = moves.symbol
  where sides.position_side = 'net' or (sides.position_side = 'long' and moves.side <> 'short')
    or (sides.position_side = 'short' and moves.side <> 'long')
),
candidates as (
  select asked.account as account, asked.place as place, asked.part as part, asked.held_at as held_at,
    stretches.position_side as position_side, stretches.number as number, stretches.stretch as stretch,
    stretches.hold_side as hold_side, stretches.first_filled_at as first_filled_at,
    stretches.turned_from as turned_from, stretches.turned_at as turned_at, stretches.turned_before as turned_before,
    stretches.turns_at as turns_at, stretches.side_before as side_before,
    stretches.ends_at as ends_at
  from asked
  asof join reaching as stretches
    on stretches.account = asked.account and stretches.line = asked.line and stretches.symbol = asked.symbol
    and stretches.position_side = asked.position_side and stretches.begins_at <= asked.held_at
),
-- An opening order may rest while the position of the other side is held: what was certainly open comes first.
ranked as (
  select *,
    count(*) over (partition by account, place, part, first_filled_at <= held_at) as rival_count,
    row_number() over (
      partition by account, place, part
      order by case when first_filled_at <= held_at then 0 else 1 end, position_side
    ) as choice
  from candidates
  where ends_at is null or held_at <= ends_at
),
chosen as (
  select account, place, part, hold_side, number, stretch, position_side, turned_from, turned_at, turned_before, turns_at,
    side_before, ends_at
  from ranked
  where choice = 1 and rival_count = 1
),
-- While an order reverses the position, its results belong to what it closes.
placed as (
  select moves.account as account, moves.line as line, moves.symbol as symbol, moves.coin as coin,
    moves.kind as kind, moves.amount as amount, moves.occurred_at as occurred_at, moves.place as place,
    moves.part as part, moves.held_at as held_at, moves.side as side,
    chosen.hold_side as chosen_side, chosen.number as number, chosen.stretch as chosen_stretch,
    chosen.position_side as position_side, chosen.turned_at as chosen_turned_at, chosen.turned_before as turned_before,
    chosen.turns_at as chosen_turns_at, chosen.side_before as side_before, chosen.ends_at as ends_at,
    case
      when chosen.turned_at is null or moves.held_at > chosen.turned_at then 'after'
      when moves.kind = 'fee' or (moves.kind = 'funding' and moves.held_at >= chosen.turned_from) then 'both'
      else 'before'
    end as of_turn
  from moves
  left join chosen
    on chosen.account = moves.account and chosen.place = moves.place and chosen.part = moves.part
)
select account, line, symbol, coin, kind, amount, occurred_at, place, part, held_at, side,
  case
    when of_turn = 'both' then null
    when of_turn = 'before' then side_before
    else coalesce(chosen_side, case when side = '' then null else side end)
  end as hold_side,
  position_side, number,
  case when of_turn = 'both' then null when of_turn = 'before' then chosen_stretch - 1 else chosen_stretch end as stretch,
  case when of_turn = 'before' then turned_before when of_turn = 'after' then chosen_turned_at end as turned_at,
  case when of_turn = 'before' then chosen_turned_at when of_turn = 'after' then chosen_turns_at end as turns_at,
  case
    when number is null or of_turn = 'both' then 'unknown'
    when ends_at is null and of_turn = 'after' and chosen_turns_at is null then 'open'
    else 'closed'
  end as state,
  ends_at
from placed
