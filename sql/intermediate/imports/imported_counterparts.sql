-- Imported legs of transfers that the venue reports too: a move of the same account, coin and quantity within a day, of
-- which no feed has the other side, each the nearest to the other. The venue's record is then that leg, and the import
-- says where the coins came from or went.
-- grain: one row per imported leg that has such a record
-- keys:  place unique; entry_id unique
with
legs as (
  select legs.place as place, legs.pair_id as pair_id, legs.type as type, rows.account as account,
    legs.asset as asset, legs.quantity as quantity, legs.occurred_at as occurred_at
  from staging.imported_transfers as legs
  join staging.imported_rows as rows on rows.place = legs.place
  where rows.book_account <> rows.account
),
records as (
  select transfers.entry_id, transfers.account, transfers.coin, transfers.quantity, transfers.occurred_at,
    case when transfers.direction = 'out' then 'transfer_out' else 'transfer_in' end as type
  from main.transfers as transfers
  where transfers.kind = 'transfer' and transfers.transfer_id is null
),
candidates as (
  select legs.place as place, legs.pair_id as pair_id, records.entry_id as entry_id,
    abs(epoch_ms(records.occurred_at) - epoch_ms(legs.occurred_at)) as apart_ms
  from legs
  join records
    on records.account = legs.account and records.coin = legs.asset and records.type = legs.type
    and records.quantity = legs.quantity
),
ranked as (
  select *,
    row_number() over (partition by place order by apart_ms, entry_id) as choice_of_leg,
    row_number() over (partition by entry_id order by apart_ms, place) as choice_of_record
  from candidates
  where apart_ms <= 86400000
)
select place, entry_id, 'import/' || ranked.pair_id as transfer_id
from ranked
where choice_of_leg = 1 and choice_of_record = 1
