-- Imported legs of transfers that the venue reports too: a move of the same account, coin and quantity within a day, of
-- which no feed has the other side, each the nearest to the other. Equal moves that follow each other within a day are tied
-- in their order where the import has as many of them: exports of days alone stand nearer to the record of the day before.
-- The quantity may be that of the move, or that of all that the record changed, its fee included. The venue's record is then
-- that leg and tells its fees, and the import says where the coins came from or went.
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
sides as (
  select account, asset, type, quantity, occurred_at, place, '' as entry_id, 0 as is_record from legs
  union all
  select account, coin, type, quantity, occurred_at, 0, entry_id, 1 from records
  union all
  select account, coin, type, whole_quantity, occurred_at, 0, entry_id, 1 from records
  where whole_quantity <> quantity
),
begun as (
  select *,
    case
      when epoch_ms(occurred_at) - lag(epoch_ms(occurred_at), 1, null) over (
        partition by account, asset, type, quantity order by occurred_at, is_record, place, entry_id
      ) <= 86400000 then 0
      else 1
    end as begins
  from sides
),
rows_of_runs as (
  select *,
    sum(begins) over (
      partition by account, asset, type, quantity order by occurred_at, is_record, place, entry_id
      rows between unbounded preceding and current row
    ) as run
  from begun
),
in_turn as (
  select *,
    row_number() over (
      partition by account, asset, type, quantity, run, is_record order by occurred_at, place, entry_id
    ) as nth,
    count(*) over (partition by account, asset, type, quantity, run, is_record) as moves
  from rows_of_runs
),
tied as (
  select turns.place as place, records.entry_id as entry_id,
    max(abs(epoch_ms(records.occurred_at) - epoch_ms(turns.occurred_at))) over (
      partition by turns.account, turns.asset, turns.type, turns.quantity, turns.run
    ) as farthest_ms
  from in_turn as turns
  join in_turn as records
    on records.account = turns.account and records.asset = turns.asset and records.type = turns.type
    and records.quantity = turns.quantity and records.run = turns.run and records.nth = turns.nth
    and records.moves = turns.moves
  where turns.is_record = 0 and records.is_record = 1
),
candidates as (
  select legs.place as place, legs.pair_id as pair_id, records.entry_id as entry_id, records.quantity as quantity,
    abs(epoch_ms(records.occurred_at) - epoch_ms(legs.occurred_at)) as apart_ms,
    case when tied.farthest_ms <= 86400000 then 0 else 1 end as is_out_of_turn
  from legs
  join records
    on records.account = legs.account and records.coin = legs.asset and records.type = legs.type
  left join tied on tied.place = legs.place and tied.entry_id = records.entry_id
  where legs.quantity = records.quantity or legs.quantity = records.whole_quantity
),
ranked as (
  select *,
    row_number() over (partition by place order by is_out_of_turn, apart_ms, entry_id) as choice_of_leg,
    row_number() over (partition by entry_id order by is_out_of_turn, apart_ms, place) as choice_of_record
  from candidates
  where apart_ms <= 86400000
)
select place, entry_id, 'import/' || ranked.pair_id as transfer_id, quantity
from ranked
where choice_of_leg = 1 and choice_of_record = 1
