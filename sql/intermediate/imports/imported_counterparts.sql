-- Imported legs of transfers that the venue also reports: a move of the same account, coin and quantity within a day, whose other
-- side no feed has, each being the nearest to the other. Equal moves within a day of each other are paired in sequence if the
-- import has as many of them, because exports with dates only are nearer to the record of the day before. The quantity of either
-- may be that of the move, or the whole change including the fee beside it. The venue's record is then that leg and supplies its
-- fees, and the import states where the coins came from or went.
-- grain: one row per imported leg that has such a record
-- keys:  place unique; entry_id unique
select pairs.first_place as place, pairs.second_id as entry_id, 'import/' || legs.pair_id as transfer_id,
  records.quantity as quantity
from staging.nearest_imports as pairs
join staging.imported_legs as legs on legs.place = pairs.first_place
join main.transfers as records on records.entry_id = pairs.second_id
