// A price file of another service as rows of prices. A pure function of the bytes and the reading, because
// the journal keeps both. Rows without a price produce none.
import { type CsvFile, readCsv } from './csv.ts'
import { type ImportedRow, SeenOnce } from './format.ts'
import { type InstantResult, parseUnix, readerOf, UNIX_FORM } from './instant.ts'
import type { Aside } from './mapped.ts'
import { columnsOf } from './mapping.ts'
import { numbersOf, type Standing } from './numbers.ts'
import type { PriceMapping, PriceReading } from './price-mapping.ts'
import { priceIdentity } from './prices.ts'
import { ImportRow } from './row.ts'

const MINUTE_MICROS = 60_000_000n

/**
 * A candle ends with its last millisecond, as days do: if it ended later, the end of its day would not have
 * its close.
 */
const LAST_OF_CANDLE = 1_000n

const toMillisecond = (micros: bigint): bigint => micros - (micros % 1_000n)

/** UsageError with the positions of everything that is wrong. */
export function readMappedPrices(
  file: CsvFile,
  { mapping, asset, currency, zone, closesAfterMinutes, hasHeader }: PriceReading,
  standing: Standing,
): { readonly rows: readonly ImportedRow[]; readonly aside: readonly Aside[] } {
  const rows: ImportedRow[] = []
  let unpriced = 0
  const seen = new SeenOnce(file.name, mapping.time.column)
  const amounts = numbersOf(mapping.numbers, standing)
  const readTime = timeReader(mapping, zone)
  const later = closesAfterMinutes === 0 ? 0n : BigInt(closesAfterMinutes) * MINUTE_MICROS - LAST_OF_CANDLE
  const named = (name: string): string => mapping.assets[name.normalize('NFC')] ?? name
  readCsv(
    file,
    (header) => {
      const columns = columnsOf(header.cells)
      return (line) => {
        const cells = line.cells.map((cell, at) =>
          [mapping.asset, mapping.currency].includes(columns[at]) ? named(cell.trim()) : cell.trim(),
        )
        const row = new ImportRow(file.name, columns, { number: line.number, cells })
        if (amounts.isNothing(row.text(mapping.price))) {
          unpriced += 1
          return
        }
        const [micros, coin, money, price] = row.together(
          () => toMillisecond(timeOf(row, mapping, readTime)) + later,
          () => asset ?? row.code(mapping.asset as string),
          () => currency ?? row.code(mapping.currency as string),
          () => row.amount(mapping.price, 'above zero', amounts),
        )
        if (coin === money)
          throw row.refuse(
            mapping.currency ?? mapping.price,
            'A coin is priced in its own units.',
            'another coin or currency',
            coin,
          )
        seen.add(priceIdentity(micros, coin, money, mapping.name), row.line)
        rows.push({
          line: row.line,
          values: [micros, coin, money, price, mapping.name],
          rounded: row.takeRounded(),
        })
      }
    },
    { delimiter: mapping.delimiter, header: hasHeader ? undefined : mapping.columns },
  )
  return { rows, aside: unpriced === 0 ? [] : [{ what: 'without a price', rows: unpriced, left: [] }] }
}

function timeReader({ time: { forms } }: PriceMapping, zone: string): (text: string) => InstantResult {
  const written = forms.filter((form) => form !== UNIX_FORM)
  const read = readerOf(written, zone)
  return (text) => {
    if (!forms.includes(UNIX_FORM)) return read(text)
    const unix = parseUnix(text)
    return unix.ok || written.length === 0 ? unix : read(text)
  }
}

function timeOf(row: ImportRow, { time }: PriceMapping, read: (text: string) => InstantResult): bigint {
  const { micros, nanos } = row.instant(time.column, read, `a time such as ${time.forms.join(' or ')}`)
  if (nanos === 0) return micros
  throw row.refuse(
    time.column,
    'A time is more precise than prices are stored.',
    'at most six decimals of a second',
  )
}
