-- The legs of transfers, for what ties equal ones in their order: what goes is the first side, what comes the second.
-- grain: one row per leg of a transfer
-- keys:  id unique
select '' as among, account, coin, '' as side, abs(entries.amount) as quantity, occurred_at as happened_at,
  account || '/' || ledger || '/' || product_line as wallet,
  case when entries.amount < 0 then 0 else 1 end as is_second, place, entry_id as id
from main.entries as entries
where kind = 'transfer' and part = 'amount'
