// A single check or model over planted tables: the tables that it reads are created with the given rows, its select runs, and
// its rows are returned. There is no build, so a test states in a few lines what a check must find.
import { DuckDBInstance } from '@duckdb/node-api'
import { registerExactFunctions } from '../../pipeline/ledger/functions.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { shippedModels } from '../../pipeline/ledger/models.ts'
import { readsOf } from '../../pipeline/ledger/parse-tree.ts'
import { createMacros } from '../../pipeline/ledger/portable.ts'

export interface Planted {
  /** `name type, …`, as in `create table`. */
  readonly columns: string
  /** Cells in the order of the columns; all as text, or null. */
  readonly rows: readonly (readonly (string | null)[])[]
}

export type ModelRow = Readonly<Record<string, string | null>>

/** Runs the model that builds `table` (`checks.double_entry`). An error names every table that it reads but was not planted. */
export async function runModel(
  table: string,
  planted: Readonly<Record<string, Planted>>,
): Promise<ModelRow[]> {
  const [rows = []] = await runModels([table], planted)
  return rows
}

/** Runs models in sequence, each over the planted tables and the results of those before it; returns the rows of each. */
export async function runModels(
  tables: readonly string[],
  planted: Readonly<Record<string, Planted>>,
): Promise<ModelRow[][]> {
  const models = [...shippedModels(), ...generatedModels({ publishPersonalData: false })]
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    await connection.run("set timezone = 'UTC'")
    registerExactFunctions(connection)
    await createMacros(connection)
    const there = new Set(Object.keys(planted))
    for (const schema of new Set([...there, ...tables].map((name) => name.split('.')[0])))
      await connection.run(`create schema if not exists ${schema}`)
    for (const [name, { columns, rows }] of Object.entries(planted)) {
      await connection.run(`create table ${name} (${columns})`)
      for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
        const some = rows.slice(first, first + ROWS_AT_ONCE)
        let place = 0
        const places = some.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`)
        await connection.run(`insert into ${name} values ${places.join(', ')}`, some.flat())
      }
    }
    const found: ModelRow[][] = []
    for (const table of tables) {
      const model = models.find((one) => one.table === table)
      if (model === undefined) throw new Error(`No model makes ${table}.`)
      const missing = (await readsOf(connection, model)).filter((read) => !there.has(read))
      if (missing.length > 0) throw new Error(`${table} reads ${missing.join(', ')}: plant these as well.`)
      await connection.run(`create table ${table} as ${model.select}`)
      there.add(table)
      const reader = await connection.runAndReadAll(`select cast(columns(*) as varchar) from ${table}`)
      const names = reader.columnNames()
      found.push(
        reader
          .getRowsJson()
          .map((row) =>
            Object.fromEntries(row.map((cell, place) => [names[place] ?? '', plain(cell as string | null)])),
          ),
      )
    }
    return found
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const ROWS_AT_ONCE = 100

/** An amount in its shortest form. */
const plain = (cell: string | null): string | null =>
  cell !== null && /^-?\d+\.\d{18}$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell
