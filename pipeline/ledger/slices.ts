// Tables that are rebuilt by UTC days. The rows of such a table for one day depend only on the rows of the same
// day of the tables that its model names under `by day:`, and on other tables whole. So after a night only the
// days change on which one of the former changed. Which days those are is known from a hash over each day's
// rows; the model's own text is run over the rows of these days.
import type { DuckDBConnection } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type Carries, qualify, type Since, type Slices, type Spans } from './models.ts'
import { naiveUtc } from './portable.ts'
import { asked, isSame, NO_ROWS, type Rows, rowHashes } from './rows.ts'

/** The rows of each UTC day of a table; those without a time under the name of no day. */
export type Days = ReadonlyMap<string, Rows>

/** What is known of the days of tables: how they are divided, and their rows in the published ledger. */
export interface Divided {
  /** By table: the column with the time of a row. */
  readonly timeOf: ReadonlyMap<string, string>
  readonly before: ReadonlyMap<string, Days>
  readonly taken: Taken
}

/** Where each connection, whose models follow one another, puts the rows of the days in question. */
export type Taken = ReadonlyMap<DuckDBConnection, Room>

interface Room {
  /** The database in which they are attached, as tables of the same names. */
  readonly database: string
  /** By source, the query whose rows stand there: several models may read the same ones. */
  readonly selects: Map<string, string>
}

export const takenBy = (lanes: readonly DuckDBConnection[]): Taken =>
  new Map(lanes.map((lane, index) => [lane, { database: roomOf(index), selects: new Map() }]))

/** The name of the database of each connection in parallel. */
export const roomOf = (index: number): string => `sliced_${index}`

/** How the tables of these models and steps, and what they read of landing, are divided. */
export const timesOf = (
  models: readonly { readonly table: string; readonly slices?: Slices }[],
  steps: readonly { readonly times?: Readonly<Record<string, string>> }[] = [],
): Map<string, string> =>
  new Map([
    ...models.flatMap(({ table, slices }) =>
      slices === undefined
        ? []
        : [table, ...slices.of.filter((source) => source.startsWith('landing.'))].map(
            (each) => [each, slices.by] as const,
          ),
    ),
    ...steps.flatMap(({ times = {} }) =>
      Object.entries(times).map(([table, time]) => [qualify(table), time] as const),
    ),
  ])

/** The name of no day. */
export const NO_DAY = ''

/** These rows, counted and hashed as one table. */
function together(parts: Iterable<Rows>): Rows {
  let [count, hash] = [0, 0n]
  for (const part of parts) {
    count += part.count
    hash += BigInt(part.hash)
  }
  return { count, hash: String(hash) }
}

/** The rows of all days together. */
export const allOf = (days: Days): Rows => together(days.values())

/** The rows of each day of two parts of a table. */
export function sumOfDays(one: Days, other: Days): Days {
  const days = new Map(one)
  for (const [day, rows] of other) days.set(day, together([one.get(day) ?? NO_ROWS, rows]))
  return days
}

/** The days on which the rows differ. */
export const changedDays = (before: Days, now: Days): Set<string> =>
  new Set(
    [...before.keys(), ...now.keys()].filter(
      (day) => !isSame(before.get(day) ?? NO_ROWS, now.get(day) ?? NO_ROWS),
    ),
  )

/** With a larger share of its rows on the days in question, a table is rebuilt whole. */
const MOST_SLICED = 0.4

/** Days to be rebuilt: some, and perhaps one with all later ones. */
export interface Changed {
  readonly days: ReadonlySet<string>
  readonly from?: string | undefined
}

export const isAmong = (day: string, { days, from }: Changed): boolean =>
  days.has(day) || (from !== undefined && day >= from)

/** Whether it is worth rebuilding only these days of a table, and they can be named in a condition. */
export function mayBeSliced(changed: Changed, before: Days): boolean {
  const days = [...before].filter(([day]) => isAmong(day, changed))
  const rows = days.reduce((sum, [, { count }]) => sum + count, 0)
  const isNamed = [...changed.days].every((day) => /^(\d{4}-\d\d-\d\d)?$/.test(day))
  return isNamed && changed.from !== NO_DAY && rows <= MOST_SLICED * allOf(before).count
}

/** The UTC day of a time or a day, and its name. */
const dayOf = (by: string): string => `cast(${naiveUtc(by)} as date)`
const nameOfDay = (day: string): string => `coalesce(cast(${day} as varchar), '${NO_DAY}')`

/** The rows of each day of a table, or of those of its rows that meet a condition. */
export async function askDays(
  connection: DuckDBConnection,
  table: string,
  by: string,
  which?: string,
): Promise<Map<string, Rows>> {
  const hash = (await rowHashes(asked(connection), [table])).get(table)
  const reader = await connection.runAndReadAll(
    `select ${nameOfDay('day')}, row_count, cast(rows_hash as varchar) from (
       select ${dayOf(by)} as day, count(*) as row_count, sum(cast(${hash} as hugeint)) as rows_hash
       from ${table} as whole_row ${which === undefined ? '' : `where ${which}`} group by 1
     )`,
  )
  return new Map(
    reader
      .getRowsJson()
      .map(([day, count, hash]) => [String(day), { count: Number(count), hash: String(hash) }]),
  )
}

