// What the books do not cover, for the notes of a report: the time before they begin and after they end, and
// accounts known only from their orders. A figure over a period that is not covered is not zero.
import type { Reader } from '../ledger/reader.ts'
import { answeredRuns, type ReportRequest, requireTable } from './report.ts'

type Asked = Pick<ReportRequest, 'account' | 'period'>

/** Until when the books cover an account. */
export interface End {
  readonly at: string
  /** True if only imports cover the account: then it is their last row, else the last run. */
  readonly isImported: boolean
}

/**
 * From when an account's books are complete, ISO-8601, with the coins for which imported history reaches
 * further back.
 */
interface Beginning {
  readonly account: string
  /** The wallets that it is about; empty if it is about the whole account. */
  readonly ledgers: readonly string[]
  /**
   * Imports cover all of its coins. Only the first imported row marks a beginning, and nobody knows what no
   * file contains.
   */
  readonly isImported: boolean
  /** Null if only opening lots are known. */
  readonly at: string | null
  readonly end: End | null
  readonly earlier: readonly { readonly coin: string; readonly at: string }[]
}

/**
 * An account begins when its latest coin does, and coins that begin earlier are listed separately. If imports
 * cover every coin, it begins with the first: a coin that was bought later begins later, and no earlier
 * figure is missing it.
 */
async function beginningsOf(ledger: Reader, { account }: Pick<Asked, 'account'>): Promise<Beginning[]> {
  requireTable(ledger, 'beginnings')
  const knowsEnds = ledger.tables.get('beginnings')?.includes('last_at') === true
  const lastRun = await lastRunOf(ledger)
  const rows = await ledger.query(
    `select account, coin, begins_at, source, ${knowsEnds ? 'last_at' : 'null'} from beginnings
     where $account::varchar is null or account = $account
     order by account, begins_at desc nulls last, coin`,
    { account: account ?? null },
  )
  const byAccount = new Map<
    string,
    { coin: string; at: string | null; isImported: boolean; last: string | null }[]
  >()
  for (const [name, coin, at, source, last] of rows) {
    const coins = byAccount.get(String(name)) ?? []
    coins.push({
      coin: String(coin),
      at: at === null ? null : String(at),
      isImported: source === 'import',
      last: last === null || last === undefined ? null : String(last),
    })
    byAccount.set(String(name), coins)
  }
  return [...byAccount].map(([name, coins]) => {
    const last = coins
      .flatMap((coin) => coin.last ?? [])
      .toSorted()
      .at(-1)
    const ofRun = lastRun === null ? null : { at: lastRun, isImported: false }
    if (coins.every(({ isImported }) => isImported)) {
      const first = coins.findLast((coin) => coin.at !== null)?.at ?? null
      // Imported history may cover all coins of an account that the venue reports.
      const end =
        last !== undefined ? { at: last, isImported: true } : knowsEnds && first !== null ? ofRun : null
      return { account: name, ledgers: [], isImported: true, at: first, end, earlier: [] }
    }
    const at = coins[0]?.at ?? null
    const earlier = coins.flatMap((one) =>
      at !== null && one.at !== null && one.at < at ? [{ coin: one.coin, at: one.at }] : [],
    )
    return { account: name, ledgers: [], isImported: false, at, end: ofRun, earlier }
  })
}

/**
 * The same, with wallets that begin at a different time from their account listed separately; a ledger of an
 * older version records none.
 */
async function beginningsByLedger(ledger: Reader, asked: Pick<Asked, 'account'>): Promise<Beginning[]> {
  const whole = await beginningsOf(ledger, asked)
  if (!ledger.tables.has('wallet_beginnings')) return whole
  const rows = await ledger.query(
    `select account, begins_at, ledger from wallet_beginnings
     where $account::varchar is null or account = $account
     order by account, begins_at, ledger`,
    { account: asked.account ?? null },
  )
  return whole.flatMap((one) => {
    const together = new Map<string, string[]>()
    for (const [, begins, name] of one.isImported ? [] : rows.filter((row) => row[0] === one.account))
      together.set(String(begins), [...(together.get(String(begins)) ?? []), String(name)])
    if (together.size === 0) return [one]
    return [...together].map(
      ([begins, ledgers]): Beginning => ({
        ...one,
        ledgers: together.size === 1 ? [] : ledgers,
        at: begins,
        earlier: begins === one.at ? one.earlier : [],
      }),
    )
  })
}

/**
 * When the last run ended, or began if it has not ended; null without a run. A run that reached no venue does
 * not count.
 */
async function lastRunOf(ledger: Reader): Promise<string | null> {
  const [row] = await ledger.query(
    `select greatest(max(ended_at), max(started_at)) from ${answeredRuns(ledger)}`,
  )
  return typeof row?.[0] === 'string' ? row[0] : null
}

/** By account, until when the books cover it; accounts for which that is unknown are left out. */
export async function endsOfBooks(ledger: Reader): Promise<ReadonlyMap<string, End>> {
  if (!ledger.tables.has('beginnings')) return new Map()
  const beginnings = await beginningsOf(ledger, {})
  return new Map(beginnings.flatMap(({ account, end }) => (end === null ? [] : [[account, end]])))
}

/** Whether the books cover none of the period: it lies before they begin, or after they end. */
export async function isOutsideBooks(ledger: Reader, asked: Asked): Promise<'before' | 'after' | null> {
  const beginnings = await beginningsOf(ledger, asked)
  if (beginnings.every((one) => isAfter(one, asked.period))) return 'before'
  return beginnings.every((one) => isAfter(one, asked.period) || isEnded(one, asked.period)) ? 'after' : null
}

