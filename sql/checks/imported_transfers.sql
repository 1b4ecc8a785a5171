-- Every leg of an imported transfer of coins has its other leg, and no more arrives than left.
-- grain: one row per leg without its other leg, and one per transfer of which more arrived than left
select 'warning' as severity, book_account as account, cast(null as varchar) as ledger, asset as coin, occurred_at,
  case when type = 'transfer_in' then coalesce(twin_quantity, 0) else quantity end as expected,
  case when type = 'transfer_in' then quantity else coalesce(twin_quantity, 0) end as found,
  case when type = 'transfer_in' then quantity - coalesce(twin_quantity, 0) else coalesce(twin_quantity, 0) - quantity end
    as difference,
  case
    when twin_place is not null then 'More arrived with ' || id || ' than left; the excess has no known cost.'
    when type = 'transfer_in'
      then 'The transfer ' || id || ' arrived and nothing states where it left: its cost is unknown. Import the outgoing leg, '
        || 'with an id that begins with ' || transfer_id || ':.'
    else 'The transfer ' || id || ' left and nothing states where it arrived. Import the incoming leg, with an id that begins '
      || 'with ' || transfer_id || ':.'
  end as explanation,
  cast(to_json([id]) as varchar) as evidence, id as culprit
from staging.imported_transfers
where not is_asset_money and (twin_place is null or (type = 'transfer_in' and quantity > twin_quantity))
