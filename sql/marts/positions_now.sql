-- Open futures positions, as in the venue's newest complete answer; positions closed since are not listed.
-- grain: one row per account, product type, contract, margin coin and side
-- keys:  account, product_type, symbol, margin_coin, hold_side unique
-- columns:
--   read_at: When the positions were received, by the venue's clock if the machine's differs.
--   account: Account, as named in the configuration.
--   product_type: Product type of the futures.
--   symbol: Contract.
--   margin_coin: Coin in which the position is settled.
--   hold_side: long or short.
--   total: Quantity held, in the contract's coin.
--   open_price_avg: Average price at which it was opened, in the quote coin of the contract.
--   mark_price: Price used to value it, in the quote coin of the contract.
--   notional: total times mark_price, rounded half to even at 18 decimals; in the quote coin, which for a coin-margined contract is dollars and not its margin coin.
--   unrealized_pl: Unrealised result, in the margin coin.
--   achieved_profits: Result realised while the position has been open, in the margin coin.
--   leverage: Leverage.
--   margin_mode: crossed or isolated.
--   opened_at: When it was opened.
select lists.read_at as read_at, positions.account as account, positions.partition as product_type,
  positions.symbol as symbol, positions.margin_coin as margin_coin,
  positions.hold_side as hold_side, positions.total as total, positions.open_price_avg as open_price_avg,
  positions.mark_price as mark_price,
  exact_multiply(positions.total, positions.mark_price) as notional, positions.unrealized_pl as unrealized_pl,
  positions.achieved_profits as achieved_profits, positions.leverage as leverage,
  positions.margin_mode as margin_mode, positions.c_time as opened_at
from main.positions as positions
join staging.newest_lists as lists
  on lists.account = positions.account and lists.partition = positions.partition and lists.feed = 'futures.positions'
where positions.is_current and positions.total <> 0
