// Trades from elsewhere: the venue-neutral CSV of the contract, section "Import CSV of trades".
// What a type cannot be without must be there; what it may be without stays unknown, never zero.

import { type CsvFile, readCsv } from './csv.ts'
import { type ImportedRow, type ImportFormat, requireHeader, SeenOnce } from './format.ts'
import { ImportRow } from './row.ts'
import { importedTradesTable } from './tables.ts'

export const TRADE_COLUMNS = [
  'id',
  'time',
  'account',
  'type',
  'asset',
  'quantity',
  'currency',
  'total',
  'fee',
  'fee_currency',
] as const

export const TRADE_TYPES = [
  'buy',
  'sell',
  'transfer_out',
  'transfer_in',
  'income',
  'gift_in',
  'gift_out',
] as const

type TradeType = (typeof TRADE_TYPES)[number]

export const tradesFormat: ImportFormat = {
  kind: 'trades',
  table: importedTradesTable,
  identity: ['id'],
  read: readTrades,
}

function readTrades(file: CsvFile): ImportedRow[] {
  const rows: ImportedRow[] = []
  const seen = new SeenOnce(file.name, 'id')
  readCsv(file, (header) => {
    const columns = requireHeader(file.name, header, [TRADE_COLUMNS])
    return (line) => {
      const row = new ImportRow(file.name, columns, line)
      seen.add(row.id(), row.line)
      const values = tradeValues(row)
      rows.push({ line: row.line, values, rounded: row.takeRounded() })
    }
  })
  return rows
}

/** The values of one row, in the order of the landing table. */
function tradeValues(row: ImportRow): ImportedRow['values'] {
  const { micros, nanos } = row.instant()
  const type = typeOf(row)
  const isTransfer = type === 'transfer_in' || type === 'transfer_out'
  if (isTransfer && row.id().startsWith(':'))
    throw row.refuse('id', 'The id of a transfer ties nothing.', 'what ties its two legs, before the colon')
  const asset = row.code('asset')
  const quantity = row.amount('quantity', 'above zero')
  const { currency, total } = consideration(row, type)
  if (currency === asset)
    throw row.refuse('currency', 'A coin is paid with itself.', 'another coin or currency')
  const fee = row.optionalAmount('fee', 'any') ?? 0n
  const feeCurrency = row.optionalCode('fee_currency')
  if (fee !== 0n && feeCurrency === null)
    throw row.refuse('fee_currency', 'A fee has no currency.', 'the coin or currency of the fee')
  const known = [row.id(), micros, nanos, row.account(), type, asset, quantity]
  return [...known, currency, total, fee, feeCurrency]
}

function typeOf(row: ImportRow): TradeType {
  const text = row.text('type')
  const type = TRADE_TYPES.find((name) => name === text)
  if (type !== undefined) return type
  throw row.refuse('type', 'A type is not known.', `one of ${TRADE_TYPES.join(', ')}`)
}

/** A purchase or sale has its price; of income and gifts it may be unknown; a transfer needs none. */
function consideration(row: ImportRow, type: TradeType): { currency: string | null; total: bigint | null } {
  const currency = row.optionalCode('currency')
  const total = row.optionalAmount('total', 'not below zero')
  const isTrade = type === 'buy' || type === 'sell'
  if (currency === null && (isTrade || (total !== null && total !== 0n)))
    throw row.refuse('currency', `A row of type ${type} has no currency.`, 'the currency of its total')
  const isTransfer = type === 'transfer_in' || type === 'transfer_out'
  if (total === null && currency !== null && !isTransfer)
    throw row.refuse('total', `A row of type ${type} has no total.`, 'what was paid or what it was worth')
  // Nobody moves coins that are worth nothing: a zero beside a transfer states no value.
  return isTransfer && total === 0n ? { currency, total: null } : { currency, total }
}
