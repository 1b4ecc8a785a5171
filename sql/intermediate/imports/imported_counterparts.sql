-- Imported legs of transfers that the venue also reports: a move of the same account, coin and quantity within a day, whose other
-- side no feed has, each being the nearest to the other. Equal moves within a day of each other are paired in sequence if the
-- import has as many of them, because exports with dates only are nearer to the record of the day before. The quantity may be
-- that of the move, or the whole change of the record including its fee. The venue's record is then that leg and supplies its
-- fees, and the import states where the coins came from or went.
-- grain: one row per imported leg that has such a record
-- keys:  place unique; entry_id unique
with
candidates as (
  select legs.place as place, legs.pair_id as pair_id, records.id as entry_id, records.moved_quantity as quantity,
    abs(epoch_ms(records.happened_at) - epoch_ms(legs.happened_at)) as apart_ms,
    case when tied.farthest_ms <= 86400000 then 0 else 1 end as is_out_of_turn
  from staging.imported_sides as legs
  join staging.imported_sides as records
    on records.account = legs.account and records.coin = legs.coin and records.side = legs.side
    and records.quantity = legs.quantity
  left join staging.imported_turns as tied on tied.first_place = legs.place and tied.second_id = records.id
  where legs.is_second = 0 and records.is_second = 1
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
