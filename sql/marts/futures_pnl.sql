-- Futures results per contract and day, signed as they move the balance, from the one book of record of each account.
-- grain: one row per account, product_type, symbol, margin_coin and day
-- keys:  account, product_type, symbol, margin_coin, day unique
-- columns:
--   account: Account.
--   product_type: USDT-FUTURES, COIN-FUTURES or USDC-FUTURES.
--   symbol: Contract; null where the venue does not tell.
--   margin_coin: Coin of all amounts of the row.
--   day: UTC day.
--   realised_pnl: Result of closed positions, liquidations included.
--   fees: Fees; negative when paid.
--   funding: Funding; negative when paid.
--   net_pnl: Sum of the three.
with
relevant as (
  select account, product_line as product_type, symbol, coin as margin_coin,
    cast(occurred_at at time zone 'UTC' as date) as day,
    case when kind in ('realised_pnl', 'liquidation') then amount else 0 end as realised,
    case when kind = 'fee' then amount else 0 end as fee,
    case when kind = 'funding' then amount else 0 end as funded
  from main.entries
  where product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
)
select account, product_type, symbol, margin_coin, day,
  sum(realised) as realised_pnl, sum(fee) as fees, sum(funded) as funding,
  sum(realised) + sum(fee) + sum(funded) as net_pnl
from relevant
group by account, product_type, symbol, margin_coin, day
