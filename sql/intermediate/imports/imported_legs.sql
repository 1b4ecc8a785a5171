-- Legs of imported transfers, of coins and of money, each with its other leg: the part of the id before the colon links them,
-- the first outgoing leg with the first incoming one. This is the one place that determines which legs belong together.
-- grain: one row per leg
-- keys:  place unique; pair_id and type unique
with
legs as (
  select place, id, account, book_account, occurred_at, type, transfer_id, asset, quantity, fee, fee_currency,
    is_asset_money,
    row_number() over (partition by transfer_id, asset, type order by place) as nth
  from staging.imported_rows
  where transfer_id is not null
)
select legs.place as place, legs.id as id, legs.book_account as book_account, legs.occurred_at as occurred_at,
  legs.type as type, legs.transfer_id as transfer_id, legs.asset as asset, legs.quantity as quantity,
  legs.fee as fee, legs.fee_currency as fee_currency, legs.is_asset_money as is_asset_money,
  twin.place as twin_place, twin.id as twin_id, twin.account as twin_account, twin.book_account as twin_book_account,
  twin.quantity as twin_quantity,
  -- The outgoing leg names the two; a leg without another names itself.
  case when legs.type = 'transfer_in' then coalesce(twin.id, legs.id) else legs.id end as pair_id
from legs
left join legs as twin
  on twin.transfer_id = legs.transfer_id and twin.asset = legs.asset and twin.type <> legs.type
  and twin.nth = legs.nth
