// Trades from elsewhere: the venue-neutral CSV of the contract, section "Import CSV of trades". Fields that a
// type requires must be present; optional fields stay unknown, never zero.

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

export type TradeType = (typeof TRADE_TYPES)[number]

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
      const values = tradeValues(row, seen)
      rows.push({ line: row.line, values, rounded: row.takeRounded() })
    }
  })
  return rows
}

/** The values of one row, in the order of the landing table. */
function tradeValues(row: ImportRow, seen: SeenOnce): ImportedRow['values'] {
  const [id, { micros, nanos }, account, type, asset, quantity, paid, [fee, feeCurrency]] = row.together(
    () => seen.add(row.id(), row.line),
    () => row.instant(),
    () => row.account(),
    () => typeOf(row),
    () => row.code('asset'),
    () => row.amount('quantity', 'above zero'),
    () => paidOf(row),
    () => feeOf(row),
  )
  if (isTransfer(type) && id.startsWith(':'))
    throw row.refuse(
      'id',
      'The id of a transfer does not tie its legs.',
      'an id that is the same before the colon in both legs',
    )
  const { currency, total } = consideration(row, type, paid)
  if (currency === asset)
    throw row.refuse('currency', 'A coin is paid for with itself.', 'another coin or currency')
  return [id, micros, nanos, account, type, asset, quantity, currency, total, fee, feeCurrency]
}

const isTransfer = (type: TradeType): boolean => type === 'transfer_in' || type === 'transfer_out'

function feeOf(row: ImportRow): readonly [fee: bigint, currency: string | null] {
  const [fee, currency] = row.together(
    () => row.optionalAmount('fee', 'any') ?? 0n,
    () => row.optionalCode('fee_currency'),
  )
  if (fee === 0n || currency !== null) return [fee, currency]
  throw row.refuse('fee_currency', 'A fee has no currency.', 'the coin or currency of the fee')
}

function typeOf(row: ImportRow): TradeType {
  const text = row.text('type')
  const type = TRADE_TYPES.find((name) => name === text)
  if (type !== undefined) return type
  throw row.refuse('type', 'Unknown type.', `one of ${TRADE_TYPES.join(', ')}`)
}

interface Paid {
  readonly currency: string | null
  readonly total: bigint | null
}

function paidOf(row: ImportRow): Paid {
  const [currency, total] = row.together(
    () => row.optionalCode('currency'),
    () => row.optionalAmount('total', 'not below zero'),
  )
  return { currency, total }
}

/** A purchase or sale has its price; for income and gifts it may be unknown; a transfer needs none. */
function consideration(row: ImportRow, type: TradeType, { currency, total }: Paid): Paid {
  const isTrade = type === 'buy' || type === 'sell'
  if (currency === null && (isTrade || (total !== null && total !== 0n)))
    throw row.refuse('currency', `A row of type ${type} has no currency.`, 'the currency of its total')
  if (total === null && currency !== null && !isTransfer(type))
    throw row.refuse('total', `A row of type ${type} has no total.`, 'what was paid or what it was worth')
  // Nobody moves coins that are worth nothing: a zero on a transfer states no value.
  return isTransfer(type) && total === 0n ? { currency, total: null } : { currency, total }
}
