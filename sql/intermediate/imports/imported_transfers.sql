-- Legs of imported transfers of coins, and what of each did not arrive. Money moves no lots, so its transfers are not
-- here. What leaves and does not arrive is a network fee; a fee that the leg names in the coin itself is a part of it, if
-- it is no larger, and else a fee of its own. Of a leg that the venue reports too, the quantity is the venue's, and its
-- record has the fee.
-- grain: one row per leg
-- keys:  place unique
with
legs as (
  select legs.place as place, legs.id as id, legs.book_account as book_account, legs.occurred_at as occurred_at,
    legs.type as type, legs.transfer_id as transfer_id, legs.asset as asset, legs.fee as fee,
    legs.fee_currency as fee_currency, legs.twin_place as twin_place, legs.pair_id as pair_id,
    coalesce(own.quantity, legs.quantity) as quantity,
    coalesce(twin.quantity, legs.twin_quantity) as twin_quantity,
    -- Within what does not arrive as the file has it: the venue may take that off by a fee of its record.
    coalesce(legs.fee_currency = legs.asset and legs.fee > 0 and legs.type = 'transfer_out'
      and legs.fee <= legs.quantity - legs.twin_quantity, false) as is_fee_within,
    own.place is not null as is_of_venue
  from staging.imported_legs as legs
  left join staging.imported_counterparts as own on own.place = legs.place
  left join staging.imported_counterparts as twin on twin.place = legs.twin_place
  where not legs.is_asset_money
)
select legs.*,
  case when type = 'transfer_out' and twin_quantity < quantity then quantity - twin_quantity else 0 end
    as network_quantity
from legs
