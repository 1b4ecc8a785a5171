// Moves tables between DuckDB and ClickHouse as Parquet, through a file in the folder for unfinished work, so that
// memory holds a part of a table and never the whole.
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import { identifier, literal } from '../engine/quote.ts'
import type { Server } from './server.ts'
import { clickHouseType, duckDbType, isWide } from './types.ts'

/** Name and type of each column, as in DuckDB, in order. */
export type Columns = ReadonlyMap<string, string>

/** Columns of the tables of these databases, by database and table: `landing.pages`. */
export async function columnsOf(
  connection: DuckDBConnection,
  databases: readonly string[],
): Promise<Map<string, Columns>> {
  const reader = await connection.runAndReadAll(
    `select database_name || '.' || table_name, column_name, data_type from duckdb_columns()
     where database_name in (${databases.map(literal).join(', ')}) and not internal
     order by database_name, table_name, column_index`,
  )
  const tables = new Map<string, Map<string, string>>()
  for (const [table, column, type] of reader.getRowsJson() as string[][]) {
    const columns = tables.get(table as string) ?? new Map<string, string>()
    tables.set(table as string, columns.set(column as string, type as string))
  }
  return tables
}

/** Columns of the tables of a database of the server, with their types in DuckDB. */
export async function columnsThere(server: Server, database: string): Promise<Map<string, Columns>> {
  const rows = await server.rows(
    `select table, name, type from system.columns where database = ${text(database)} order by table, position`,
  )
  const tables = new Map<string, Map<string, string>>()
  for (const [table, column, type] of rows as string[][]) {
    const columns = tables.get(table as string) ?? new Map<string, string>()
    tables.set(table as string, columns.set(column as string, duckDbType(type as string)))
  }
  return tables
}

/** Descriptions of a table and its columns. */
export interface Meaning {
  readonly doc: string
  readonly columnDocs: ReadonlyMap<string, string>
}

export interface Definition {
  readonly columns: Columns
  /** Columns by which rows are sorted, as far as the table has them. */
  readonly order: readonly string[]
  /** Time column by whose months rows are partitioned. */
  readonly month?: string | undefined
  readonly meaning?: Meaning | undefined
}

/** The statement that creates an empty table with this name. */
export function definitionOf(name: string, { columns, order, month, meaning }: Definition): string {
  const lines = [...columns].map(([column, type]) => {
    const doc = meaning?.columnDocs.get(column)
    return `  ${identifier(column)} ${clickHouseType(type)}${doc === undefined ? '' : ` comment ${text(doc)}`}`
  })
  const key = order.filter((column) => columns.has(column)).map(identifier)
  return `create table ${name} (\n${lines.join(',\n')}\n) engine = MergeTree
${month === undefined ? '' : `partition by toYYYYMM(${identifier(month)})\n`}order by (${key.join(', ')})
settings allow_nullable_key = 1${meaning === undefined ? '' : `\ncomment ${text(meaning.doc)}`}`
}

/** In a ClickHouse string a backslash escapes what follows it. */
export const text = (value: string): string => literal(value.replaceAll('\\', '\\\\'))

let files = 0

/** Runs with the name of a file that is deleted afterwards. */
async function withFile<T>(folder: string, work: (file: string) => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  files += 1
  const file = join(folder, `clickhouse-${process.pid}-${files}.parquet`)
  const close = () => rm(file, { force: true })
  return await closing(close, () => work(file))
}

export interface Ways {
  readonly server: Server
  /** For the files. */
  readonly folder: string
}

/**
 * Adds rows of DuckDB to a table of ClickHouse that has these columns: the rows of `source`, a table or a part of one.
 */
export async function push(
  { server, folder }: Ways,
  connection: DuckDBConnection,
  source: string,
  target: string,
  columns: Columns,
): Promise<void> {
  const selected = [...columns].map(([name, type]) =>
    isWide(type) ? `cast(${identifier(name)} as varchar) as ${identifier(name)}` : identifier(name),
  )
  await withFile(folder, async (file) => {
    await connection.run(
      `copy (select ${selected.join(', ')} from ${source}) to ${literal(file)} (format parquet)`,
    )
    await server.upload(target, [...columns.keys()], file)
  })
}

/** Adds the rows of a table of ClickHouse to one of DuckDB that has these columns. */
export async function pull(
  { server, folder }: Ways,
  source: string,
  connection: DuckDBConnection,
  target: string,
  columns: Columns,
): Promise<void> {
  const selected = [...columns].map(([name, type]) =>
    isWide(type) ? `toString(${identifier(name)}) as ${identifier(name)}` : identifier(name),
  )
  await withFile(folder, async (file) => {
    await server.download(`select ${selected.join(', ')} from ${source}`, file)
    await connection.run(
      `insert into ${target} (${[...columns.keys()].map(identifier).join(', ')})
       select ${[...columns].map(([name, type]) => `cast(${identifier(name)} as ${type})`).join(', ')}
       from read_parquet(${literal(file)})`,
    )
  })
}
