// Which layout a file of trades has: tieout's own, that of a service whose mapping is shipped, or that of the
// mapping file that the user names. The header decides, and nothing is guessed: what the file does not state,
// the user has to.
import { UsageError } from '../../models/error.ts'
import { unseenIn } from '../../models/text.ts'
import { offsetsOf } from '../../models/zone.ts'
import { type CsvFile, firstRows } from './csv.ts'
import { resembles, separatorHint } from './format.ts'
import {
  columnsOf,
  lacking,
  type Mapping,
  preambleOf,
  type Reading,
  readMapping,
  shippedMappings,
} from './mapping.ts'
import { quoteCodes } from './money.ts'
import { isAccountName } from './row.ts'
import { TRADE_COLUMNS } from './trades.ts'

interface Options {
  readonly dir: string
  readonly account?: string | undefined
  readonly mapping?: string | undefined
  readonly zone?: string | undefined
}

/** How to read the file; null for one in tieout's own format. UsageError for an unknown header. */
export function readingFor(file: CsvFile, options: Options): Reading | null {
  const mapping = options.mapping === undefined ? recognised(file) : readMapping(options.mapping)
  if (mapping === null) return null
  return {
    mapping,
    account: accountOf(mapping, options),
    zone: zoneOf(mapping, options),
    quotes: quoteCodes(options.dir),
  }
}

/** UsageError for options that describe a foreign layout if the file has none. */
export function refuseUnused(options: Readonly<Record<string, unknown>>, kind: string): void {
  const given = Object.entries(options).find(([, value]) => value !== undefined)
  if (given === undefined) return
  throw new UsageError(`--${given[0]} is only for exports of other services.`, {
    where: `--${given[0]}`,
    expected: `none, because a file of ${kind} in tieout’s own format states it itself`,
    action: 'Omit the option.',
  })
}

/** The mapping of the service whose export this is; null for a file in tieout's own format. */
function recognised(file: CsvFile): Mapping | null {
  const [first = []] = firstRows(file, 1)
  // A header that begins like ours is meant to be ours, and its errors are reported as such.
  if (first.length === 0 || first[0] === TRADE_COLUMNS[0]) return null
  const shipped = shippedMappings()
  const fitting = shipped.filter((mapping) => preambleOf(file, mapping) !== null)
  // If two mappings fit, the one that requires more columns is the better match.
  const best = fitting.toSorted((a, b) => b.columns.length - a.columns.length)[0]
  if (best !== undefined) return best
  if (resembles(first, TRADE_COLUMNS)) return null
  const names = [...new Set(shipped.map(({ name }) => name))]
  const [near] = shipped
    .map((mapping) => ({ name: mapping.name, missing: lacking(mapping, columnsOf(first)) }))
    .toSorted((a, b) => a.missing.length - b.missing.length)
  throw new UsageError('Unexpected header.', {
    where: `${file.name}:1`,
    expected:
      `${TRADE_COLUMNS.join(',')}${separatorHint(first)}, or the export of a service: ${names.join(', ')}` +
      (near === undefined ? '' : ` (nearest: ${near.name}, without ${near.missing.join(', ')})`),
    found: first.join(','),
    action:
      'Import the file as the service exports it, or describe it with --mapping; nothing of it has been imported.',
  })
}

function accountOf({ name, fields }: Mapping, { account }: Options): string | null {
  if (account !== undefined) return accountNamed(account)
  if (fields.account !== undefined || fields.in_account !== undefined) return null
  throw new UsageError('The file does not name its account.', {
    where: '--account',
    expected: `a name for the account, because an export of ${name} has none`,
    found: 'none',
    action: 'Name it, such as --account kraken; use the same name for all exports of that account.',
  })
}

function accountNamed(account: string): string {
  if (isAccountName(account) && unseenIn(account, 'name') === null) return account
  throw new UsageError('Invalid account name.', {
    where: '--account',
    expected: '1 to 64 visible characters, no space at either end, no slash',
    found: account,
    action: 'Choose another name; use the same name for all exports of that account.',
  })
}

function zoneOf({ name, time }: Mapping, { zone }: Options): string {
  const isOpen = time.zone === 'given'
  if (isOpen === (zone !== undefined)) return zoneNamed(zone, time.zone)
  throw new UsageError(
    isOpen
      ? 'The file does not state the time zone of its times.'
      : 'The times in this file already have a time zone.',
    {
      where: '--zone',
      expected: isOpen ? A_ZONE : `none: ${name} writes times in ${time.zone}`,
      found: zone ?? 'none',
      action: isOpen
        ? 'Give the zone that is set in your account at the service, or stated in the name of the file.'
        : 'Omit the option.',
    },
  )
}

/** The zone of the option or else of the mapping; UsageError for an unknown zone. */
export const zoneNamed = (given: string | undefined, ofMapping: string): string =>
  given === undefined ? knownZone(ofMapping, 'time.zone of the mapping') : knownZone(given, '--zone')

export const A_ZONE =
  'the IANA name of a time zone, such as Europe/Berlin or UTC, or whole hours such as UTC+2'

/** `UTC+2` has an IANA name too, with the sign reversed: Etc/GMT-2. */
const ianaOf = (zone: string): string =>
  zone.replace(/^UTC([+-])0?(\d{1,2})$/, (_, sign: string, hours: string) =>
    hours === '0' ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`,
  )

function knownZone(given: string, where: string): string {
  try {
    const zone = ianaOf(given)
    offsetsOf(zone)
    return zone
  } catch (cause) {
    throw new UsageError('Unknown time zone.', {
      where,
      expected: A_ZONE,
      found: given,
      action: 'Correct the name.',
      cause,
    })
  }
}
