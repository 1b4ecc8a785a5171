-- Legs of imported transfers of coins, and what of each did not arrive. Money moves no lots, so its transfers are not
-- here. What leaves and does not arrive is a network fee; a fee that the leg names in the coin itself is a part of it, if
-- it is no larger, and else a fee of its own.
-- grain: one row per leg
-- keys:  place unique
with
measured as (
  select place, id, book_account, occurred_at, type, transfer_id, asset, quantity, fee, fee_currency, twin_place,
    twin_quantity, pair_id,
    case when type = 'transfer_out' and twin_quantity < quantity then quantity - twin_quantity else 0 end
      as network_quantity
  from staging.imported_legs
  where not is_asset_money
)
select measured.*,
  coalesce(fee_currency = asset and fee > 0 and fee <= network_quantity, false) as is_fee_within
from measured
