// Where the disposals of a report come from: the published ones or, for another method, scope, rules or
// currency, a new run of the lots engine over the published `lot_events` into an in-memory database.

import { isDeepStrictEqual } from 'node:util'
import { listValue } from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader } from '../ledger/reader.ts'
import { BRINGING } from '../lots/named-lots.ts'
import { type LotsStepOptions, lotsStep } from '../lots/step.ts'
import { MATCHING_TABLE } from '../lots/tables.ts'
import { loadTable } from '../output/load.ts'
import type { Law } from '../rules/law.ts'
import { type LotChoice, lawOf, type Matching, matchingOf } from '../rules/matching.ts'
import { requireTable } from './report.ts'
import { canRevalue, publishedCurrency, revalueEvents } from './revalue.ts'

export interface Disposals {
  /** Has the table `disposals`. */
  readonly reader: Reader
  /** The law that they were matched under. */
  readonly law: Law
  /** How the lots were matched, and which of the owner's choices could not be followed. */
  readonly notes: readonly string[]
}

/**
 * The disposals under a choice, in the requested currency if the published values can be converted into it.
 * UsageError for an unknown method, scope or rules, or a combination that is not allowed.
 */
export async function disposalsOf(ledger: Ledger, choice: LotChoice, wanted?: string): Promise<Disposals> {
  const conversion = await conversionTo(ledger, wanted)
  const published = await publishedMatching(ledger)
  if (!isAsked(choice) && conversion === null)
    return {
      reader: ledger,
      law: lawOf(published === null ? choice : { rules: published.rules }),
      notes: [published === null ? NOT_TOLD : `As published: ${told(published)}.`],
    }
  const matching = matchingOf(choice)
  const isPublished =
    published !== null &&
    choice.selection === undefined &&
    choice.allocation === undefined &&
    isSame(published, matching)
  const { law } = matching
  if (isPublished && conversion === null)
    return {
      reader: ledger,
      law,
      notes: [`As published: ${told(published)}.`, ...nothingNamed(choice, matching)],
    }
  const reader = await computed(ledger, choice, matching, conversion)
  const how = told({ ...matching, rules: law.name, feesInKind: matching.options.feesInKind })
  const rates =
    conversion === null ? '' : `, from ${conversion.from} to ${conversion.to} at the rate of each time`
  return {
    reader,
    law,
    notes: [
      `Computed for this report: ${how}${rates}.`,
      ...nothingNamed(choice, matching),
      ...(await namedInVain(ledger, choice)),
      ...(await namedTooMuch(ledger, choice)),
      ...(await notFollowed(reader)),
    ],
  }
}

const isAsked = ({ method, scope, rules, selection, allocation, feesInKind }: LotChoice): boolean =>
  [method, scope, rules, selection, allocation, feesInKind].some((option) => option !== undefined)

/** Whether the published lots were matched this way. */
function isSame(published: Awaited<ReturnType<typeof publishedMatching>>, matching: Matching): boolean {
  const { law, options, calendar } = matching
  return (
    published !== null &&
    told(published) === told({ ...matching, rules: law.name, feesInKind: options.feesInKind }) &&
    published.timeZone === calendar.timeZone &&
    published.exchangeFeesGivenFromUs === (options.exchangeFeesGivenFromUs ?? null) &&
    published.sharesExchangeFees === (options.sharesExchangeFees ?? false)
  )
}

/**
 * A reader whose `lots` are those open at an instant, or at the end of the books if none is given. If the law
 * looks ahead, they are what the disposals before the instant left, which later purchases may have been
 * matched with. Null if nothing was asked for and the published lots were matched differently from what is
 * configured now.
 */
export async function lotsBefore(
  ledger: Ledger,
  choice: LotChoice,
  wanted: string | undefined,
  before: string | null,
): Promise<Pick<Reader, 'query'> | null> {
  if (before === null) return (await disposalsOf(ledger, choice, wanted)).reader
  const matching = matchingOf(choice)
  if (!isAsked(choice) && !isSame(await publishedMatching(ledger), matching)) return null
  const [events] = await ledger.query(
    'select count(*) filter (happened_at < $before), count(*) filter (happened_at >= $before) from lot_events',
    { before },
  )
  const [earlier, later] = events ?? []
  if (earlier === 0) return NO_LOTS
  if (later === 0) return (await disposalsOf(ledger, choice, wanted)).reader
  const conversion = await conversionTo(ledger, wanted)
  const options = { ...matching.options, tables: ['lots'] as const }
  if (options.lookAheadDays === 0) return await computeDisposals(ledger, options, conversion, before)
  const untilUs = BigInt(Date.parse(before)) * 1_000n
  return await computeDisposals(ledger, { ...options, untilUs }, conversion)
}

