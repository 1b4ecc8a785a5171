-- Imported legs of transfers that the venue reports too: a move of the same account, coin and quantity within a day, of
-- which no feed has the other side, each the nearest to the other. The quantity may be that of the move, or that of all
-- that the record changed, its fee included. The venue's record is then that leg and tells its fees, and the import says
-- where the coins came from or went.
-- grain: one row per imported leg that has such a record
-- keys:  place unique; entry_id unique
with
legs as (
  select legs.place as place, legs.pair_id as pair_id, legs.type as type, rows.account as account,
    legs.asset as asset, legs.quantity as quantity, legs.occurred_at as occurred_at
  from staging.imported_legs as legs
  join staging.imported_rows as rows on rows.place = legs.place
  where rows.book_account <> rows.account and not legs.is_asset_money
),
records as (
  select transfers.entry_id as entry_id, transfers.account as account, transfers.coin as coin,
    transfers.quantity as quantity,
    -- A fee is below zero: it leaves besides what is sent, and is taken off what arrives.
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
),
candidates as (
  select legs.place as place, legs.pair_id as pair_id, records.entry_id as entry_id, records.quantity as quantity,
    abs(epoch_ms(records.occurred_at) - epoch_ms(legs.occurred_at)) as apart_ms
  from legs
  join records
    on records.account = legs.account and records.coin = legs.asset and records.type = legs.type
  where legs.quantity = records.quantity or legs.quantity = records.whole_quantity
),
ranked as (
  select *,
    row_number() over (partition by place order by apart_ms, entry_id) as choice_of_leg,
    row_number() over (partition by entry_id order by apart_ms, place) as choice_of_record
  from candidates
  where apart_ms <= 86400000
)
select place, entry_id, 'import/' || ranked.pair_id as transfer_id, quantity
from ranked
where choice_of_leg = 1 and choice_of_record = 1
