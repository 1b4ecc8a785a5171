// How price files of other services are read: a mapping states, as data, which columns hold the time and the
// price, when a candle closes, and what the file does not state. The shipped ones are in data/prices;
// docs/imports.md explains the keys.
import { join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../../models/error.ts'
import { packageRoot } from '../config/root.ts'
import { type CsvFile, firstRows } from './csv.ts'
import { parseUnix, UNIX_FORM } from './instant.ts'
import {
  checkedMapping,
  columnsOf,
  contradictionOfForms,
  contradictory,
  delimiter,
  mappingFiles,
  mappingName,
  numbers,
  sought,
} from './mapping.ts'
import { OWN_SOURCES } from './prices.ts'

/** Sources that the books name themselves, and the words of the policy. */
const RESERVED_SOURCES: readonly string[] = [...OWN_SOURCES, 'candles', 'ecb', 'others', 'import']

const schema = z.strictObject({
  /** Source of its prices. */
  name: mappingName.refine((name) => !RESERVED_SOURCES.includes(name), {
    error: `expected a name other than ${RESERVED_SOURCES.join(', ')}`,
  }),
  title: z.string().optional(),
  /**
   * A header with all of these is this service's; for a file without a header, all of its columns in order.
   */
  columns: z.array(sought).min(2),
  /** Whether files have a header; `optional` if the service writes some with and some without. */
  header: z.enum(['required', 'optional', 'none']).default('required'),
  delimiter: delimiter.default(','),
  time: z.strictObject({
    column: sought,
    /** As in a mapping of trades, or `unix`. */
    forms: z.array(z.string()).min(1),
    /** IANA name, or `given` if --zone must state it. */
    zone: z.string().default('UTC'),
    /** Minutes from the time of a row to the moment of its price, or `given` if --candle must state it. */
    closes_after: z.union([z.literal('given'), z.int().min(0).max(44_640)]).default(0),
  }),
  price: sought,
  /** Column of the coin; without it --asset must state it. */
  asset: sought.optional(),
  /** Column of the currency; without it --currency must state it. */
  currency: sought.optional(),
  /** Other names of coins and currencies. */
  assets: z.record(sought, z.string()).default({}),
  numbers,
})

export type PriceMapping = z.output<typeof schema>

/**
 * Everything that reading a file by a mapping needs besides its bytes; the journal stores it with the file.
 */
export interface PriceReading {
  readonly mapping: PriceMapping
  /** Null if a column states it. */
  readonly asset: string | null
  readonly currency: string | null
  /** IANA name. */
  readonly zone: string
  readonly closesAfterMinutes: number
  readonly hasHeader: boolean
}

const reading = z.strictObject({
  mapping: schema,
  asset: z.string().nullable(),
  currency: z.string().nullable(),
  zone: z.string(),
  closesAfterMinutes: z.int(),
  hasHeader: z.boolean(),
})

/** The reading in a frame of the journal; null if it is not one. */
export function priceReadingOf(value: unknown): PriceReading | null {
  const checked = reading.safeParse(value)
  return checked.success ? checked.data : null
}

const SHIPPED = join(packageRoot, 'data', 'prices')

export const shippedPriceMappings = (): PriceMapping[] => mappingFiles(SHIPPED).map(readPriceMapping)

/**
 * UsageError for a file that is not a price mapping, with the line, and the nearest key for an unknown one.
 */
export function readPriceMapping(file: string): PriceMapping {
  const mapping = checkedMapping(file, schema, SHIPPED)
  const { columns, header, time, price, asset, currency } = mapping
  const written = time.forms.filter((form) => form !== UNIX_FORM)
  const wrong = contradictionOfForms(written, mapping.numbers)
  if (wrong !== null) throw contradictory(file, wrong)
  if (header === 'required') return mapping
  const unnamed = [time.column, price, asset, currency].find(
    (name) => name !== undefined && !columns.includes(name),
  )
  if (unnamed === undefined) return mapping
  throw contradictory(file, {
    expected: 'columns: every column of the file, because it may have no header',
    found: `no ${unnamed} among them`,
  })
}

/** Columns that the mapping needs and a header does not have. */
export function lackingOf(
  { columns, time, price, asset, currency }: PriceMapping,
  header: readonly string[],
): string[] {
  const named = [...columns, time.column, price, asset, currency].filter((name) => name !== undefined)
  return [...new Set(named)].filter((name) => !header.includes(name))
}

/** Whether the file has the header of the mapping; null if it is not one of its files. */
export function headerOf(file: CsvFile, mapping: PriceMapping): 'header' | 'none' | null {
  const [first = []] = firstRows(file, 1, mapping.delimiter)
  if (mapping.header !== 'none' && lackingOf(mapping, columnsOf(first)).length === 0) return 'header'
  if (mapping.header === 'required') return null
  // Without a header it is recognised by the number of cells, a valid time in the time column and a number in
  // the price column.
  const cell = (name: string): string => first[mapping.columns.indexOf(name)]?.trim() ?? ''
  const isTime = !mapping.time.forms.includes(UNIX_FORM) || parseUnix(cell(mapping.time.column)).ok
  return first.length === mapping.columns.length && isTime && /^\d/.test(cell(mapping.price)) ? 'none' : null
}

/** UsageError for a file that the mapping does not fit. */
export function requireHeaderOf(file: CsvFile, mapping: PriceMapping): 'header' | 'none' {
  const found = headerOf(file, mapping)
  if (found !== null) return found
  const [first = []] = firstRows(file, 1, mapping.delimiter)
  throw new UsageError('Unexpected header.', {
    where: `${file.name}:1`,
    expected: `the columns of the mapping ${mapping.name}; without a match: ${lackingOf(mapping, columnsOf(first)).join(', ')}`,
    found: first.length === 0 ? 'an empty file' : first.join(mapping.delimiter),
    action:
      'Import the file as the service exports it, or correct the mapping; nothing of it has been imported.',
  })
}
