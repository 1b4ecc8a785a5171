-- What each entry adds to the profit and loss besides lots, signed as it moves the balance: results, fees and funding of
-- futures with the contract that they belong to, and interest of every line. This is where the kinds of entries that count
-- are named.
-- grain: one row per entry
select account, occurred_at, product_line, symbol, coin,
  case when kind in ('realised_pnl', 'liquidation') then amount else 0 end as realised_pnl,
  case when kind = 'fee' then amount else 0 end as fee,
  case when kind = 'funding' then amount else 0 end as funding,
  case when kind = 'interest' then amount else 0 end as interest,
  entry_id
from main.entries
where kind = 'interest'
  or (
    product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
  )
