// The rows of a table as a number and one hash, whatever their order: what a build compares tables by.
import type { DuckDBConnection } from '@duckdb/node-api'
import { identifier, literal } from '../engine/quote.ts'
import { eachInLanes } from './lanes.ts'

/** The rows of a table, in any order. */
export interface Rows {
  readonly count: number
  /** Sum of the 64-bit hashes of the rows, as decimal text; `0` for no rows. */
  readonly hash: string
}

export const NO_ROWS: Rows = { count: 0, hash: '0' }

export const isSame = (one: Rows | undefined, other: Rows | undefined): boolean =>
  one !== undefined && one.count === other?.count && one.hash === other.hash

/** Queries a database; returns the rows of the answer. */
export type Ask = (question: string) => Promise<readonly (readonly unknown[])[]>

/**
 * How many tables are queried at a time if several connections work in parallel: some have few rows, others
 * nearly all.
 */
const TABLES_AT_A_TIME = 8

/** Rows of each table, queried on whichever of these connections is free. */
export async function rowsOf(
  lanes: readonly DuckDBConnection[],
  tables: readonly string[],
): Promise<Map<string, Rows>> {
  const [first] = lanes
  const hashes = first === undefined ? [] : [...(await rowHashes(asked(first), tables))]
  const atATime = lanes.length > 1 ? TABLES_AT_A_TIME : tables.length
  const portions: [string, string][][] = []
  for (let at = 0; at < tables.length; at += atATime) portions.push(hashes.slice(at, at + atATime))
  const found = new Map<string, Rows>()
  await eachInLanes(portions, lanes, async (portion, lane) => {
    for (const [table, rows] of await hashedRows(asked(lane), portion)) found.set(table, rows)
  })
  return found
}

/** Queries the database of this connection. */
export const asked =
  (connection: DuckDBConnection): Ask =>
  async (question) =>
    (await connection.runAndReadAll(question)).getRowsJson()

/** Rows of each table, in two queries. */
export async function askRows(ask: Ask, tables: readonly string[]): Promise<Map<string, Rows>> {
  return hashedRows(ask, [...(await rowHashes(ask, tables))])
}

/** Rows of each table, given with the hash of one of them. */
async function hashedRows(
  ask: Ask,
  hashes: readonly (readonly [string, string])[],
): Promise<Map<string, Rows>> {
  if (hashes.length === 0) return new Map()
  const questions = hashes.map(
    ([table, hash]) =>
      `select ${literal(table)}, count(*), cast(coalesce(sum(cast(${hash} as hugeint)), 0) as varchar) from ${table} as whole_row`,
  )
  return new Map(
    (await ask(questions.join('\nunion all\n'))).map(([table, count, hash]) => [
      String(table),
      { count: Number(count), hash: String(hash) },
    ]),
  )
}

/** For each table, the hash of the row called `whole_row`, as SQL. */
export async function rowHashes(ask: Ask, tables: readonly string[]): Promise<Map<string, string>> {
  const signed = tables.length < MANY_TABLES ? new Map<string, readonly string[]>() : await allSigned(ask)
  const others = tables.filter((table) => !signed.has(table))
  for (const [table, columns] of others.length === 0 ? [] : await signedOf(ask, others))
    signed.set(table, columns)
  return new Map(
    tables.map((table) => {
      // The same hash, whichever way the columns were found.
      const signs = (signed.get(table) ?? [])
        .toSorted()
        .map((column) => `whole_row.${identifier(column)} < 0`)
      return [table, `hash(${['whole_row', ...signs].join(', ')})`]
    }),
  )
}

/** From this many tables on, the columns of all tables are found sooner than those of each. */
const MANY_TABLES = 12

/**
 * 128-bit numeric columns: DuckDB hashes the two halves separately and combines them by xor, so that zero and the
 * smallest negative amount, whose halves are equal, have the same hash. With its sign each has its own.
 */
const isSigned = (type: string): string => `(${type} like 'DECIMAL(%' or ${type} = 'HUGEINT')`

/** Those of these tables, each queried by itself. */
const signedOf = async (ask: Ask, tables: readonly string[]): Promise<Map<string, string[]>> =>
  byTable(
    await ask(
      tables
        .map(
          (table) =>
            `select ${literal(table)}, case when ${isSigned('column_type')} then column_name end from (describe from ${table})`,
        )
        .join('\nunion all\n'),
    ),
  )

/** Those of every table of every attached database, by the name that models use. */
const allSigned = async (ask: Ask): Promise<Map<string, string[]>> =>
  byTable(
    await ask(
      `select case when database_name = current_database() then schema_name else database_name end || '.' || table_name,
         case when ${isSigned('data_type')} then column_name end
       from duckdb_columns() where schema_name = 'main' and not internal`,
    ),
  )

function byTable(found: readonly (readonly unknown[])[]): Map<string, string[]> {
  const columns = new Map<string, string[]>(found.map(([table]) => [String(table), []]))
  for (const [table, column] of found) if (column !== null) columns.get(String(table))?.push(String(column))
  return columns
}
