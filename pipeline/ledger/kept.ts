// What a build need not repeat. A table depends on its text and on the rows of what it reads; the ledger
// records for each table a hash of these inputs and its rows. If they are unchanged, a build keeps the table
// as published, and a rebuilt table with the same rows changes nothing downstream. In doubt everything is
// rebuilt.
import { createHash } from 'node:crypto'
import { type DuckDBConnection, DuckDBTimestampTZValue } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type KnownLanded, type Landed, landedRows } from './landed.ts'
import { macroNames } from './macros.ts'
import { type Documented, shippedModels } from './models.ts'
import { thisProgram } from './program.ts'
import { type Ask, asked, askRows, isSame, NO_ROWS, type Rows, rowsOf } from './rows.ts'
import { CATALOG, PREVIOUS } from './workspace.ts'

/** What a build found for one of its tables. */
export interface Found extends Rows {
  /** Hash of the text and the rows that were read; empty if not known. */
  readonly decidedBy: string
}

/** What a ledger records about one of the tables of its build. */
export interface Made extends Found {
  /** When a build first created it with these rows, ISO-8601. */
  readonly madeAt: string
}

/** By qualified name: published tables, and the intermediate steps. */
export type MadeTables = ReadonlyMap<string, Made>

const TABLE = 'made_tables'

export const madeDocs: Documented = {
  table: `main.${TABLE}`,
  file: TABLE,
  doc: `When each table of this ledger was last made, and from what: a build keeps a table of which nothing has changed.
grain: one row per table that has landed (landing), is a step on the way (staging), is a check (checks) or is published (main), except this one
keys:  table_name unique`,
  columnDocs: new Map([
    ['table_name', 'Table, including its schema.'],
    [
      'decided_by',
      'Hash of the text of the model and the rows of everything it reads; of the program, for the table about; `received` for what has landed, `given` for the configuration and the shipped tables; empty for the breaks, which each build writes again.',
    ],
    ['row_count', 'Rows of the table; 0 for a view, whose rows are not counted.'],
    [
      'rows_hash',
      'Sum of the hashes of its rows, whatever their order; for a published view, the hash of its definition.',
    ],
    ['made_at', 'When a build first created it with its present rows.'],
  ]),
}

/** Views that are published, qualified. */
const publishedViews = (): string[] =>
  shippedModels().flatMap(({ table, isView }) =>
    isView === true && table.startsWith('main.') ? [table] : [],
  )

/**
 * The published views of the queried database. A view has no rows of its own, so its definition stands in for
 * them.
 */
export async function askViews(ask: Ask): Promise<Map<string, Rows>> {
  const own = publishedViews()
  const found = await ask(
    "select 'main.' || view_name, sha256(sql) from duckdb_views() where database_name = current_database() and schema_name = 'main'",
  )
  return new Map(
    found.flatMap(([view, hash]) =>
      own.includes(String(view)) ? [[String(view), { count: 0, hash: String(hash) }] as const] : [],
    ),
  )
}

/** Rows of published tables, including views. */
export async function askPublished(ask: Ask, tables: readonly string[]): Promise<Map<string, Rows>> {
  const views = await askViews(ask)
  const rows = await askRows(
    ask,
    tables.filter((table) => !views.has(table)),
  )
  return new Map([...rows, ...[...views].filter(([view]) => tables.includes(view))])
}

/** The rows of a build's inputs. */
export interface Inputs extends Landed {
  /** By table, what the configuration and the shipped tables contain. */
  readonly given: ReadonlyMap<string, Rows>
}

/** What has landed, in the database attached as `landing`, and the tables that are given. */
export async function inputsOf(
  connection: DuckDBConnection,
  given: readonly string[],
  timeOf?: ReadonlyMap<string, string>,
  known?: KnownLanded | null,
): Promise<Inputs> {
  return { ...(await landedRows(connection, timeOf, known)), given: await rowsOf([connection], given) }
}

/** A hash of a table's inputs; undefined if the rows of one of them are not known. */
export function decidedBy(
  text: string,
  reads: readonly string[],
  known: ReadonlyMap<string, Rows>,
): string | undefined {
  const hash = createHash('sha256').update(text)
  for (const table of reads) {
    const rows = known.get(table)
    if (rows === undefined) return undefined
    hash.update(`\n${table} ${rows.count} ${rows.hash}`)
  }
  return hash.digest('hex')
}

/** The table whose `decided_by` is the origin of the whole ledger; its own rows are not recorded. */
export const ORIGIN = 'main.about'

/**
 * A hash of what a whole ledger depends on: this program and its engine, because functions and steps
 * determine the contents of tables; every erasure, and whether personal data is published, because erased
 * data must not stay in a copy.
 */
export function originOf(erased: string, publishesPersonalData: boolean): string {
  return createHash('sha256')
    .update(JSON.stringify([thisProgram(), erased, publishesPersonalData]))
    .digest('hex')
}

/** Every booked record, on which all figures are based. */
const BOOKED = 'staging.moves'

/** The share of landed rows that may be in changed tables. */
const MOST_CHANGED = 0.5

/**
 * Whether a build may begin with these tables of the published ledger: not with a different origin. With its
 * intermediate steps, only the days that have changed are rebuilt; without them, not if hardly anything would be
 * kept. What has landed changes every night, if only because the last range is requested again; if the last
 * build found no new booked record, this one is expected to find none.
 */
