// Turns a journaled import into rows again, with the reading that accepted the user's file before it was journaled.
// Does the same for an answer of a price source.
import { CorruptionError, UsageError } from '../../models/error.ts'
import { decodeJson } from '../../models/json.ts'
import type { CsvFile } from '../imports/csv.ts'
import { type FetchedPrice, type NoPrice, readFetchedPrices } from '../imports/fetched-prices.ts'
import type { ImportedRow } from '../imports/format.ts'
import { importFormats, isImportKind } from '../imports/formats.ts'
import { readMapped } from '../imports/mapped.ts'
import { readMappedPrices } from '../imports/mapped-prices.ts'
import { readingOf } from '../imports/mapping.ts'
import { priceReadingOf } from '../imports/price-mapping.ts'
import type { ImportMeta, PricesMeta } from '../journal/frame.ts'
import { fromNewerVersion } from './errors.ts'
import { rowSpans } from './raw-row.ts'

const UNKNOWN_KIND = 'The journal has an import of a kind that this version of tieout does not know.'
const UNKNOWN_MAPPING = 'The journal has an import whose mapping this version of tieout does not know.'

/**
 * Table and rows of an import; an erased body has none. Throws a CorruptionError for a file that can no longer be read.
 */
export function readJournaledImport(
  seq: number,
  { imports, file, reading }: ImportMeta,
  body: Uint8Array | null,
): { readonly table: string; readonly rows: readonly ImportedRow[] } {
  if (!isImportKind(imports)) throw fromNewerVersion(UNKNOWN_KIND, seq, imports)
  const { table, read } = importFormats[imports]
  const mapped = reading === undefined ? null : mappedBy(imports, reading)
  if (reading !== undefined && mapped === null) throw fromNewerVersion(UNKNOWN_MAPPING, seq, file)
  try {
    if (body === null) return { table: table.name, rows: [] }
    const received = { name: file, bytes: body }
    return { table: table.name, rows: mapped === null ? read(received) : mapped(received) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw unreadable(
      seq,
      error.details.where ?? file,
      'the file as it was read when it was imported',
      error.message,
    )
  }
}

/** How the journaled reading parses a file; null if this version does not know it. */
function mappedBy(
  imports: ImportMeta['imports'],
  reading: unknown,
): ((file: CsvFile) => readonly ImportedRow[]) | null {
  const [ofPrices, ofTrades] = [imports === 'prices' ? priceReadingOf(reading) : null, readingOf(reading)]
  if (ofPrices !== null) return (file) => readMappedPrices(file, ofPrices, 'journaled').rows
  return ofTrades === null ? null : (file) => readMapped(file, ofTrades, 'journaled').rows
}

/** Name of the mapping by which an import was read; null for a file in tieout's own format. */
export function layoutOf({ imports, reading }: ImportMeta): string | null {
  const read = imports === 'prices' ? priceReadingOf(reading) : readingOf(reading)
  return read?.mapping.name ?? null
}

interface JournaledPrices {
  readonly prices: readonly FetchedPrice[]
  /** Rows that are not prices, with their text. */
  readonly none: readonly (NoPrice & { readonly raw: string | null })[]
}

/** Prices of an answer; an answer that could not be fetched or read, or that was erased, has none. */
export function readJournaledPrices(seq: number, meta: PricesMeta, body: Uint8Array | null): JournaledPrices {
  if (meta.covers === undefined || body === null) return { prices: [], none: [] }
  const read = readFetchedPrices(meta, body)
  if (typeof read === 'string')
    throw unreadable(seq, meta.request.path, 'prices, as they were read when they were fetched', read)
  const { prices, none } = read
  const raw = none.length === 0 ? [] : rowTexts(meta, body)
  return { prices, none: none.map((one) => ({ ...one, raw: raw[one.place] ?? null })) }
}

/** A line of reference rates counts from below the header; candles are the rows of the answer's data. */
function rowTexts({ source }: PricesMeta, body: Uint8Array): string[] {
  const text = decodeJson(body)
  if (source === 'ecb') return text.split(/\r?\n/).slice(1)
  return rowSpans(text, 'list').map(({ start, end }) => text.slice(start, end))
}

const unreadable = (seq: number, where: string, expected: string, found: string): CorruptionError =>
  new CorruptionError('An import in the journal can no longer be read.', {
    where: `frame ${seq}: ${where}`,
    expected,
    found,
    action:
      'Run `tieout verify`. If the journal verifies, report this: a file that was accepted must stay readable.',
  })
