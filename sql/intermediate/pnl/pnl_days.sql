-- What the entries of a UTC day add to the profit and loss besides lots (entry_pnl_parts).
-- slices: day
-- by day: staging.entry_pnl_parts
-- grain: one row per account, product_line, symbol, coin, day and is_of_futures
select account, product_line, symbol, coin, utc_day(occurred_at) as day, is_of_futures,
  sum(parts.realised_pnl) as realised_pnl, sum(parts.fee) as fee, sum(parts.funding) as funding,
  sum(parts.interest) as interest
from staging.entry_pnl_parts as parts
group by account, product_line, symbol, coin, utc_day(occurred_at), is_of_futures
