// One check or model alone over planted tables: the tables that it reads are made with the given rows, its select runs,
// and its rows come back. No build, so that a test says in a few lines what a check is to find.
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { packageRoot } from '../../pipeline/config/root.ts'
import { registerExactFunctions } from '../../pipeline/ledger/functions.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { readModels } from '../../pipeline/ledger/models.ts'
import { readsOf } from '../../pipeline/ledger/parse-tree.ts'
import { createMacros } from '../../pipeline/ledger/portable.ts'

export interface Planted {
  /** `name type, …` as in `create table`. */
  readonly columns: string
  /** Cells in the order of the columns; everything as text, null for none. */
  readonly rows: readonly (readonly (string | null)[])[]
}

export type ModelRow = Readonly<Record<string, string | null>>

/** Runs the model that makes `table` (`checks.double_entry`). An error names every table that it reads and nobody planted. */
export async function runModel(
  table: string,
  planted: Readonly<Record<string, Planted>>,
): Promise<ModelRow[]> {
  const models = [...readModels(join(packageRoot, 'sql')), ...generatedModels({ publishPersonalData: false })]
  const model = models.find((one) => one.table === table)
  if (model === undefined) throw new Error(`No model makes ${table}.`)
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    await connection.run("set timezone = 'UTC'")
    registerExactFunctions(connection)
    await createMacros(connection)
    const missing = (await readsOf(connection, model)).filter((read) => planted[read] === undefined)
    if (missing.length > 0) throw new Error(`${table} reads ${missing.join(', ')}: plant these as well.`)
    for (const [name, { columns, rows }] of Object.entries(planted)) {
      await connection.run(`create schema if not exists ${name.split('.')[0]}`)
      await connection.run(`create table ${name} (${columns})`)
      for (const row of rows) {
        const places = row.map((_, place) => `$${place + 1}`).join(', ')
        await connection.run(`insert into ${name} values (${places})`, [...row])
      }
    }
    const reader = await connection.runAndReadAll(
      `select cast(columns(*) as varchar) from (${model.select}) as found`,
    )
    const names = reader.columnNames()
    return reader
      .getRowsJson()
      .map((row) =>
        Object.fromEntries(row.map((cell, place) => [names[place] ?? '', plain(cell as string | null)])),
      )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** An amount in its shortest form. */
const plain = (cell: string | null): string | null =>
  cell !== null && /^-?\d+\.\d{18}$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell
