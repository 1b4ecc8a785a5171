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
positions as (
  select account, line, symbol, coin, hold_side, state, realised_pnl, fees, funding, begins_at, last_at,
    dense_rank() over (
      partition by account, line, symbol, hold_side order by begins_at, position_side, number, stretch
    ) as position_number
  from staging.futures_position_sums
  union all
  select account, line, symbol, coin, hold_side, state,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end),
    sum(case when kind = 'fee' then amount else 0 end), sum(case when kind = 'funding' then amount else 0 end),
    min(held_at), null_time(), cast(null as bigint)
  from staging.futures_position_moves
  where stretch is null
  group by account, line, symbol, coin, hold_side, state
)
select account, line as product_type, symbol, coin as margin_coin, hold_side, position_number, state,
  begins_at as opened_at, case when state = 'closed' then last_at end as closed_at,
  realised_pnl, fees, funding, realised_pnl + fees + funding as net_pnl
from positions
