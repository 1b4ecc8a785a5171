// Which layout a file of prices has: tieout's own or the ECB's, that of a service whose mapping is shipped,
// or that of the mapping file that the user names. Nothing is guessed: what the file does not state, the user
// has to.
import { UsageError } from '../../models/error.ts'
import { type CsvFile, firstRows } from './csv.ts'
import { resembles, separatorHint } from './format.ts'
import { A_ZONE, zoneNamed } from './layouts.ts'
import { columnsOf } from './mapping.ts'
import {
  headerOf,
  lackingOf,
  type PriceMapping,
  type PriceReading,
  readPriceMapping,
  requireHeaderOf,
  shippedPriceMappings,
} from './price-mapping.ts'
import { isOwnHeader, PLAIN_COLUMNS, PRICE_HEADERS } from './prices.ts'

export interface PriceOptions {
  readonly mapping?: string | undefined
  readonly zone?: string | undefined
  /** Coin that is priced, if the file does not state it. */
  readonly asset?: string | undefined
  /** Currency of the price. */
  readonly currency?: string | undefined
  /** Minutes of a candle. */
  readonly candle?: number | undefined
}

/**
 * How to read the file; null for one in the format of tieout or the ECB. UsageError for an unknown header.
 */
export function priceReadingFor(file: CsvFile, options: PriceOptions): PriceReading | null {
  const mapping = options.mapping === undefined ? recognised(file) : readPriceMapping(options.mapping)
  if (mapping === null) return null
  const hasHeader = requireHeaderOf(file, mapping) === 'header'
  const { name, time } = mapping
  const asset = told(mapping, 'asset', options.asset, 'the code of the coin, such as BTC')
  const currency = told(mapping, 'currency', options.currency, 'the code of the currency, such as USD')
  if (asset !== null && asset === currency)
    throw new UsageError('A coin is priced in its own units.', {
      where: '--asset, --currency',
      expected: 'a coin, and another coin or currency',
      found: asset,
      action: 'Correct one of the two.',
    })
  const isZoneOpen = time.zone === 'given'
  if (isZoneOpen !== (options.zone !== undefined)) throw unfit('zone', isZoneOpen, name, A_ZONE, options.zone)
  const isOpen = time.closes_after === 'given'
  if (options.candle !== undefined && !(Number.isInteger(options.candle) && options.candle > 0))
    throw unfit('candle', true, name, MINUTES, options.candle)
  if (isOpen !== (options.candle !== undefined)) throw unfit('candle', isOpen, name, MINUTES, options.candle)
  return {
    mapping,
    asset,
    currency,
    zone: zoneNamed(options.zone, time.zone),
    closesAfterMinutes: options.candle ?? (time.closes_after as number),
    hasHeader,
  }
}

const MINUTES = 'the minutes of a candle, a whole number such as 60'

/** What a column states, or else the user; null for a column. */
function told(
  mapping: PriceMapping,
  what: 'asset' | 'currency',
  given: string | undefined,
  expected: string,
): string | null {
  const isOpen = mapping[what] === undefined
  if (isOpen !== (given !== undefined)) throw unfit(what, isOpen, mapping.name, expected, given)
  if (given === undefined) return null
  if (/^\S{1,64}$/.test(given)) return given
  throw new UsageError('Invalid coin or currency code.', {
    where: `--${what}`,
    expected,
    found: given,
    action: 'Correct the code.',
  })
}

function unfit(option: string, isOpen: boolean, name: string, expected: string, found: unknown): UsageError {
  return new UsageError(
    isOpen ? `The file does not state its ${option}.` : `The file states its own ${option}.`,
    {
      where: `--${option}`,
      expected: isOpen
        ? `${expected}, because a file of ${name} has none`
        : `none, because a file of ${name} states it`,
      found: found === undefined ? 'none' : String(found),
      action: isOpen ? 'Give it; it is often part of the file’s name.' : 'Omit the option.',
    },
  )
}

/** The mapping of the service whose file this is; null for a file in the format of tieout or the ECB. */
function recognised(file: CsvFile): PriceMapping | null {
  const [first = []] = firstRows(file, 1)
  if (isOwnHeader(first)) return null
  const shipped = shippedPriceMappings()
  const fitting = shipped.filter((mapping) => headerOf(file, mapping) !== null)
  // If two mappings fit, the one that requires more columns is the better match.
  const best = fitting.toSorted((a, b) => b.columns.length - a.columns.length)[0]
  if (best !== undefined) return best
  if (resembles(first, PLAIN_COLUMNS)) return null
  const [near] = shipped
    .map((mapping) => {
      const [cells = []] = firstRows(file, 1, mapping.delimiter)
      return { name: mapping.name, missing: lackingOf(mapping, columnsOf(cells)) }
    })
    .toSorted((a, b) => a.missing.length - b.missing.length)
  throw new UsageError('Unexpected header.', {
    where: `${file.name}:1`,
    expected:
      `${PRICE_HEADERS.join(' or ')}${separatorHint(first)}, the ECB’s reference rates, or a file of a service: ` +
      `${shipped.map(({ name }) => name).join(', ')}` +
      (near === undefined ? '' : ` (nearest: ${near.name}, without ${near.missing.join(', ')})`),
    found: first.join(','),
    action:
      'Import the file as the service provides it, or describe it with --mapping; nothing of it has been imported.',
  })
}
