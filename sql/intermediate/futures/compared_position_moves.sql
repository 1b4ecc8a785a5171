-- Futures records since the opening of each open position that is compared. The venue's opening time may differ from the first
-- record by two seconds. Funding is stamped some seconds after its hour; whether a position opened in between takes part is not
-- documented, so it is not exactly the position's (is_exact). Records of an order that reversed the contract, and so opened the
-- position, also belong to the position that it closed (is_of_turn).
-- grain: one row per open position and entry
with
moves as (
  select entries.account as account, entries.product_line as line, entries.symbol as symbol, entries.coin as coin,
    entries.kind as kind, entries.amount as amount,
    entries.occurred_at as occurred_at, entries.place as place, entries.entry_id as entry_id,
    settled_at(entries.kind, entries.occurred_at) as held_at,
    types.side as side, types.doubt as doubt, types.is_side_known or entries.kind = 'funding' as is_side_known
  from main.entries as entries
  join staging.types as types on types.feed = entries.source_feed and types.type = entries.type
  where entries.product_line like '%-FUTURES' and entries.kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
turned as (
  select latest.account as account, latest.line as line, latest.symbol as symbol, latest.coin as coin,
    latest.hold_side as hold_side, max(stretches.turned_at) as turned_at
  from staging.compared_positions as latest
  join staging.futures_stretches as stretches
    on stretches.account = latest.account and stretches.line = latest.line and stretches.symbol = latest.symbol
    and stretches.hold_side = latest.hold_side
  where latest.opened_at >= stretches.begins_at - interval 2 second
    and latest.opened_at <= stretches.turned_at + interval 2 second
  group by latest.account, latest.line, latest.symbol, latest.coin, latest.hold_side
)
select latest.account as account, latest.line as line, latest.symbol as symbol, latest.coin as coin,
  latest.hold_side as hold_side, moves.kind as kind, moves.amount as amount,
  moves.place as place, moves.entry_id as entry_id, moves.held_at >= latest.opened_at as is_exact,
  moves.symbol is null or not moves.is_side_known as is_doubtful,
  moves.side not in ('', latest.hold_side) as is_of_other_side, moves.doubt as doubt,
  coalesce(moves.occurred_at <= turned.turned_at, false) as is_of_turn
from staging.compared_positions as latest
join moves
  on moves.account = latest.account and moves.line = latest.line and moves.coin = latest.coin
  and coalesce(moves.symbol, latest.symbol) = latest.symbol
  and moves.occurred_at >= case when moves.kind = 'funding' then latest.opened_at else latest.opened_at - interval 2 second end
  and moves.occurred_at <= latest.compared_at
left join turned
  on turned.account = latest.account and turned.line = latest.line and turned.symbol = latest.symbol
  and turned.coin = latest.coin and turned.hold_side = latest.hold_side
