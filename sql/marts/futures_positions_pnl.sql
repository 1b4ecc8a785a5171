-- Futures results per position, from flat to flat, signed as they move the balance, from the one book of record of each
-- account. Filled orders determine which record belongs to which position. Records that they cannot tell apart (records older
-- than the order history, accounts without one, funding while both sides of a contract were held) are summed in one row per
-- contract and side, so that the rows always sum to futures_pnl. In one-way mode, an order that reverses a position ends it
-- and begins one on the other side, unless other orders of the contract were being filled meanwhile. No record states how
-- much of its fee is for closing and how much for opening, so that fee is among what cannot be told apart.
-- grain: one row per account, product_type, symbol, margin_coin, hold_side and position_number
-- keys:  account, product_type, symbol, margin_coin, hold_side, position_number unique
-- columns:
--   account: Account.
--   product_type: USDT-FUTURES, COIN-FUTURES or USDC-FUTURES.
--   symbol: Contract; null if the venue does not report it.
--   margin_coin: Coin of all amounts of the row. A position that pays in several coins, as with fees in BGB, has a row for
--     each, all with the same position_number.
--   hold_side: long or short; null if the records do not state it.
--   position_number: Number of the position within the contract and side, from 1 for the oldest; null if positions cannot be
--     told apart.
--   state: open or closed; unknown if positions cannot be told apart.
--   opened_at: First record of the position, or when an order reversed the one before it.
--   closed_at: Record that closed it, or when an order reversed it; null unless it is closed.
--   realised_pnl: Result of what was closed, including liquidations.
--   fees: Fees; negative when paid.
--   funding: Funding; negative when paid.
--   net_pnl: Sum of the three.
with
moves as (
  select account, line, symbol, coin, kind, amount, occurred_at, held_at, hold_side, stretch, state, turned_at, turns_at,
    case when stretch is null then null else moves.number end as number,
    case when stretch is null then null else moves.position_side end as position_side
  from staging.futures_position_moves as moves
),
summed as (
  select account, line, symbol, coin, hold_side, position_side, number, stretch, state,
    min(held_at) as first_at, max(case when kind = 'funding' then null else occurred_at end) as last_filled_at,
    max(turned_at) as begun_at, max(turns_at) as ended_at,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end) as realised_pnl,
    sum(case when kind = 'fee' then amount else 0 end) as fees,
    sum(case when kind = 'funding' then amount else 0 end) as funding
  from moves
  group by account, line, symbol, coin, hold_side, position_side, number, stretch, state
),
-- A position may pay in several coins, and it begins and ends in all of them together.
spans as (
  select account, line, symbol, hold_side, position_side, number, stretch, min(summed.first_at) as first_at,
    max(summed.begun_at) as begun_at, max(summed.ended_at) as ended_at, max(summed.last_filled_at) as last_filled_at
  from summed
  group by account, line, symbol, hold_side, position_side, number, stretch
),
positions as (
  select summed.account as account, summed.line as line, summed.symbol as symbol, summed.coin as coin,
    summed.hold_side as hold_side, summed.position_side as position_side, summed.number as number,
    summed.stretch as stretch, summed.state as state, summed.realised_pnl as realised_pnl, summed.fees as fees,
    summed.funding as funding,
    case when summed.number is null then summed.first_at else coalesce(spans.begun_at, spans.first_at) end as begins_at,
    coalesce(spans.ended_at, spans.last_filled_at) as last_at
  from summed
  join spans
    on spans.account = summed.account and spans.line = summed.line
    and spans.symbol is not distinct from summed.symbol and spans.hold_side is not distinct from summed.hold_side
    and spans.position_side is not distinct from summed.position_side
    and spans.number is not distinct from summed.number and spans.stretch is not distinct from summed.stretch
)
select account, line as product_type, symbol, coin as margin_coin, hold_side,
  case
    when number is null then null
    else dense_rank() over (
      partition by account, line, symbol, hold_side, number is null order by begins_at, position_side, number, stretch
    )
  end as position_number,
  state, begins_at as opened_at, case when state = 'closed' then last_at end as closed_at,
  realised_pnl, fees, funding, realised_pnl + fees + funding as net_pnl
from positions
