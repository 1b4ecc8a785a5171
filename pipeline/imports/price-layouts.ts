// Which layout a file of prices has: tieout's own or the ECB's, that of a service whose mapping ships, or that of the mapping
// file that the user names. Nothing about a file is guessed: what it does not say, the user has to.
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
  /** Coin that is priced, of a file that does not say it. */
  readonly asset?: string | undefined
  /** In which currency. */
  readonly currency?: string | undefined
  /** Minutes of a candle. */
  readonly candle?: number | undefined
}

/** How to read the file; null for one in the format of tieout or the ECB. UsageError for a header that nothing knows. */
export function priceReadingFor(file: CsvFile, options: PriceOptions): PriceReading | null {
  const mapping = options.mapping === undefined ? recognised(file) : readPriceMapping(options.mapping)
  if (mapping === null) return null
  const hasHeader = requireHeaderOf(file, mapping) === 'header'
  const { name, time } = mapping
  const asset = told(mapping, 'asset', options.asset, 'the code of the coin, such as BTC')
  const currency = told(mapping, 'currency', options.currency, 'the code of the currency, such as USD')
  if (asset !== null && asset === currency)
    throw new UsageError('A coin is priced in itself.', {
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

/** What a column says, or else the user; null for a column. */
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
  throw new UsageError('This is not the code of a coin or currency.', {
    where: `--${what}`,
    expected,
    found: given,
    action: 'Correct the code.',
  })
}

function unfit(option: string, isOpen: boolean, name: string, expected: string, found: unknown): UsageError {
  return new UsageError(
    isOpen ? `The file does not say its ${option}.` : `The file says its ${option} itself.`,
    {
      where: `--${option}`,
      expected: isOpen ? `${expected}, as a file of ${name} has none` : `none, as a file of ${name} has it`,
      found: found === undefined ? 'none' : String(found),
      action: isOpen ? 'Give it; the name of the file often has it.' : 'Leave the option out.',
    },
  )
}

/** The mapping of the service whose file this is; null for a file in the format of tieout or the ECB. */
function recognised(file: CsvFile): PriceMapping | null {
  const [first = []] = firstRows(file, 1)
  if (isOwnHeader(first)) return null
  const shipped = shippedPriceMappings()
  const fitting = shipped.filter((mapping) => headerOf(file, mapping) !== null)
  // Of two that fit, the one that asks for more knows the file better.
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
      'Import the file as the service has it, or describe it with --mapping; nothing of it has been imported.',
  })
}
