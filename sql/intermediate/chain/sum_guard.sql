-- Coins whose amounts are so large and so many that a sum could exceed the range of DECIMAL(38,18), beyond which the engine may
-- return a wrong number without an error. Their records are left out of the ledger and reported as an error.
-- grain: one row per coin
with
amounts as (
  select coin, sum(record_days.row_count) as row_count, max(record_days.largest) as largest
  from staging.record_days
  where record_days.largest is not null
  group by coin
  union all
  select asset, count(*), max(quantity) from main.imported_trades group by asset
  union all
  select currency, count(*), max(coalesce(total, 0)) from main.imported_trades where currency is not null group by currency
  union all
  select fee_currency, count(*), max(abs(fee)) from main.imported_trades where fee_currency is not null
  group by fee_currency
  union all
  select asset, count(*), max(quantity) from main.imported_lots group by asset
),
final as (
  select coin, sum(amounts.row_count) as row_count, max(amounts.largest) as largest
  from amounts group by coin
)
select coin, row_count, largest
from final
where cast(row_count + 1 as double) * cast(largest as double) >= 1e20
