-- The legs of transfers that are not tied in sequence, and those of margin moves, for finding each one's nearest: the outgoing leg
-- is the first side, the incoming the second. Equal legs of one wallet in the same millisecond are distinguished by their
-- number. A transfer never stays in its wallet; margin may.
-- grain: one row per leg
-- keys:  id unique
with
legs as (
  select entry_id, account, ledger, product_line, coin, kind, occurred_at, abs(amount) as quantity,
    case when amount < 0 then 0 else 1 end as is_second, nth
  from staging.transfer_legs
),
tied as (
  select first_id as out_id, second_id as in_id from staging.transfer_turns
  where farthest_ms <= 300000 and stays_in_wallet = 0
)
select '' as among, account, coin, kind || '/' || cast(nth as varchar) as side, quantity, occurred_at as happened_at,
  case
    when kind = 'margin_move' then cast(is_second as varchar)
    else account || '/' || ledger || '/' || product_line
  end as wallet,
  is_second, cast(0 as bigint) as place, entry_id as id
from legs
where entry_id not in (select out_id from tied) and entry_id not in (select in_id from tied)
