// Keyset paging: each page continues where the last one ended, instead of counting rows. Every page costs the same, and no row
// is repeated or left out. A cursor belongs to one published ledger and is refused by any other.
import type { Reader } from '../ledger/reader.ts'
import type { Stamp, Page as WirePage } from './api.ts'
import type { Conditions, Question } from './question.ts'
import { rowsOf } from './question.ts'
import { Refusal } from './refusal.ts'

export const PAGE_ROWS = 100

/** A column that the list is ordered by. Together, these columns identify every row uniquely, and none is ever null. */
export interface Key {
  readonly sql: string
  readonly type: 'timestamptz' | 'varchar' | 'bigint'
  readonly order: 'asc' | 'desc'
  /** The value in a row of the page. */
  readonly of: (row: never) => unknown
}

const FORMS: Readonly<Record<Key['type'], RegExp>> = {
  timestamptz: /^(-?infinity|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3,6}Z)$/,
  varchar: /^/,
  bigint: /^-?\d{1,18}$/,
}

export const orderBy = (keys: readonly Key[]): string =>
  `order by ${keys.map(({ sql, order }) => (order === 'desc' ? `${sql} desc` : sql)).join(', ')}`

/** Adds the condition that a row comes after the cursor, and returns the first key's value there; null without a cursor. */
export function behind(
  conditions: Conditions,
  keys: readonly Key[],
  cursor: string | undefined,
  { publication }: Stamp,
): string | null {
  if (cursor === undefined || cursor === '') return null
  const [of, ...values] = decoded(cursor)
  const fits =
    keys.length === values.length && keys.every(({ type }, at) => FORMS[type].test(values[at] ?? ''))
  if (of === undefined || !fits) throw unreadable()
  if (of !== publication) {
    throw new Refusal(409, 'Another ledger has been published since the first page.', {
      name: 'Republished',
      action: 'Reload the list from the start.',
    })
  }
  const places = keys.map(({ type }, at) => `${conditions.value(values[at] ?? '')}::${type}`)
  const past = ({ sql, order }: Key, place: string | undefined): string =>
    `${sql} ${order === 'desc' ? '<' : '>'} ${place}`
  const ways = keys.map((key, at) =>
    [
      ...keys.slice(0, at).map((before, same) => `${before.sql} = ${places[same]}`),
      past(key, places[at]),
    ].join(' and '),
  )
  // The plain bound lets the engine skip everything before it without reading it.
  const [first] = keys
  if (first !== undefined) conditions.add(`${first.sql} ${first.order === 'desc' ? '<=' : '>='} ${places[0]}`)
  conditions.add(`(${ways.map((way) => `(${way})`).join(' or ')})`)
  return places[0] ?? null
}

/**
 * Adds a condition that removes no row from the page: the lowest value of the first key, which is descending, that its rows can
 * reach. So DuckDB reads the other columns of these few rows only. `where` contains the filters without the cursor.
 */
export function withinReach(
  conditions: Conditions,
  { sql }: Key,
  { table, where, place }: { readonly table: string; readonly where: string; readonly place: string | null },
): void {
  const below = place === null ? where : `${where === '' ? 'where' : `${where}\n  and`} ${sql} < ${place}`
  const last = `(
    select min(${sql})
    from (select ${sql} from ${table} ${below} order by ${sql} desc ${LIMIT})
  )`
  conditions.add(`${sql} >= ${place === null ? last : `coalesce(${last}, ${place})`}`)
}

/** Runs a query that asks for one row more than a page contains; that row shows that there is a next page. */
export async function pageOf<R>(
  ledger: Reader,
  asked: Question,
  keys: readonly Key[],
  { publication }: Stamp,
): Promise<WirePage<R>> {
  const { rows, sql } = await rowsOf<R>(ledger, asked)
  const last = rows.length > PAGE_ROWS ? rows[PAGE_ROWS - 1] : undefined
  return {
    rows: rows.slice(0, PAGE_ROWS),
    sql,
    next:
      last === undefined ? null : encoded([publication, ...keys.map(({ of }) => String(of(last as never)))]),
  }
}

/** How many rows the query for a page asks for. */
export const LIMIT = `limit ${PAGE_ROWS + 1}`

const encoded = (values: readonly string[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

function decoded(cursor: string): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return values
  } catch {} // Not JSON: said below.
  throw unreadable()
}

const unreadable = (): Refusal =>
  new Refusal(400, 'The cursor does not belong to this list.', {
    action: 'Reload the list from the start.',
  })
