// The ledger: every entry, newest first, in pages that cost the same anywhere in it.
import type { Reader } from '../../ledger/reader.ts'
import type { Entries, EntryFacets, EntryRow, FacetRow, Rows } from '../api.ts'
import { behind, type Key, LIMIT, orderBy, pageOf, withinReach } from '../keyset.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf, written } from '../question.ts'
import { type Filters, periodOf } from './filters.ts'

const COLUMNS = `entry_id, transaction_id, account, ledger, product_line, coin, amount, kind, occurred_at, symbol, type,
  source_feed, source_id, place`

/** Within one instant, an account's records keep their order; the id breaks any remaining tie. */
const time: Key = {
  sql: 'occurred_at',
  type: 'timestamptz',
  order: 'desc',
  of: (row: EntryRow) => row.occurred_at,
}

const keys: readonly Key[] = [
  time,
  { sql: 'place', type: 'bigint', order: 'desc', of: (row: EntryRow) => row.place },
  { sql: 'entry_id', type: 'varchar', order: 'desc', of: (row: EntryRow) => row.entry_id },
]

const FACETS = ['account', 'ledger', 'coin', 'kind', 'symbol'] as const

/** Accepts account/feed/id/part, account/feed/id, and the venue's own id. */
function columnOfId(id: string): string {
  if (!id.includes('/')) return 'source_id'
  return /\/(amount|fee|deal|opening|rounding)$/.test(id) ? 'entry_id' : 'transaction_id'
}

/** All filters except those named. */
function conditionsOf(filters: Filters, without?: string): Conditions {
  const conditions = new Conditions()
  for (const facet of FACETS) if (facet !== without) conditions.oneOf(facet, filters[facet])
  conditions.within('occurred_at', periodOf({ from: filters.from, to: filters.to }))
  if (filters.id !== undefined) {
    // Searches one long column instead of three: the form of an id shows which kind it is.
    conditions.add(`${columnOfId(filters.id)} = ${conditions.value(filters.id)}`)
  }
  return conditions
}

/** All entries that match the filters. */
export function entriesQuestion(filters: Filters): Question {
  const conditions = conditionsOf(filters)
  return question(`select ${COLUMNS}\nfrom entries\n${conditions.where}\n${orderBy(keys)}`, conditions.values)
}

export async function entries({ ledger, stamp }: Edition, filters: Filters): Promise<Entries> {
  const conditions = conditionsOf(filters)
  const { where } = conditions
  const place = behind(conditions, keys, filters.cursor, stamp)
  const pageOfEntries = (): string =>
    `select ${COLUMNS}\nfrom entries\n${conditions.where}\n${orderBy(keys)}\n${LIMIT}`
  const page = pageOfEntries()
  withinReach(conditions, time, { table: 'entries', where, place })
  const found = await pageOf<EntryRow>(ledger, question(pageOfEntries(), conditions.values), keys, stamp)
  const balances = await balancesOf(ledger, found.rows)
  const days = found.rows.map((row) => row.occurred_at.slice(0, 10))
  const [first, last] = [conditions.value(days.at(-1) ?? null), conditions.value(days[0] ?? null)]
  return {
    stamp,
    entries: {
      rows: found.rows.map((row) => ({ ...row, balance: balances.get(row.entry_id) as string })),
      sql: written(question(withBalances(page, first, last), conditions.values)),
      next: found.next,
    },
  }
}

/**
 * Balances after the entries of a page: the previous day's balance plus the changes of the day so far. Wallets and days are
 * passed as values, so that only those are read from a long history; `withBalances` does the same in one statement.
 */
