// Copies a result from one DuckDB instance into a table of another, chunk by chunk.
import type { DuckDBConnection } from '@duckdb/node-api'
import { identifier } from '../engine/quote.ts'
import type { RawResult } from './column.ts'

/** Creates `table` with the columns of the result and fills it. */
export async function loadTable(
  connection: DuckDBConnection,
  table: string,
  result: RawResult,
): Promise<void> {
  const columns = result.names.map((name, index) => `${identifier(name)} ${result.types[index]}`)
  await connection.run(`create table ${identifier(table)} (${columns.join(', ')})`)
  const appender = await connection.createAppender(table)
  for await (const chunk of result.chunks) appender.appendDataChunk(chunk)
  appender.closeSync()
}