export function isBase(
  published: MadeTables,
  origin: string,
  { landed }: Inputs,
  { hasSteps }: { readonly hasSteps: boolean },
): boolean {
  const last = published.get(ORIGIN)
  if (last?.decidedBy !== origin) return false
  if (hasSteps) return true
  const rows = [...landed].filter(([table]) => table !== 'landing.pages')
  const countOf = (of: typeof rows): number => of.reduce((sum, [, { count }]) => sum + count, 0)
  const changed = rows.filter(([table, one]) => !isSame(one, published.get(table)))
  const wasQuiet = (published.get(BOOKED)?.madeAt ?? last.madeAt) < last.madeAt
  return wasQuiet || countOf(changed) <= MOST_CHANGED * countOf(rows)
}

const BREAKS = 'main.breaks'

/** The rows of the breaks, which represent the checks that a later build keeps. */
export const breaksFound = async (connection: DuckDBConnection): Promise<[string, Found]> => {
  const rows = await rowsOf([connection], [BREAKS])
  return [BREAKS, { ...(rows.get(BREAKS) ?? NO_ROWS), decidedBy: '' }]
}

/** Whether the breaks of the published ledger, attached as `before`, are those that were published. */
export async function hasItsBreaks(connection: DuckDBConnection, published: MadeTables): Promise<boolean> {
  const table = `${PREVIOUS}.${BREAKS}`
  try {
    return isSame((await rowsOf([connection], [table])).get(table), published.get(BREAKS))
  } catch {
    return false
  }
}

/**
 * Whether the published ledger, attached as `before`, contains every table of its build and nothing else: an
 * object that somebody else created in it would persist from build to build, or obstruct the next one. Rows
 * are checked later, except for tables that have none.
 */
export async function holdsItsTables(connection: DuckDBConnection, published: MadeTables): Promise<boolean> {
  const all = (what: string, which: string): string =>
    `from duckdb_${what}() where database_name = '${PREVIOUS}' and ${which}`
  const views = publishedViews().map(literal).join(', ')
  const others = [
    all('views', `not internal and schema_name || '.' || view_name not in (${views})`),
    all('indexes', 'true'),
    all('sequences', 'true'),
    all('types', 'not internal'),
    all('functions', `not internal and function_name not in (${macroNames.map(literal).join(', ')})`),
    all('tables', "schema_name <> 'main'"),
  ]
  const reader = await connection.runAndReadAll(
    `select 'main.' || table_name, estimated_size > 0 ${all('tables', "schema_name = 'main'")}
     union all select 'main.' || view_name, false ${all('views', "not internal and schema_name = 'main'")}
     union all ${others.map((other) => `select null, true ${other}`).join(' union all ')}`,
  )
  const found = new Map(reader.getRowsJson() as [string | null, boolean][])
  const own = [...published].filter(([table]) => table.startsWith('main.'))
  return !found.has(null) && own.every(([table, { count }]) => found.get(table) === count > 0)
}

/**
 * What the published ledger, attached as `before`, records about its tables; null if there is none, or it
 * records nothing.
 */
export const readMade = (connection: DuckDBConnection): Promise<MadeTables | null> =>
  askMade(asked(connection), `${PREVIOUS}.main`).catch(() => null)

/** What the ledger in this schema records about its tables. */
export async function askMade(ask: Ask, schema = 'main'): Promise<MadeTables> {
  const rows = await ask(
    `select table_name, decided_by, row_count, rows_hash, strftime(made_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')
     from ${schema}.${TABLE}`,
  )
  return new Map(
    rows.map(([table, decided, count, hash, madeAt]) => [
      String(table),
      {
        decidedBy: String(decided),
        count: Number(count),
        hash: String(hash),
        madeAt: String(madeAt),
      },
    ]),
  )
}

/** Records what was found for each table, and returns it; tables with the same rows as `before` keep their time. */
export async function writeMade(
  connection: DuckDBConnection,
  found: ReadonlyMap<string, Found>,
  {
    before,
    origin,
    now,
  }: { readonly before: MadeTables | null; readonly origin: string; readonly now: Date },
): Promise<MadeTables> {
  const made = [...found].map(([table, one]): [string, Made] => {
    const earlier = before?.get(table)
    const madeAt = earlier !== undefined && isSame(one, earlier) ? earlier.madeAt : now.toISOString()
    return [table, { ...one, madeAt }]
  })
  made.push([ORIGIN, { decidedBy: origin, count: 1, hash: '0', madeAt: now.toISOString() }])
  await connection.run(
    `create or replace table main.${TABLE} (table_name varchar, decided_by varchar, row_count bigint, rows_hash varchar, made_at timestamptz)`,
  )
  const appender = await connection.createAppender(TABLE, 'main', CATALOG)
  for (const [table, { decidedBy, count, hash, madeAt }] of made) {
    appender.appendVarchar(table)
    appender.appendVarchar(decidedBy)
    appender.appendBigInt(BigInt(count))
    appender.appendVarchar(hash)
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(BigInt(Date.parse(madeAt)) * 1000n))
    appender.endRow()
  }
  appender.closeSync()
  return new Map(made)
}
