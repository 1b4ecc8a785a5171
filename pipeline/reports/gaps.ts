// What the books do not tell of, for the notes of a report: the time before they begin, and accounts that are known from
// their orders alone. A figure over what nobody knows is not zero.
import type { Reader } from '../ledger/reader.ts'
import { type ReportRequest, requireTable } from './report.ts'

type Asked = Pick<ReportRequest, 'account' | 'period'>

/** From when on an account's books are complete, ISO-8601, with the coins of which imported history tells more. */
interface Beginning {
  readonly account: string
  /** The wallets that it is about; none where it is about all of the account. */
  readonly ledgers: readonly string[]
  /** Imports tell of all its coins: nothing but its first row says since when, and nobody knows what no file has. */
  readonly isImported: boolean
  /** Null where nothing but opening lots is known. */
  readonly at: string | null
  readonly earlier: readonly { readonly coin: string; readonly at: string }[]
}

/**
 * The latest coin of an account decides, and coins that begin before it are named apart. Where imports tell of every coin
 * the first one decides: a coin that was bought later begins later, and is missing from no figure before.
 */
async function beginningsOf(ledger: Reader, { account }: Pick<Asked, 'account'>): Promise<Beginning[]> {
  requireTable(ledger, 'beginnings')
  const rows = await ledger.query(
    `select account, coin, begins_at, source from beginnings
     where $account::varchar is null or account = $account
     order by account, begins_at desc nulls last, coin`,
    { account: account ?? null },
  )
  const byAccount = new Map<string, { coin: string; at: string | null; isImported: boolean }[]>()
  for (const [name, coin, at, source] of rows) {
    const coins = byAccount.get(String(name)) ?? []
    coins.push({
      coin: String(coin),
      at: at === null ? null : String(at),
      isImported: source === 'import',
    })
    byAccount.set(String(name), coins)
  }
  return [...byAccount].map(([name, coins]) => {
    if (coins.every(({ isImported }) => isImported)) {
      const first = coins.findLast((coin) => coin.at !== null)?.at ?? null
      return { account: name, ledgers: [], isImported: true, at: first, earlier: [] }
    }
    const at = coins[0]?.at ?? null
    const earlier = coins.flatMap((one) =>
      at !== null && one.at !== null && one.at < at ? [{ coin: one.coin, at: one.at }] : [],
    )
    return { account: name, ledgers: [], isImported: false, at, earlier }
  })
}

/** The same, with the wallets that begin at another time than their account apart; a ledger of an older version knows of none. */
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

/** The books tell of nothing in the whole period. */
export async function isBeforeBooks(ledger: Reader, asked: Asked): Promise<boolean> {
  return (await beginningsOf(ledger, asked)).every((one) => isAfter(one, asked.period))
}

const isAfter = ({ at, earlier }: Beginning, { before }: Asked['period']): boolean =>
  before === null ? at === null : (at === null || before <= at) && earlier.every((coin) => before <= coin.at)

const SHOWN = 10

/**
 * What of the period lies before the books, by account, and by wallet where those differ; none where they tell of all of it.
 * A period without a first day is all of history: a line says where that begins.
 */
export async function beforeTheBooks(ledger: Reader, asked: Asked): Promise<string[]> {
  const { account, period } = asked
  // Of all of history a report of an older ledger says nothing, rather than refuse to be made.
  if (period.from === null && period.before === null && !ledger.tables.has('beginnings')) return []
  const beginnings = await beginningsByLedger(ledger, { account })
  if (beginnings.length === 0) {
    if (period.from === null && period.before === null) return []
    return [`${account === undefined ? 'The books' : `The books of ${account}`} tell of nothing yet.`]
  }
  const late = beginnings.filter((one) => isAfter(one, period) || beginsWithin(one, period))
  const names = [...new Set(late.map((one) => one.account))]
  const shown = late.filter((one) => names.indexOf(one.account) < SHOWN).map((one) => sentence(one, period))
  return [
    ...(period.from === null ? allOfHistory(beginnings.filter((one) => !late.includes(one))) : []),
    ...shown,
    ...(names.length > SHOWN
      ? [`${names.length - SHOWN} more accounts begin within or after this period.`]
      : []),
  ]
}

function allOfHistory(beginnings: readonly Beginning[]): string[] {
  if (beginnings.length === 0) return []
  const each = beginnings
    .slice(0, SHOWN)
    .map((one) => `${nameOf(one)} ${one.at}${one.earlier.length === 0 ? '' : ' (imports tell more)'}`)
  const more = beginnings.length > SHOWN ? `; and ${beginnings.length - SHOWN} more` : ''
  return [`What happened before the books begin is not in them: ${each.join('; ')}${more}.`]
}

const nameOf = ({ account, ledgers }: Beginning): string => [account, ...ledgers].join(', ')

const beginsWithin = ({ at }: Beginning, { from }: Asked['period']): boolean =>
  from === null ? at === null : at === null || from < at

function sentence(one: Beginning, period: Asked['period']): string {
  const { account, ledgers, isImported, at, earlier } = one
  if (at === null)
    return `Of ${account} only opening lots are known: what happened before and after them is in no figure.`
  if (isImported)
    return `Imports tell of ${account} from ${at} on${isAfter(one, period) ? ', and of nothing in this period' : ''}.`
  if (isAfter(one, period))
    return `The books of ${nameOf(one)} begin at ${at}: they tell of nothing in this period.`
  const coins = earlier.slice(0, SHOWN).map(({ coin, at: since }) => `${coin} from ${since} on`)
  const more = earlier.length > SHOWN ? ` and ${earlier.length - SHOWN} more` : ''
  const except = coins.length === 0 ? '' : `, but for imported history (${coins.join(', ')}${more})`
  const there = ledgers.length === 0 ? '' : ' there'
  return `The books of ${nameOf(one)} begin at ${at}: what happened${there} earlier in the period is in no figure${except}.`
}

/** Accounts without tax records: their orders tell of trades, and nothing tells of balances. */
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
    `Known from orders alone, without tax records: ${named}. Their balances, lots, gains and income are in no ` +
      'figure; a tax key of the account, or imported trades, would bring them.',
  ]
}
