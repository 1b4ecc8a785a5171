-- Imported legs of transfers, and the moves of the venue that may be their records (moves whose other side no feed has), for the
-- pairing of equal ones in sequence. The quantity may be that of the move, or the whole change including the fee that the leg or
-- the record names beside it: such a leg or record has a row for each. The leg is the first side, the record the second.
-- grain: one row per imported leg and quantity, and one per record and quantity
with
legs as (
  select rows.account as account, legs.asset as coin, legs.type as side, legs.quantity as quantity,
    -- A fee leaves in addition to what is sent, unless it is what did not arrive, and is taken off what arrives.
    case
      when legs.fee_currency is distinct from legs.asset or legs.fee <= 0 then legs.quantity
      when legs.type = 'transfer_in' then legs.quantity - legs.fee
      when legs.fee <= legs.quantity - legs.twin_quantity then legs.quantity
      else legs.quantity + legs.fee
    end as whole_quantity,
    legs.occurred_at as occurred_at, legs.place as place, legs.pair_id as pair_id
  from staging.imported_legs as legs
  join staging.imported_rows as rows on rows.place = legs.place
  where rows.book_account <> rows.account
    -- Of money, only that in which the books are kept: it has no lots, and the venue's in other money have no other side here.
    and (not legs.is_asset_money or legs.asset = (select currency from staging.reporting))
),
records as (
  select transfers.entry_id as entry_id, transfers.account as account, transfers.coin as coin,
    transfers.quantity as quantity,
    -- A fee is below zero: it leaves in addition to what is sent, and is taken off what arrives.
    case
      when transfers.direction = 'out' then transfers.quantity - coalesce(fees.amount, 0)
      else transfers.quantity + coalesce(fees.amount, 0)
    end as whole_quantity,
    transfers.occurred_at as occurred_at,
    case when transfers.direction = 'out' then 'transfer_out' else 'transfer_in' end as type
  from main.transfers as transfers
  left join main.entries as fees
    on fees.account = transfers.account and fees.place = transfers.place and fees.coin = transfers.coin
    and fees.part = 'fee'
  where transfers.kind = 'transfer' and transfers.transfer_id is null
)
select account as among, account, coin, side, quantity, occurred_at as happened_at, 'import' as wallet, 0 as is_second, place,
  '' as id, pair_id
from legs
union all
select account, account, coin, side, whole_quantity, occurred_at, 'import', 0, place, '', pair_id
from legs
where whole_quantity <> quantity and whole_quantity > 0
union all
select account, account, coin, type, quantity, occurred_at, 'record', 1, 0, entry_id, ''
from records
union all
select account, account, coin, type, whole_quantity, occurred_at, 'record', 1, 0, entry_id, ''
from records
where whole_quantity <> quantity