/** Before anything was acquired. */
const NO_LOTS: Pick<Reader, 'query'> = { query: async () => [] }

interface Calculation {
  readonly asked: readonly [LotChoice, Conversion | null]
  readonly reader: Promise<Reader>
}

/** Ledgers that share one calculation between equal questions. */
const shared = new WeakMap<Ledger, Calculation[]>()

/**
 * From now on, equal questions to this ledger share one reader, which is closed with the ledger: callers must
 * not close it.
 */
export function shareDisposals(ledger: Ledger): void {
  if (!shared.has(ledger)) shared.set(ledger, [])
}

/** Lots matched for this question. */
async function computed(
  ledger: Ledger,
  choice: LotChoice,
  { options }: Matching,
  conversion: Conversion | null,
): Promise<Reader> {
  const calculations = shared.get(ledger)
  const asked = [choice, conversion] as const
  const same = calculations?.find((one) => isDeepStrictEqual(one.asked, asked))
  if (same !== undefined) return await same.reader
  const reader = computeDisposals(ledger, options, conversion)
  calculations?.push({ asked, reader })
  return await reader
}

const NOT_TOLD = 'As published; matching method not recorded.'

interface Told {
  readonly method: string
  readonly scope: string
  readonly rules: string
  readonly feesInKind: string | undefined
}

interface Published extends Told {
  readonly feesInKind: string
  readonly timeZone: string
  readonly exchangeFeesGivenFromUs: bigint | null
  readonly sharesExchangeFees: boolean
}

const told = ({ method, scope, rules, feesInKind }: Told): string =>
  `method ${method}, scope ${scope}, rules ${rules}${feesInKind === 'net' ? ', fees in kind netted' : ''}`

/** How the published lots were matched; null if the ledger does not record it. */
export async function publishedMatching(ledger: Reader): Promise<Published | null> {
  if (!ledger.tables.has(MATCHING_TABLE)) return null
  // Books of an earlier version have no such columns, netted no fees and assigned none to the coin given or both.
  const columns = await ledger.query(
    `select column_name from duckdb_columns() where table_name = '${MATCHING_TABLE}'`,
  )
  const orElse = (column: string, value: string): string =>
    columns.some(([name]) => name === column) ? column : value
  const [row] = await ledger.query(
    `select method, scope, rules, time_zone, ${orElse('fees_in_kind', "'disposal'")},
       epoch_us(${orElse('exchange_fees_given_from', 'null::timestamptz')})::varchar,
       ${orElse('exchange_fees_shared', 'false')}
     from ${MATCHING_TABLE}`,
  )
  if (row === undefined) return null
  const [method, scope, rules, timeZone, feesInKind, from, sharesExchangeFees] = row as [
    string,
    string,
    string,
    string,
    string,
    string | null,
    boolean,
  ]
  const exchangeFeesGivenFromUs = from === null ? null : BigInt(from)
  return { method, scope, rules, timeZone, feesInKind, exchangeFeesGivenFromUs, sharesExchangeFees }
}

/** Specific identification without any selection by the owner amounts to FIFO, and the report states that. */
function nothingNamed({ selection }: LotChoice, { method }: Matching): string[] {
  if (selection !== undefined || !/\bspecific\b/.test(method)) return []
  return [
    'No lots were named (--selection FILE), so the method specific matched everything first in, first out.',
  ]
}

interface Conversion {
  readonly from: string
  readonly to: string
}

/** Null if nothing is to be converted or nothing can be: the published values are then used unchanged. */
async function conversionTo(ledger: Ledger, wanted: string | undefined): Promise<Conversion | null> {
  if (wanted === undefined) return null
  const from = await publishedCurrency(ledger)
  return from === null || from === wanted || !canRevalue(ledger, from) ? null : { from, to: wanted }
}

