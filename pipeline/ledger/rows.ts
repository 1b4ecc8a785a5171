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
  const atATime = lanes.length > 1 ? TABLES_AT_A_TIME : tables.length
  const portions: string[][] = []
  for (let at = 0; at < tables.length; at += atATime) portions.push(tables.slice(at, at + atATime))
  const found = new Map<string, Rows>()
  await eachInLanes(portions, lanes, async (portion, lane) => {
    const ask: Ask = async (question) => (await lane.runAndReadAll(question)).getRowsJson()
    for (const [table, rows] of await askRows(ask, portion)) found.set(table, rows)
  })
  return found
}

/** Rows of each table, in two queries. */
export async function askRows(ask: Ask, tables: readonly string[]): Promise<Map<string, Rows>> {
  if (tables.length === 0) return new Map()
  const questions = [...(await rowHashes(ask, tables))].map(
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
  const signed = new Map(tables.map((table) => [table, [] as string[]]))
  for (const [table, column] of await ask(tables.map(signedColumns).join('\nunion all\n')))
    signed.get(String(table))?.push(`whole_row.${identifier(String(column))} < 0`)
  return new Map([...signed].map(([table, signs]) => [table, `hash(${['whole_row', ...signs].join(', ')})`]))
}

/**
 * Its 128-bit numeric columns: DuckDB hashes the two halves separately and combines them by xor, so that zero
 * and the smallest negative amount, whose halves are equal, have the same hash. With its sign each has its
 * own.
 */
const signedColumns = (table: string): string =>
  `select ${literal(table)}, column_name from (describe from ${table}) where column_type like 'DECIMAL(%' or column_type = 'HUGEINT'`
