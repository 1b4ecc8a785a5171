// Writes the meaning of each published table and column into the ledger, for readers without these sources.
import type { DuckDBConnection } from '@duckdb/node-api'
import { identifier, literal } from '../engine/quote.ts'
import { type Documented, qualify } from './models.ts'
import type { ExtraStep } from './tasks.ts'
import { CATALOG } from './workspace.ts'

export const docsOfStep = ({ name, writes, docs, columns }: ExtraStep): Documented[] =>
  writes.map((table) => ({
    table: qualify(table),
    file: `${table} (step ${name})`,
    doc: docs?.[table] ?? '',
    columnDocs: new Map(Object.entries(columns?.[table] ?? {})),
  }))

/**
 * Comments the tables of schema main where the comment differs; a meaning for a column that does not exist is
 * ignored.
 */
export async function writeComments(
  connection: DuckDBConnection,
  documented: readonly Documented[],
): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select schema_name || '.' || table_name, column_name, comment from duckdb_columns() where database_name = '${CATALOG}'
     union all select schema_name || '.' || table_name, '', comment from duckdb_tables() where database_name = '${CATALOG}'`,
  )
  const found = new Map(
    reader.getRowsJson().map(([table, column, comment]) => [`${table}.${column}`, comment]),
  )
  const statements: string[] = []
  for (const { table, doc, columnDocs } of documented) {
    if (!table.startsWith('main.')) continue
    if (found.get(`${table}.`) !== doc) statements.push(`comment on table ${table} is ${literal(doc)}`)
    for (const [column, meaning] of columnDocs) {
      const name = `${table}.${column}`
      if (found.has(name) && found.get(name) !== meaning)
        statements.push(`comment on column ${table}.${identifier(column)} is ${literal(meaning)}`)
    }
  }
  await connection.run(['begin transaction', ...statements, 'commit'].join(';\n'))
}
