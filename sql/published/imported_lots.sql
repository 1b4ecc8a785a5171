-- Opening lots that the user imported: what was held before the books begin. Each id appears once, as first imported;
-- withdrawn imports are excluded.
-- grain: one row per id
-- keys:  id unique
-- columns:
--   id: Id of the lot in the user's file.
--   acquired_at: When it was acquired, to the microsecond.
--   nanos: Nanoseconds beyond the microsecond.
--   account: Account that holds it.
--   asset: Coin.
--   quantity: Quantity of the coin.
--   basis: Its cost, fees included; null if not stated.
--   currency: Currency or coin of the basis; null without one.
--   file_name: File that first brought the lot.
--   page_id: Journal frame of that import.
--   page_row: Position of the row in the file, from 0.
--   first_seen_at: When it was imported.
with
ranked as (
  select imported_lots.page_id as page_id, imported_lots.page_row as page_row, imported_lots.id as id,
    imported_lots.acquired_at as acquired_at, imported_lots.nanos as nanos, imported_lots.account as account,
    imported_lots.asset as asset, imported_lots.quantity as quantity, imported_lots.basis as basis,
    imported_lots.currency as currency, row_number() over (partition by id order by page_id, page_row) as observation
  from landing.imported_lots
  anti join landing.import_withdrawals using (page_id)
)
select id, acquired_at, nanos, account, asset, quantity, basis, currency, imports.file_name as file_name,
  ranked.page_id as page_id,
  page_row, imports.imported_at as first_seen_at
from ranked
join landing.imports as imports on imports.page_id = ranked.page_id
where observation = 1
