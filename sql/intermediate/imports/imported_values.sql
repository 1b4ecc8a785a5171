-- The value of imported rows and their fees in the reporting currency. A total in money states it. For a coin-to-coin trade it
-- comes from the side that has a price from better sources or over fewer prices, the received side first. A fee in a coin of its
-- own row is worth its share of the row. What nothing states is null, never zero.
-- grain: one row per place
with
parts as (
  select parts.place as place, parts.part as part, valuations.value as value,
    valuations.rank * 10 + valuations.steps as distance
  from staging.imported_parts as parts
  left join main.valuations as valuations on valuations.entry_id = parts.part_id
),
sides as (
  select rows.place as place, rows.type as type, rows.asset as asset, rows.quantity as quantity,
    rows.currency as currency, rows.total as total,
    case when coalesce(transfers.is_of_venue, false) then 0 else rows.fee end as fee, rows.fee_currency as fee_currency,
    rows.is_total_money as is_total_money, rows.is_asset_money as is_asset_money,
    asset_part.value as asset_value, coalesce(asset_part.distance, 999999) as asset_distance,
    total_part.value as total_value, coalesce(total_part.distance, 999999) as total_distance,
    fee_part.value as fee_part_value, network_part.value as network_part_value,
    transfers.network_quantity as network_quantity
  from staging.imported_rows as rows
  left join parts as asset_part on asset_part.place = rows.place and asset_part.part = 'asset'
  left join parts as total_part on total_part.place = rows.place and total_part.part = 'total'
  left join parts as fee_part on fee_part.place = rows.place and fee_part.part = 'fee'
  left join parts as network_part on network_part.place = rows.place and network_part.part = 'network'
  left join staging.imported_transfers as transfers on transfers.place = rows.place
),
valued as (
  select sides.*,
    case
      when total = 0 then cast(0 as decimal(38, 18))
      when is_total_money then total_value
      when total is null then asset_value
      when is_asset_money and type in ('buy', 'sell') then asset_value
      when type not in ('buy', 'sell') then coalesce(total_value, asset_value)
      when asset_distance < total_distance or (asset_distance = total_distance and type = 'buy') then asset_value
      else total_value
    end as row_value
  from sides
),
shares as (
  select valued.*,
    case
      when fee = 0 then cast(0 as decimal(38, 18))
      when fee_currency = asset then coalesce(exact_ratio(row_value, abs(fee), quantity), fee_part_value)
      when fee_currency = currency and total > 0
        then coalesce(exact_ratio(row_value, abs(fee), total), fee_part_value)
      else fee_part_value
    end as fee_size
  from valued
)
select place, row_value,
  case when fee < 0 then -fee_size else fee_size end as fee_value,
  case
    when shares.network_quantity > 0 then coalesce(exact_ratio(row_value, shares.network_quantity, quantity), network_part_value)
  end as network_value,
  coalesce(shares.network_quantity, 0) as network_quantity
from shares
