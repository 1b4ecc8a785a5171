-- The legs of transfers, for the pairing of equal ones in sequence: the outgoing leg is the first side, the incoming the second.
-- slices: happened_at
-- by day: staging.transfer_legs
-- grain: one row per leg of a transfer
-- keys:  id unique
select '' as among, account, coin, '' as side, abs(legs.amount) as quantity, occurred_at as happened_at,
  account || '/' || ledger || '/' || product_line as wallet,
  case when legs.amount < 0 then 0 else 1 end as is_second, place, entry_id as id
from staging.transfer_legs as legs
where kind = 'transfer'
