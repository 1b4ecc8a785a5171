-- Coins whose amounts are so large and so many that a sum could exceed the range of DECIMAL(38,18), beyond which the engine may
-- return a wrong number without an error. Their records are left out of the ledger and reported as an error.
-- grain: one row per coin
with
amounts as (
  select coin, row_count, largest from staging.record_days where largest is not null
  union all
  select asset, 1, quantity from main.imported_trades
  union all
  select currency, 1, coalesce(total, 0) from main.imported_trades where currency is not null
  union all
  select fee_currency, 1, abs(fee) from main.imported_trades where fee_currency is not null
  union all
  select asset, 1, quantity from main.imported_lots
),
final as (
  select coin, sum(amounts.row_count) as row_count, max(amounts.largest) as largest
  from amounts group by coin
)
select coin, row_count, largest
from final
where cast(row_count + 1 as double) * cast(largest as double) >= 1e20