/**
 * A ledger of an earlier version does not record exchange fees separately, which matters only if some of them
 * are moved.
 */
function eventsBefore(
  ledger: Ledger,
  { exchangeFeesGivenFromUs = null, sharesExchangeFees = false }: LotsStepOptions,
): string {
  const columns = ledger.tables.get('lot_events') ?? []
  const has = (...wanted: string[]): boolean => wanted.every((column) => columns.includes(column))
  const isGiven = has('value_given', 'is_kept_back')
  const isShared = has('value_shared')
  const missing = [
    ...(exchangeFeesGivenFromUs !== null && !isGiven ? ['value_given', 'is_kept_back'] : []),
    ...(sharesExchangeFees && !isShared ? ['value_shared'] : []),
  ]
  if (missing.length > 0) {
    throw new UsageError(
      'The published ledger does not record the fees of coin-to-coin exchanges separately.',
      {
        where: 'table lot_events',
        expected: `${missing.join(' and ')}, which the rules read`,
        action: 'Run `tieout build` to publish the ledger again.',
      },
    )
  }
  return `select account, coin, happened_at, place, event_id, kind, quantity, value, currency, transfer_id,
      ${isGiven ? 'value_given, is_kept_back' : 'value as value_given, false as is_kept_back'},
      ${isShared ? 'value_shared' : 'value as value_shared'},
      ${has('value_before_fees') ? 'value_before_fees' : 'value as value_before_fees'}
    from lot_events
    where $before::timestamptz is null or happened_at < $before::timestamptz`
}

/** Runs the lots engine over the published events; the reader is closed with the ledger. */
export async function computeDisposals(
  ledger: Ledger,
  options: LotsStepOptions,
  conversion: Conversion | null = null,
  /** Only events before this instant are used. */
  before: string | null = null,
): Promise<Reader> {
  requireTable(ledger, 'lot_events')
  return await ledger.scratch(async (connection, signal) => {
    const sql = eventsBefore(ledger, options)
    const session = await ledger.session(sql)
    const events = await session.run(() => session.connection.prepare(sql))
    events.bind({ before })
    await loadTable(connection, 'lot_events', await session.start(events))
    if (conversion !== null) await revalueEvents(connection, ledger, conversion.from, conversion.to)
    await lotsStep({ ...options, signal }).run(connection)
  })
}

const SHOWN = 10

/** Disposals for which the owner chose lots but which are not in the books, or not for that coin. */
async function namedInVain(ledger: Reader, { selection }: LotChoice): Promise<string[]> {
  if (selection === undefined || selection.size === 0) return []
  const named = [...selection].flatMap(([disposal, lots]) =>
    [...new Set(lots.map(({ coin }) => coin ?? ''))].map((coin) => [disposal, coin] as const),
  )
  const rows = await ledger.query(
    `select named.disposal, named.coin
     from (select unnest($disposals::varchar[]) as disposal, unnest($coins::varchar[]) as coin) as named
     anti join lot_events as taken
       on taken.event_id = named.disposal and (named.coin = '' or taken.coin = named.coin)
       and taken.kind not in (${BRINGING})
     order by named.disposal, named.coin`,
    {
      disposals: listValue(named.map(([disposal]) => disposal)),
      coins: listValue(named.map(([, coin]) => coin)),
    },
  )
  if (rows.length === 0) return []
  const shown = rows
    .slice(0, SHOWN)
    .map(([disposal, coin]) => (coin === '' ? String(disposal) : `${disposal} of ${coin}`))
  const more = rows.length > SHOWN ? ` and ${rows.length - SHOWN} more` : ''
  return [
    `The selection names disposals that are not in the books; these lines had no effect: ${shown.join(', ')}${more}.`,
  ]
}

const LINES = `
  with lines as (
    select unnest($disposals::varchar[]) as disposal, unnest($coins::varchar[]) as coin,
      unnest($lots::varchar[]) as lot, unnest($quantities::varchar[])::decimal(38, 18) as quantity
  ),
  taken as (
    select event_id, coin, sum(quantity) as quantity, count(*) over (partition by event_id) as coins
    from lot_events
    where kind not in (${BRINGING}) and event_id in (select disposal from lines)
    group by event_id, coin
  ),
  lot_coins as (
    select event_id, any_value(coin) as coin from lot_events
    where kind in ('acquire', 'transfer_in') and event_id in (select lot from lines)
    group by event_id having count(distinct coin) = 1
  ),
  named as (
    select lines.disposal, lines.lot, lines.quantity, lines.coin = '' as is_open,
      coalesce(nullif(lines.coin, ''), lot_coins.coin) as coin
    from lines
    left join lot_coins on lot_coins.event_id = lines.lot
  )`

