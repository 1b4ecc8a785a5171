// Prices: a plain CSV `time,asset,currency,price` with or without a source, or the reference rates of the
// European Central Bank as it publishes them (eurofxref-hist.csv and eurofxref.csv: a date, then a column for
// each currency, units for one euro, N/A for no rate). The header shows which.

import { type CsvFile, type CsvLine, readCsv } from './csv.ts'
import { type ImportedRow, type ImportFormat, requireHeader, SeenOnce } from './format.ts'
import { type InstantResult, parseDate, parseInstant, parseWrittenDate } from './instant.ts'
import { ImportRow } from './row.ts'
import { importedPricesTable } from './tables.ts'

export const PLAIN_COLUMNS = ['time', 'asset', 'currency', 'price'] as const
const SOURCED_COLUMNS = [...PLAIN_COLUMNS, 'source'] as const

/** Source of prices whose file names none. */
const UNNAMED_SOURCE = 'import'
/** Sources that the books name themselves. */
export const OWN_SOURCES: readonly string[] = ['trades', 'p2p', 'marks', 'ltv']

export const pricesFormat: ImportFormat = {
  kind: 'prices',
  table: importedPricesTable,
  identity: ['priced_at', 'asset', 'currency', 'source'],
  read: readPrices,
}

/** Two rows with the same moment, pair and source are one price. */
export function priceIdentity(micros: bigint, asset: string, currency: string, source: string): string {
  const day = new Date(Number(micros / 1000n)).toISOString()
  return `${asset} in ${currency} at ${day} (${source}, ${micros % 1000n} µs)`
}

function readPrices(file: CsvFile): ImportedRow[] {
  const rows: ImportedRow[] = []
  const seen = new SeenOnce(file.name, 'price')
  const add: Add = (row, ...values) => {
    const [micros, asset, currency, , source] = values
    seen.add(priceIdentity(micros, asset, currency, source), row.line)
    rows.push({ line: row.line, values, rounded: row.takeRounded() })
  }
  readCsv(file, (header) => {
    if (isReferenceRates(header)) return readReferenceRates(file, header, add)
    const columns = requireHeader(file.name, header, [PLAIN_COLUMNS, SOURCED_COLUMNS])
    return (line) => {
      const row = new ImportRow(file.name, columns, line)
      const [at, asset, currency, price, source] = row.together(
        () => priceTime(row),
        () => row.code('asset'),
        () => row.code('currency'),
        () => row.amount('price', 'above zero'),
        () => sourceOf(row),
      )
      if (asset === currency)
        throw row.refuse('currency', 'A coin is priced in its own units.', 'another coin or currency')
      add(row, at, asset, currency, price, source)
    }
  })
  return rows
}

/** A date alone is the price of that UTC day, from its first instant. */
function priceTime(row: ImportRow): bigint {
  const { micros, nanos } = row.instant('time', (text) =>
    /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDate(text) : parseInstant(text),
  )
  if (nanos === 0) return micros
  throw row.refuse(
    'time',
    'A time is more precise than prices are stored.',
    'at most six decimals of a second',
  )
}

function sourceOf(row: ImportRow): string {
  if (row.isEmpty('source')) return UNNAMED_SOURCE
  const source = row.id('source')
  if (!OWN_SOURCES.includes(source)) return source
  throw row.refuse('source', 'A source has a reserved name.', `a name other than ${OWN_SOURCES.join(', ')}`)
}

export const PRICE_HEADERS = [PLAIN_COLUMNS, SOURCED_COLUMNS].map((columns) => columns.join(','))

/** A header that is ours, or begins like ours and is meant to be ours, or is the ECB's. */
export const isOwnHeader = (cells: readonly string[]): boolean =>
  cells.length === 0 || cells[0] === PLAIN_COLUMNS[0] || isReferenceRates({ number: 1, cells })

const isReferenceRates = ({ cells }: CsvLine): boolean =>
  cells.length > 1 &&
  cells[0]?.trim() === 'Date' &&
  cells.slice(1).every((cell) => /^\s*([A-Z]{3})?\s*$/.test(cell))

type Add = (
  row: ImportRow,
  micros: bigint,
  asset: string,
  currency: string,
  price: bigint,
  source: string,
) => void

/**
 * Both files end their lines with a comma, and the daily one has spaces after commas and its date in words.
 */
function readReferenceRates(file: CsvFile, header: CsvLine, add: Add): (line: CsvLine) => void {
  const columns = header.cells.map((cell) => cell.trim())
  return (line) => {
    const cells = line.cells.map((cell) => cell.trim())
    const row = new ImportRow(file.name, columns, { number: line.number, cells })
    const { micros } = row.instant('Date', readDate)
    const priced = columns
      .slice(1)
      .filter((currency) => currency !== '' && !row.isEmpty(currency) && row.text(currency) !== 'N/A')
    row.together(
      ...priced.map(
        (currency) => () => add(row, micros, 'EUR', currency, row.amount(currency, 'above zero'), 'ecb'),
      ),
    )
  }
}

const readDate = (text: string): InstantResult =>
  /^\d{4}-/.test(text) ? parseDate(text) : parseWrittenDate(text)