async function balancesOf(ledger: Reader, page: readonly EntryRow[]): Promise<Map<string, string>> {
  const days = page.map((row) => row.occurred_at.slice(0, 10))
  const [newest, oldest] = [days[0], days.at(-1)]
  if (newest === undefined || oldest === undefined) return new Map()
  const conditions = new Conditions()
  for (const column of ['account', 'ledger', 'coin'] as const) {
    const values = [...new Set(page.map((row) => row[column]))]
    conditions.add(`${column} in (${values.map((value) => conditions.value(value)).join(', ')})`)
  }
  const [first, last] = [conditions.value(oldest), conditions.value(newest)]
  const ids = page.map((row) => conditions.value(row.entry_id))
  conditions.add(within(first, last))
  const { rows } = await rowsOf<{ entry_id: string; balance: string }>(
    ledger,
    question(
      `
      with
      moves as (
        ${SO_FAR}
        ${conditions.where}
      )
      select moves.entry_id, coalesce(history.quantity, 0) + moves.so_far as balance
      from moves
      left join balance_history as history on history.account = moves.account and history.ledger = moves.ledger
        and history.coin = moves.coin and history.day = moves.day - 1
        and history.day between ${first}::date - 1 and ${last}::date
      where moves.entry_id in (${ids.join(', ')})`,
      conditions.values,
    ),
  )
  return new Map(rows.map(({ entry_id, balance }) => [entry_id, balance]))
}

/** The running change of each wallet within each day, at each of its entries. */
const SO_FAR = `select account, ledger, coin, entry_id, (occurred_at at time zone 'UTC')::date as day,
    sum(amount) over (
      partition by account, ledger, coin, (occurred_at at time zone 'UTC')::date order by occurred_at, place, entry_id
      rows between unbounded preceding and current row
    ) as so_far
  from entries`

const within = (first: string, last: string): string =>
  `occurred_at >= ${first}::timestamp at time zone 'UTC'
    and occurred_at < (${last}::timestamp + interval 1 day) at time zone 'UTC'`

const withBalances = (page: string, first: string, last: string): string => `
with
page as (
  ${page.replaceAll('\n', '\n  ')}
),
moves as (
  ${SO_FAR}
  where (account, ledger, coin) in (select (account, ledger, coin) from page)
    and ${within(first, last)}
)
select page.*, coalesce(history.quantity, 0) + moves.so_far as balance
from page
join moves on moves.entry_id = page.entry_id
left join balance_history as history on history.account = page.account and history.ledger = page.ledger
  and history.coin = page.coin and history.day = moves.day - 1
order by ${keys.map(({ sql }) => `page.${sql} desc`).join(', ')}`

const FACET_VALUES = 200

export function facetsQuestion(filters: Filters): Question {
  const values: Record<string, string | number | boolean | null> = {}
  const parts = FACETS.map((facet) => {
    const conditions = conditionsOf(filters, facet)
    for (const [name, value] of Object.entries(conditions.values)) values[`${facet}_${name}`] = value
    return `(
  select '${facet}' as facet, ${facet} as value, count(*) as count
  from entries
  ${conditions.where.replace(/\$(v\d+)/g, `$$${facet}_$1`).replaceAll('\n', '\n  ')}
  group by ${facet}
  order by count desc, value
  limit ${FACET_VALUES}
)`
  })
  return question(parts.join('\nunion all\n'), values)
}

export async function entryFacets({ ledger, stamp }: Edition, filters: Filters): Promise<EntryFacets> {
  const conditions = conditionsOf(filters)
  return {
    stamp,
    count: await rowsOf<{ count: number }>(
      ledger,
      question(`select count(*) as count\nfrom entries\n${conditions.where}`, conditions.values),
    ),
    facets: await facetsOf(ledger, facetsQuestion(filters)),
  }
}

const KEPT_MAX = 100

/** Counts read whole columns, and a published ledger never changes, so each query is answered only once. */
const kept = new WeakMap<Reader, Map<string, Promise<Rows<FacetRow>>>>()

async function facetsOf(ledger: Reader, asked: Question): Promise<Rows<FacetRow>> {
  const answers = kept.get(ledger) ?? new Map<string, Promise<Rows<FacetRow>>>()
  kept.set(ledger, answers)
  const key = written(asked)
  const answer = answers.get(key) ?? rowsOf<FacetRow>(ledger, asked)
  if (answers.size >= KEPT_MAX) answers.clear()
  answers.set(key, answer)
  answer.catch(() => answers.delete(key))
  return await answer
}