/** The period begins after the account's books end. */
const isEnded = ({ end }: Beginning, { from }: Asked['period']): boolean =>
  end !== null && from !== null && (end.isImported ? end.at < from : end.at <= from)

const isAfter = ({ at, earlier }: Beginning, { before }: Asked['period']): boolean =>
  before === null ? at === null : (at === null || before <= at) && earlier.every((coin) => before <= coin.at)

const SHOWN = 10

const DAY_MS = 86_400_000

/**
 * How long an account may go without imported rows before a report mentions it: many months pass without a
 * trade.
 */
export const QUIET_DAYS = 31

/**
 * Imports end well before the period does, or before it begins. A period that extends past the last run is
 * taken to end there. A period without an end needs no note: its rows show how far they reach.
 */
function isSilentAtEnd(one: Beginning, period: Asked['period'], lastRun: string | null): boolean {
  if (one.end?.isImported !== true) return false
  if (isEnded(one, period)) return true
  if (period.before === null) return false
  const end = lastRun !== null && lastRun < period.before ? lastRun : period.before
  return Date.parse(end) - Date.parse(one.end.at) > QUIET_DAYS * DAY_MS
}

/**
 * The part of the period that lies before the books, by account, and by wallet if those differ; and the
 * accounts whose imports end earlier. Empty if the books cover the whole period. A period without a first day
 * is all of history, and one line states where that begins.
 */
export async function outsideTheBooks(ledger: Reader, asked: Asked): Promise<string[]> {
  const { account, period } = asked
  // For all of history, a report of an older ledger omits this note rather than fail.
  if (period.from === null && period.before === null && !ledger.tables.has('beginnings')) return []
  const beginnings = await beginningsByLedger(ledger, { account })
  if (beginnings.length === 0) {
    if (period.from === null && period.before === null) return []
    return [`${account === undefined ? 'The books' : `The books of ${account}`} contain nothing yet.`]
  }
  const late = beginnings.filter((one) => isAfter(one, period) || beginsWithin(one, period))
  const lastRun = await lastRunOf(ledger)
  const silent = beginnings.filter((one) => isSilentAtEnd(one, period, lastRun))
  const names = [...new Set(late.map((one) => one.account))]
  const shown = late
    .filter((one) => names.indexOf(one.account) < SHOWN)
    .map((one) => sentence(one, period, silent.includes(one)))
  const early = silent.filter((one) => !late.includes(one))
  return [
    ...(period.from === null ? allOfHistory(beginnings.filter((one) => !late.includes(one))) : []),
    ...shown,
    ...(names.length > SHOWN
      ? [`${names.length - SHOWN} more accounts begin within or after this period.`]
      : []),
    ...early.slice(0, SHOWN).map((one) => sentence(one, period, true)),
    ...(early.length > SHOWN
      ? [`Imports of ${early.length - SHOWN} more accounts end within or before this period.`]
      : []),
  ]
}

function allOfHistory(beginnings: readonly Beginning[]): string[] {
  if (beginnings.length === 0) return []
  const each = beginnings
    .slice(0, SHOWN)
    .map(
      (one) => `${nameOf(one)} ${one.at}${one.earlier.length === 0 ? '' : ' (imports reach further back)'}`,
    )
  const more = beginnings.length > SHOWN ? `; and ${beginnings.length - SHOWN} more` : ''
  return [`Anything that happened before the books begin is not included: ${each.join('; ')}${more}.`]
}

const nameOf = ({ account, ledgers }: Beginning): string => [account, ...ledgers].join(', ')

const beginsWithin = ({ at }: Beginning, { from }: Asked['period']): boolean =>
  from === null ? at === null : at === null || from < at

function sentence(one: Beginning, period: Asked['period'], isSilent: boolean): string {
  const { account, ledgers, isImported, at, end, earlier } = one
  if (at === null)
    return `Only opening lots are known for ${account}: anything before or after them is not included in any figure.`
  if (isImported) {
    const nothing = isAfter(one, period) || isEnded(one, period) ? ', and nothing in this period' : ''
    const since = isAfter(one, period) || beginsWithin(one, period) ? ` from ${at}` : ''
    return `Imports cover ${account}${since}${isSilent ? ` until ${end?.at}` : ' onwards'}${nothing}.`
  }
  if (isAfter(one, period))
    return `The books of ${nameOf(one)} begin at ${at}: they cover nothing in this period.`
  const coins = earlier.slice(0, SHOWN).map(({ coin, at: since }) => `${coin} from ${since} onwards`)
  const more = earlier.length > SHOWN ? ` and ${earlier.length - SHOWN} more` : ''
  const except = coins.length === 0 ? '' : `, except for imported history (${coins.join(', ')}${more})`
  const there = ledgers.length === 0 ? '' : ' there'
  return `The books of ${nameOf(one)} begin at ${at}: anything earlier in the period${there} is not included in any figure${except}.`
}

/** Accounts without tax records: their orders show trades, but nothing shows balances. */
export async function fromOrdersAlone(ledger: Reader, { account }: Asked): Promise<string[]> {
  if (!ledger.tables.has('trades')) return []
  const rows = await ledger.query(
    `select account, count(*) from trades
     where source = 'trade.orderHistory' and ($account::varchar is null or account = $account)
     group by account order by account`,
    { account: account ?? null },
  )
  if (rows.length === 0) return []
  const named = rows.map(([name, trades]) => `${name} (trades: ${trades})`).join(', ')
  return [
    `Known only from orders, without tax records: ${named}. Their balances, lots, gains and income are not included in any ` +
      'figure. To include them, configure a tax key for the account or import its trades.',
  ]
}
