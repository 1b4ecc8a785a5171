-- Trades, transfers, income and gifts that the user imported from elsewhere. Each id appears once, as first imported;
-- withdrawn imports are excluded.
-- grain: one row per id
-- keys:  id unique
-- columns:
--   id: Id of the row in the user's file.
--   place: Position in the sequence of all imported rows: by time, then import, then position in the file.
--   occurred_at: When it happened, to the microsecond.
--   nanos: Nanoseconds beyond the microsecond.
--   account: Account that the row names; it need not be in the configuration.
--   type: buy, sell, transfer_out, transfer_in, income, gift_in or gift_out.
--   asset: Coin that was received or given.
--   quantity: Quantity of the asset, before a fee in the asset itself.
--   currency: Currency or coin of the total; null if none is stated.
--   total: Consideration before the fee, or the value at the time; null if none is stated.
--   fee: Fee, positive when paid and negative for a rebate.
--   fee_currency: Currency or coin of the fee; null where there is none.
--   file_name: File that first brought the row.
--   page_id: Journal frame of that import.
--   page_row: Position of the row in the file, from 0.
--   first_seen_at: When it was imported.
with
ranked as (
  select imported_trades.page_id as page_id, imported_trades.page_row as page_row, imported_trades.id as id,
    imported_trades.occurred_at as occurred_at, imported_trades.nanos as nanos, imported_trades.account as account,
    imported_trades.type as type, imported_trades.asset as asset, imported_trades.quantity as quantity,
    imported_trades.currency as currency, imported_trades.total as total, imported_trades.fee as fee,
    imported_trades.fee_currency as fee_currency,
    row_number() over (partition by id order by page_id, page_row) as observation
  from landing.imported_trades
  anti join landing.import_withdrawals using (page_id)
)
select ranked.id as id,
  row_number() over (order by occurred_at, nanos, ranked.page_id, page_row) as place,
  occurred_at, nanos, account, type, asset, quantity, currency, total, fee, fee_currency,
  imports.file_name as file_name, ranked.page_id as page_id, page_row, imports.imported_at as first_seen_at
from ranked
join landing.imports as imports on imports.page_id = ranked.page_id
where observation = 1
