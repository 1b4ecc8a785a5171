-- The postings of each transaction sum to zero per coin.
-- grain: one row per transaction and coin with another sum
select 'error' as severity, account, cast(null as varchar) as ledger, coin, occurred_at,
  cast(0 as decimal(38, 18)) as expected, total as found, total as difference,
  'The postings of transaction ' || transaction_id || ' do not sum to zero.' as explanation,
  cast(to_json([transaction_id]) as varchar) as evidence, transaction_id as culprit
from staging.uneven_transactions
