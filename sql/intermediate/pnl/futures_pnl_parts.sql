-- What each entry adds to the profit and loss of futures, with the line that it belongs to, signed as it moves the
-- balance. This is where the kinds of entries that count are named.
-- grain: one row per entry
select account, cast(occurred_at at time zone 'UTC' as date) as day,
  cast(date_trunc('month', occurred_at at time zone 'UTC') as date) as month,
  product_line, symbol, coin,
  case when kind in ('realised_pnl', 'liquidation') then amount else 0 end as realised_pnl,
  case when kind = 'fee' then amount else 0 end as fee,
  case when kind = 'funding' then amount else 0 end as funding,
  entry_id
from main.entries
where product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
  and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
