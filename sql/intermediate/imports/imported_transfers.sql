-- Legs of imported transfers, of coins and of money, and how much of each did not arrive. The part of a transfer that
-- leaves and does not arrive is a network fee. A fee that the leg names in the same coin is part of it if it is no larger;
-- otherwise it is a separate fee. For a leg that the venue also reports, the quantity is the venue's, and its
-- record has the fee.
-- grain: one row per leg
-- keys:  place unique
with
legs as (
  select legs.place as place, legs.id as id, legs.book_account as book_account, legs.occurred_at as occurred_at,
    legs.type as type, legs.transfer_id as transfer_id, legs.asset as asset, legs.fee as fee,
    legs.fee_currency as fee_currency, legs.twin_place as twin_place, legs.pair_id as pair_id,
    legs.is_asset_money as is_asset_money, coalesce(own.quantity, legs.quantity) as quantity,
    coalesce(twin.quantity, legs.twin_quantity) as twin_quantity,
    -- At most what does not arrive according to the file: the venue may deduct that as a fee of its record.
    coalesce(legs.fee_currency = legs.asset and legs.fee > 0 and legs.type = 'transfer_out'
      and legs.fee <= legs.quantity - legs.twin_quantity, false) as is_fee_within,
    own.place is not null as is_of_venue
  from staging.imported_legs as legs
  left join staging.imported_counterparts as own on own.place = legs.place
  left join staging.imported_counterparts as twin on twin.place = legs.twin_place
)
select legs.*,
  case when type = 'transfer_out' and twin_quantity < quantity then quantity - twin_quantity else 0 end
    as network_quantity
from legs
