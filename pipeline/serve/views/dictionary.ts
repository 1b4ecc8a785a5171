// The dictionary: every published table and column as described by the ledger's own comments, and what is built from what.
import { describe } from '../../ledger/describe.ts'
import { type Lineage, lineageOf, readLineage, sourcesOf } from '../../ledger/lineage.ts'
import { lotsStep } from '../../lots/step.ts'
import type { CellKind, Row } from '../../output/cell.ts'
import type { ConsoleSchema, Dictionary, SchemaTable } from '../api.ts'
import type { Edition } from '../published.ts'

/** Tables of schema main with their columns, by name. */
export async function tablesOf({ ledger }: Edition): Promise<SchemaTable[]> {
  const tables = await ledger.query(
    `select table_name, coalesce(comment, ''), estimated_size from duckdb_tables()
     where database_name = current_database() and schema_name = 'main' and not internal
     union all select view_name, coalesce(comment, ''), null from duckdb_views()
     where database_name = current_database() and schema_name = 'main' and not internal
     order by 1`,
  )
  const columns = await ledger.query(
    `select table_name, column_name, data_type, coalesce(comment, '') from duckdb_columns()
     where database_name = current_database() and schema_name = 'main' and not internal
     order by table_name, column_index`,
  )
  const byTable = new Map<string, Row[]>()
  for (const row of columns) {
    const of = byTable.get(String(row[0]))
    if (of === undefined) byTable.set(String(row[0]), [row])
    else of.push(row)
  }
  return tables.map(([name, comment, rows]) => ({
    name: String(name),
    ...describe(String(comment)),
    rows: rows === null ? null : Number(rows),
    columns: (byTable.get(String(name)) ?? []).map(([, column, type, says]) => ({
      name: String(column),
      type: String(type),
      kind: kindOf(String(type)),
      says: String(says),
    })),
  }))
}

function kindOf(type: string): CellKind {
  if (type.startsWith('DECIMAL')) return 'amount'
  if (type.startsWith('TIMESTAMP')) return 'time'
  if (type === 'DATE') return 'date'
  return /INT|DOUBLE|FLOAT/.test(type) ? 'number' : 'text'
}

export async function consoleSchema(edition: Edition): Promise<ConsoleSchema> {
  const { ledger, stamp } = edition
  const texts = async (sql: string): Promise<string[]> =>
    (await ledger.query(sql)).map(([text]) => String(text))
  return {
    stamp,
    tables: await tablesOf(edition),
    keywords: await texts('select distinct keyword_name from duckdb_keywords() order by 1'),
    functions: await texts(
      "select distinct function_name from duckdb_functions() where regexp_matches(function_name, '^[a-z][a-z0-9_]*$') order by 1",
    ),
    types: await texts(
      "select distinct lower(type_name) from duckdb_types() where regexp_matches(lower(type_name), '^[a-z][a-z0-9_ ]*$') order by 1",
    ),
  }
}

let lineage: Promise<Lineage> | undefined

/** What this version's models read, extracted from their parse trees once. */
const shippedLineage = (): Promise<Lineage> => {
  lineage ??= readLineage([lotsStep({ method: 'fifo', scope: 'account' })])
  return lineage
}

export async function dictionary(edition: Edition): Promise<Dictionary> {
  const origins = await shippedLineage()
  const usedBy = usersOf(origins)
  return {
    stamp: edition.stamp,
    tables: (await tablesOf(edition)).map((table) => {
      const name = `main.${table.name}`
      return {
        ...table,
        madeFrom: origins.has(name)
          ? lineageOf(origins, name).map((line) => ({ ...line, name: short(line.name) }))
          : [],
        sources: origins.has(name) ? sourcesOf(origins, name) : [],
        usedBy: usedBy.get(name) ?? [],
      }
    }),
  }
}

const short = (table: string): string => table.replace(/^main\./, '')

/** For each published table, the published tables built from it, directly or through intermediate steps. */
function usersOf(origins: Lineage): Map<string, string[]> {
  const users = new Map<string, Set<string>>()
  const visit = (read: string, user: string, seen: Set<string>): void => {
    if (seen.has(read)) return
    seen.add(read)
    if (read.startsWith('main.')) users.set(read, (users.get(read) ?? new Set()).add(short(user)))
    else for (const below of origins.get(read)?.reads ?? []) visit(below, user, seen)
  }
  for (const [table, { reads }] of origins) {
    if (!table.startsWith('main.')) continue
    const seen = new Set<string>()
    for (const read of reads) visit(read, table, seen)
  }
  return new Map([...users].map(([table, names]) => [table, [...names].toSorted()]))
}
