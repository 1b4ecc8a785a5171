-- The parts of an imported row that may need a price: the asset, the total, the fee, and the network fee of a transfer. The fee
-- of a leg that the venue also reports is not one of them.
-- grain: one row per part_id
-- keys:  part_id unique
with
parts as (
  select place, id, 'asset' as part, asset as coin, quantity, occurred_at
  from staging.imported_rows
  where transfer_id is null
  union all
  select place, id, 'total', currency, total, occurred_at
  from staging.imported_rows
  where total is not null and currency is not null
  union all
  select rows.place, rows.id, 'fee', rows.fee_currency, abs(rows.fee), rows.occurred_at
  from staging.imported_rows as rows
  left join staging.imported_transfers as transfers on transfers.place = rows.place
  where rows.fee <> 0 and not coalesce(transfers.is_of_venue, false)
  union all
  select place, id, 'network', asset, network_quantity, occurred_at
  from staging.imported_transfers
  where network_quantity > 0 and not is_asset_money
)
select 'import/' || id || '/' || part as part_id, place, part, coin, quantity, occurred_at
from parts