/**
 * A line without a coin is for the coin of its lot: if the disposal was of another coin, the line has no
 * effect.
 */
const OF_ANOTHER_COIN = `${LINES}
  select lot || ' (' || coin || ') for ' || disposal from named
  where is_open and disposal in (select event_id from taken)
    and not exists (select 1 from taken where taken.event_id = named.disposal and taken.coin = named.coin)
    and coin is not null
  order by disposal, lot`

/**
 * A line that leaves the coin open applies to each coin of its disposal, and only counts if the disposal has
 * one coin.
 */
const MORE_THAN_TAKEN = `${LINES}
  select sum(named.quantity) as quantity, any_value(taken.quantity) as taken_quantity, taken.coin, named.disposal
  from named
  join taken on taken.event_id = named.disposal
    and (taken.coin = named.coin or (named.coin is null and taken.coins = 1))
  group by named.disposal, taken.coin
  having sum(named.quantity) > any_value(taken.quantity)
  order by named.disposal, taken.coin`

/** Lines of the selection that had no effect, or only part of it. */
async function namedTooMuch(ledger: Reader, { selection }: LotChoice): Promise<string[]> {
  if (selection === undefined || selection.size === 0) return []
  const lines = [...selection].flatMap(([disposal, lots]) => lots.map((lot) => ({ disposal, ...lot })))
  const bound = {
    disposals: listValue(lines.map(({ disposal }) => disposal)),
    coins: listValue(lines.map(({ coin }) => coin ?? '')),
    lots: listValue(lines.map(({ lotId }) => lotId)),
    quantities: listValue(lines.map(({ quantity }) => formatAmount(quantity))),
  }
  const others = (await ledger.query(OF_ANOTHER_COIN, bound)).map(([line]) => String(line))
  const over = (await ledger.query(MORE_THAN_TAKEN, bound)).map(
    ([quantity, taken, coin, disposal]) => `${quantity} for ${disposal}, which disposed of ${taken} ${coin}`,
  )
  const listed = (words: string, found: readonly string[]): string[] => {
    const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''
    return found.length === 0 ? [] : [`${words}: ${found.slice(0, SHOWN).join('; ')}${more}.`]
  }
  return [
    ...listed(
      'The selection names lots of a different coin from the disposal; these lines had no effect',
      others,
    ),
    ...listed('The selection names more than was disposed of; the excess had no effect', over),
  ]
}

/**
 * Lots that the owner named but that were not held, so that the next in order were taken, or that the law did
 * not allow.
 */
async function notFollowed(reader: Reader): Promise<string[]> {
  const rows = await reader.query(
    `select problem, event_id, lot_id, quantity, coin, account from lot_problems
     where problem in ('selected lot not held', 'selected lot not needed', 'allotted lot not held')
     order by problem desc, happened_at, event_id, lot_id`,
  )
  const told = (words: string, of: typeof rows): string[] => {
    if (of.length === 0) return []
    const named = of
      .slice(0, SHOWN)
      .map(
        ([problem, event, lot, quantity, coin, account]) =>
          `${quantity} ${coin} of ${lot} for ${problem === 'allotted lot not held' ? account : event}`,
      )
    const more = of.length > SHOWN ? ` and ${of.length - SHOWN} more` : ''
    return [`${words}: ${named.join(', ')}${more}.`]
  }
  const isNeedless = ([problem]: (typeof rows)[number]): boolean => problem === 'selected lot not needed'
  return [
    ...told(
      'Named lots that are not held; other lots were taken in the order of the rules',
      rows.filter((row) => !isNeedless(row)),
    ),
    ...told(
      'Named lots that were not taken, because under the rules a fee that an exchange withholds is paid from the very coins that it brings in',
      rows.filter(isNeedless),
    ),
  ]
}
