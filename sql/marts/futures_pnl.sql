-- Futures results per contract and day, signed as they move the balance, from the one book of record of each account.
-- grain: one row per account, product_type, symbol, margin_coin and day
-- keys:  account, product_type, symbol, margin_coin, day unique
-- slices: day
-- by day: staging.pnl_days
-- columns:
--   account: Account.
--   product_type: USDT-FUTURES, COIN-FUTURES or USDC-FUTURES.
--   symbol: Contract; null if the venue does not report it.
--   margin_coin: Coin of all amounts of the row.
--   day: UTC day.
--   realised_pnl: Result of closed positions, including liquidations.
--   fees: Fees; negative when paid.
--   funding: Funding; negative when paid.
--   net_pnl: Sum of the three.
select account, product_line as product_type, symbol, coin as margin_coin, day, realised_pnl, fee as fees, funding,
  realised_pnl + fee + funding as net_pnl
from staging.pnl_days
where is_of_futures
