// The published tables of two ledgers, row by row as text.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ClickHouseSettings } from '../../pipeline/clickhouse/settings.ts'
import { clickHouseSource } from '../../pipeline/clickhouse/source.ts'
import { identifier, literal } from '../../pipeline/engine/quote.ts'

export interface Compared {
  readonly table: string
  readonly rows: number
  /** Rows that stand in one ledger alone; null where the table or a column is not there at all. */
  readonly onlyInDuckDb: number | null
  readonly onlyInClickHouse: number | null
  /** One of them, for whoever looks for the cause. */
  readonly example: string
}

/** What each build says of itself: which tables it kept, by hashes of DuckDB's own. */
const OF_DUCKDB_ALONE: ReadonlySet<string> = new Set(['made_tables'])

/** Compares every published table of the books in `dir` with that of the server. */
export async function compareLedgers(dir: string, settings: ClickHouseSettings): Promise<Compared[]> {
  const file = join(dir, 'tmp', 'compared.duckdb')
  rmSync(file, { force: true })
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  const state = await clickHouseSource(settings).open()
  try {
    await connection.run("set timezone = 'UTC'")
    await connection.run(state.definitions.join(';\n'))
    await connection.run(`attach ${literal(join(dir, 'ledger.duckdb'))} as published (read_only)`)
    const columnsIn = async (database: string): Promise<Map<string, string[]>> => {
      const reader = await connection.runAndReadAll(
        `select table_name, list(column_name || ' ' || data_type order by column_index) from duckdb_columns()
         where database_name = ${literal(database)} and schema_name = 'main' and not internal group by table_name order by 1`,
      )
      return new Map(reader.getRowsJson() as [string, string[]][])
    }
    const there = await columnsIn('compared')
    const compared: Compared[] = []
    const tables = [...(await columnsIn('published'))].filter(([table]) => !OF_DUCKDB_ALONE.has(table))
    for (const [table, columns] of tables) {
      if (there.get(table)?.join(', ') !== columns.join(', ')) {
        const example = there.has(table) ? `columns ${there.get(table)?.join(', ')}` : 'no such table'
        compared.push({ table, rows: 0, onlyInDuckDb: null, onlyInClickHouse: null, example })
        continue
      }
      await state.fetch(connection, table, join(dir, 'tmp'))
      const text = columns
        .map((column) => `cast(${identifier(column.slice(0, column.indexOf(' ')))} as varchar)`)
        .join(', ')
      const rowsOf = (database: string): string =>
        `select to_json([${text}]) as line from ${database}.main.${identifier(table)}`
      // Rows in whatever order: ten millions of them are not held against one another where a sum of their hashes says it.
      const rowsIn = async (database: string): Promise<string[]> => {
        const asked = `select count(*), concat(count(*), ' ', sum(cast(hash(line) as hugeint))) from (${rowsOf(database)})`
        return ((await connection.runAndReadAll(asked)).getRowsJson()[0] ?? []).map(String)
      }
      const ask = async (question: string): Promise<string[]> =>
        (await connection.runAndReadAll(question)).getRowsJson().map(([cell]) => String(cell))
      const [rows, hash] = await rowsIn('published')
      const [, otherHash] = await rowsIn('compared')
      if (hash === otherHash) {
        compared.push({ table, rows: Number(rows), onlyInDuckDb: 0, onlyInClickHouse: 0, example: '' })
        continue
      }
      const mine = await ask(`${rowsOf('published')} except all ${rowsOf('compared')}`)
      const theirs = await ask(`${rowsOf('compared')} except all ${rowsOf('published')}`)
      compared.push({
        table,
        rows: Number(rows),
        onlyInDuckDb: mine.length,
        onlyInClickHouse: theirs.length,
        example: `${mine.sort()[0]} | ${theirs.sort()[0]}`,
      })
    }
    return compared
  } finally {
    connection.closeSync()
    instance.closeSync()
    await state.close()
    rmSync(file, { force: true })
  }
}

export const isEqual = ({ onlyInDuckDb, onlyInClickHouse }: Compared): boolean =>
  onlyInDuckDb === 0 && onlyInClickHouse === 0