const DAY_MS = 86_400_000

const startOf = (day: number): string => `timestamptz ${literal(new Date(day * DAY_MS).toISOString())}`

/** The condition for rows of this day and of all later ones. */
const notBefore = (by: string, day: string): string => `${by} >= ${startOf(Date.parse(day) / DAY_MS)}`

/** The condition for rows of these days; adjacent ones are one span, so that a scan can pass over others. */
function on(by: string, { days, from }: Changed): string {
  const numbers = [...days]
    .flatMap((day) => (day === NO_DAY ? [] : [Date.parse(day) / DAY_MS]))
    .toSorted((a, b) => a - b)
  const spans: [number, number][] = []
  for (const day of numbers) {
    const last = spans.at(-1)
    if (last !== undefined && last[1] === day) last[1] = day + 1
    else spans.push([day, day + 1])
  }
  const within = ([from, to]: readonly [number, number]): string =>
    `(${by} >= ${startOf(from)} and ${by} < ${startOf(to)})`
  const [first, last] = [spans[0], spans.at(-1)]
  const inside =
    first === undefined || last === undefined
      ? 'false'
      : `${within([first[0], last[1]])} and (${spans.map(within).join(' or ')})`
  const further = [
    ...(days.has(NO_DAY) ? [`${by} is null`] : []),
    ...(from === undefined ? [] : [notBefore(by, from)]),
  ]
  return further.length === 0 ? inside : `(${[...further, `(${inside})`].join(' or ')})`
}

/** A model whose table is rebuilt for some days. */
interface Sliced {
  readonly table: string
  readonly select: string
  readonly slices: Slices
}

/** The days that were rebuilt, with their rows now. */
export interface MadeDays {
  readonly made: Changed
  readonly rows: Days
}

/**
 * Rebuilds these days of the table, and others if rows that are read together lie on them; returns the days
 * with their rows.
 */
export async function makeDays(
  connection: DuckDBConnection,
  { table, select, slices }: Sliced,
  changed: Changed,
  { timeOf, taken }: Pick<Divided, 'timeOf' | 'taken'>,
): Promise<MadeDays> {
  const { by, of, together, since, spans, carries, lasting } = slices
  const room = taken.get(connection) as Room
  const take = taker(connection, room)
  if (spans !== undefined)
    return makeSpans(connection, { table, select, slices }, spans, changed.from as string, {
      timeOf,
      room,
      take,
    })
  if (carries !== undefined || lasting !== undefined)
    return makeFrom(connection, { table, select, slices }, changed.from as string, room)
  let wanted = changed
  for (const source of of) {
    const time = timeOf.get(source) as string
    if (together === undefined) {
      await take(source, `where ${on(time, wanted)}`)
      continue
    }
    const keys = together.join(', ')
    const agree = together.map((name) => `taken.${name} is not distinct from same.${name}`).join(' and ')
    const sharing = (found: string): string => `as taken semi join (${found}) as same on ${agree}`
    // What is no longer in the source was in the table.
    const touched = `select ${keys} from ${source} where ${on(time, changed)} union all select ${keys} from ${table} where ${on(by, changed)}`
    const reader = await connection.runAndReadAll(
      `select distinct ${nameOfDay(dayOf(time))} from ${source} ${sharing(touched)}`,
    )
    const days = new Set([...changed.days, ...reader.getRowsJson().map(([day]) => String(day))])
    wanted = { ...changed, days }
    await take(source, sharing(`select ${keys} from ${source} where ${on(time, wanted)}`))
  }
  if (since !== undefined) await takeSince(take, since, timeOf, changed.from as string)
  const read = since === undefined ? of : [...of, since.table]
  await replaceRows(connection, { table, select, room }, read, on(by, wanted))
  return { made: wanted, rows: await askDays(connection, table, by, on(by, wanted)) }
}

/**
 * Rebuilds the rows of the spans that end on this day or later. Whatever changed lies on such a day, so no other span
 * contains it; what they depend on lies behind the beginning of the first of them.
 */
async function makeSpans(
  connection: DuckDBConnection,
  { table, select, slices: { by, of } }: Sliced,
  spans: Spans,
  first: string,
  { timeOf, room, take }: Pick<Divided, 'timeOf'> & { readonly room: Room; readonly take: Take },
): Promise<MadeDays> {
  const reader = await connection.runAndReadAll(
    `select ${nameOfDay(dayOf(`min(${spans.from})`))} from ${spans.table} where ${notBefore(spans.to, first)}`,
  )
  const begun = String(reader.getRowsJson()[0]?.[0])
  const from = begun === NO_DAY || begun > first ? first : begun
  for (const source of of) await take(source, `where ${notBefore(timeOf.get(source) as string, from)}`)
  await take(spans.table, `where ${notBefore(spans.to, from)}`)
  await replaceRows(connection, { table, select, room }, [...of, spans.table], notBefore(spans.to, first))
  const made: Changed = { days: new Set(), from }
  return { made, rows: await askDays(connection, table, by, on(by, made)) }
}

