-- Imported rows with an unknown value that determines a gain, and which part has no price. Money is in no lot, so neither what the
-- network took of it nor a fee in money for a move determines one.
-- grain: one row per imported row and part that may state its value; coin is null if that part has a price or is not needed
with
rows as (
  select imported_rows.place as place, imported_rows.id as id, imported_rows.account as account,
    imported_rows.occurred_at as occurred_at,
    imported.row_value is null and imported_rows.transfer_id is null as lacks_value,
    imported.fee_value is null
      and (imported_rows.transfer_id is null or not imported_rows.is_fee_money) as lacks_fee,
    imported.network_value is null and imported.network_quantity > 0 and not imported_rows.is_asset_money as lacks_network
  from staging.imported_rows as imported_rows
  join staging.imported_values as imported on imported.place = imported_rows.place
),
lacking as (
  select place, id, account, occurred_at, 'asset' as part from rows where lacks_value
  union all
  select place, id, account, occurred_at, 'total' from rows where lacks_value
  union all
  select place, id, account, occurred_at, 'fee' from rows where lacks_fee
  union all
  select place, id, account, occurred_at, 'network' from rows where lacks_network
),
unpriced_parts as (
  select parts.place as place, parts.part as part, parts.coin as coin
  from staging.imported_parts as parts
  join main.valuations as valuations on valuations.entry_id = parts.part_id
  where valuations.steps is null
)
select lacking.place as place, lacking.id as id, lacking.account as account, lacking.occurred_at as occurred_at,
  lacking.part as part, parts.coin as coin
from lacking
left join unpriced_parts as parts on parts.place = lacking.place and parts.part = lacking.part
