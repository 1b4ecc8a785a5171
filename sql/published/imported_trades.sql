-- Trades, transfers, income and gifts that the user imported from elsewhere. Each id appears once, as first imported;
-- withdrawn imports are excluded.
-- grain: one row per id
-- keys:  id unique
-- columns:
--   id: Id of the row in the user's file.
--   place: Position in the sequence of all imported rows: by time, then import, then position in the file, from the end if the
--     file has the newest row first.
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
steps as (
  select page_id, occurred_at, nanos,
    lag(or_null(occurred_at), 1, null) over (partition by page_id order by page_row) as previous_at,
    lag(or_null(nanos), 1, null) over (partition by page_id order by page_row) as previous_nanos
  from landing.imported_trades
),
-- Its times fall and never rise, so rows of one instant are in reverse order too.
newest_first as (
  select page_id
  from steps
  where previous_at is not null
  group by page_id
  having bool_or(occurred_at < previous_at or (occurred_at = previous_at and nanos < previous_nanos))
    and bool_and(occurred_at < previous_at or (occurred_at = previous_at and nanos <= previous_nanos))
),
ranked as (
  select imported_trades.page_id as page_id, imported_trades.page_row as page_row, imported_trades.id as id,
    imported_trades.occurred_at as occurred_at, imported_trades.nanos as nanos, imported_trades.account as account,
    imported_trades.type as type, imported_trades.asset as asset, imported_trades.quantity as quantity,
    imported_trades.currency as currency, imported_trades.total as total, imported_trades.fee as fee,
    imported_trades.fee_currency as fee_currency,
    case when newest_first.page_id is null then imported_trades.page_row else -imported_trades.page_row end
      as place_in_file,
    row_number() over (partition by id order by imported_trades.page_id, page_row) as observation
  from landing.imported_trades
  anti join landing.import_withdrawals using (page_id)
  left join newest_first on newest_first.page_id = imported_trades.page_id
)
select ranked.id as id,
  cast(row_number() over (order by occurred_at, nanos, ranked.page_id, place_in_file) as bigint) as place,
  occurred_at, nanos, account, type, asset, quantity, currency, total, fee, fee_currency,
  imports.file_name as file_name, ranked.page_id as page_id, page_row, imports.imported_at as first_seen_at
from ranked
join landing.imports as imports on imports.page_id = ranked.page_id
where observation = 1