/**
 * Rebuilds the rows of this day and of all later ones, and those that last until then. Of the others, the last of each key is
 * carried.
 */
async function makeFrom(
  connection: DuckDBConnection,
  { table, select, slices: { by, carries, lasting } }: Sliced,
  first: string,
  room: Room,
): Promise<MadeDays> {
  // Of two times, the second decides about a row that lacks the first; one without either may be of any day.
  const reaches = (column: string, ifAbsent: boolean): string =>
    `coalesce(${notBefore(column, first)}, ${ifAbsent})`
  const which =
    lasting === undefined ? reaches(by, true) : `(${reaches(by, false)} or ${reaches(lasting, true)})`
  if (carries !== undefined) await takeLast(connection, room, table, carries, `not ${which}`)
  const days = new Set<string>()
  const learnDays = async (): Promise<void> => {
    const reader = await connection.runAndReadAll(
      `select distinct ${nameOfDay(dayOf(by))} from ${table} where ${which}`,
    )
    for (const [day] of reader.getRowsJson()) if (String(day) < first) days.add(String(day))
  }
  const read = carries === undefined ? [] : [carries.table]
  await learnDays()
  await replaceRows(connection, { table, select, room }, read, which)
  await learnDays()
  const made: Changed = { days, from: first }
  return { made, rows: await askDays(connection, table, by, on(by, made)) }
}

/** Puts the last of each key's rows that meet a condition in the place of the table that stands for them. */
async function takeLast(
  connection: DuckDBConnection,
  { database }: Room,
  own: string,
  { table, at, keys }: Carries,
  which: string,
): Promise<void> {
  const agree = [at, ...keys.split(', ')].map((key) => `last_of.${key} is not distinct from own.${key}`)
  await connection.run(
    `create or replace table ${database}.${table} as
     select distinct on (${keys}) own.* from ${own} as own
     semi join (select ${keys}, max(${at}) as ${at} from ${own} where ${which} group by ${keys}) as last_of
       on ${agree.join(' and ')}`,
  )
}

/** Replaces the rows that meet a condition by those that the select makes of what has been taken of these tables. */
async function replaceRows(
  connection: DuckDBConnection,
  { table, select, room }: Pick<Sliced, 'table' | 'select'> & { readonly room: Room },
  read: readonly string[],
  which: string,
): Promise<void> {
  const text = read.reduce(
    (sql, source) => sql.replaceAll(nameOf(source), `${room.database}.${source}`),
    select,
  )
  await connection.run(`delete from ${table} where ${which}`)
  await connection.run(`insert into ${table}\nselect * from (${text}) where ${which}`)
}

/**
 * The rows of this day and of all later ones, and of each key the earlier ones from the last that meets the condition: that one,
 * and what follows it without meeting it.
 */
async function takeSince(
  take: Take,
  { table, at, where, keys, lasts }: Since,
  timeOf: ReadonlyMap<string, string>,
  first: string,
): Promise<void> {
  const time = timeOf.get(table) as string
  const agree = keys.split(', ').map((key) => `last_of.${key} is not distinct from taken.${key}`)
  const lastOf = `(select ${keys}, max(${at}) as last_at from ${lasts} where (${where}) and not ${notBefore(timeOf.get(lasts) as string, first)} group by ${keys})`
  // By its place alone a row is found without reading the others.
  const places = `(select last_at from ${lastOf} as last_of)`
  await take(
    table,
    `where ${notBefore(time, first)}
     union all
     select taken.* from (select * from ${table} where ${at} in ${places}) as taken
     semi join ${lastOf} as last_of on taken.${at} = last_of.last_at and ${agree.join(' and ')}
     union all
     select taken.* from ${table} as taken left join ${lastOf} as last_of on ${agree.join(' and ')}
     where not ${notBefore(`taken.${time}`, first)} and (${where}) is not true
       and (last_of.last_at is null or taken.${at} > last_of.last_at)`,
  )
}

const nameOf = (table: string): RegExp => new RegExp(`\\b${table.replace('.', '\\.')}\\b(?!\\.)`, 'g')

/** Puts rows of a source under its name in the connection's room. */
type Take = (source: string, which: string) => Promise<void>

const taker =
  (connection: DuckDBConnection, { database, selects }: Room): Take =>
  async (source, which) => {
    const select = `select * from ${source} ${which}`
    if (selects.get(source) === select) return
    await connection.run(`create or replace table ${database}.${source} as ${select}`)
    // More may land while the models run.
    if (!source.startsWith('landing.')) selects.set(source, select)
  }
