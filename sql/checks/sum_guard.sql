-- No coin has amounts so large and so many that their sum could exceed the range of the decimals.
-- grain: one row per coin that has
select 'error' as severity, cast(null as varchar) as account, cast(null as varchar) as ledger, coin,
  null_time() as occurred_at, cast(null as decimal(38, 18)) as expected, largest as found,
  cast(null as decimal(38, 18)) as difference,
  counted(row_count, 'record of ' || coin || ' reaches', 'records of ' || coin || ' reach')
    || ' up to ' || rtrim(rtrim(amount_text(largest), '0'), '.')
    || ': their sum could be wrong, so the coin is left out of the ledger.' as explanation,
  '[]' as evidence, '' as culprit
from staging.sum_guard
