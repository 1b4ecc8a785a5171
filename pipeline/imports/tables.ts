// The tables in which rows of imported files and fetched prices land.
import { table } from '../engine/table.ts'

export const importedTradesTable = table(
  'imported_trades',
  `page_id: BIGINT, page_row: INTEGER, id, occurred_at: TIMESTAMPTZ, nanos: INTEGER, account, type, asset,
   quantity: DECIMAL(38,18), currency, total: DECIMAL(38,18), fee: DECIMAL(38,18), fee_currency`,
)

export const importedLotsTable = table(
  'imported_lots',
  `page_id: BIGINT, page_row: INTEGER, id, acquired_at: TIMESTAMPTZ, nanos: INTEGER, account, asset,
   quantity: DECIMAL(38,18), basis: DECIMAL(38,18), currency`,
)

export const importedPricesTable = table(
  'imported_prices',
  'page_id: BIGINT, page_row: INTEGER, priced_at: TIMESTAMPTZ, asset, currency, price: DECIMAL(38,18), source',
)

export const fetchedPricesTable = table(
  'fetched_prices',
  'page_id: BIGINT, page_row: INTEGER, priced_at: TIMESTAMPTZ, asset, currency, price: DECIMAL(38,18), source, unit',
)

/**
 * One answer of a price source: a row for each range that it completes, and a row with a reason for each
 * range in which it had something that is not a price. Without a range, and with the reason, if it could not
 * be fetched or read.
 */
export const pricePagesTable = table(
  'price_pages',
  `page_id: BIGINT, run_id, source, asset, currency, unit, path, status: INTEGER, received_at: TIMESTAMPTZ,
   starts_at: TIMESTAMPTZ, ends_at: TIMESTAMPTZ, row_count: INTEGER, problem`,
)
