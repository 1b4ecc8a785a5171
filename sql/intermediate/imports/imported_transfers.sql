-- Legs of imported transfers, each with its other leg: the part of the id before the colon ties them, the first leg out
-- to the first leg in. Money moves no lots, so its transfers are not here. What leaves and does not arrive is a network fee; a fee that the leg names in the coin itself is
-- a part of it, if it is no larger, and else a fee of its own.
-- grain: one row per leg
-- keys:  place unique
with
legs as (
  select place, id, book_account, occurred_at, type, transfer_id, asset, quantity, fee, fee_currency,
    row_number() over (partition by transfer_id, asset, type order by place) as nth
  from staging.imported_rows
  where transfer_id is not null and not is_asset_money
),
paired as (
  select legs.place as place, legs.id as id, legs.book_account as book_account, legs.occurred_at as occurred_at,
    legs.type as type, legs.transfer_id as transfer_id, legs.asset as asset,
    legs.quantity as quantity, legs.fee as fee, legs.fee_currency as fee_currency, twin.place as twin_place,
    twin.quantity as twin_quantity
  from legs
  left join legs as twin
    on twin.transfer_id = legs.transfer_id and twin.asset = legs.asset and twin.type <> legs.type
    and twin.nth = legs.nth
),
measured as (
  select paired.*,
    case when type = 'transfer_out' and twin_quantity < quantity then quantity - twin_quantity else 0 end
      as network_quantity
  from paired
)
select measured.*,
  coalesce(fee_currency = asset and fee > 0 and fee <= network_quantity, false) as is_fee_within
from measured
