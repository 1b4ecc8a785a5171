// Questions about books that a command has written. For tests of what a command leaves in the books, not of builds or of
// `tieout sql`: the models run over what has landed, and those alone that the questions need, in memory. A build of a table or
// two costs three times as much: it tells apart what has changed, checks, documents, and writes a file.
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { configOfBuild } from '../../pipeline/books/night.ts'
import { optionalConfig } from '../../pipeline/config/context.ts'
import { packageRoot } from '../../pipeline/config/root.ts'
import { KEY_DATABASE } from '../../pipeline/ledger/counterparty-key.ts'
import { registerExactFunctions } from '../../pipeline/ledger/functions.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { type Model, shippedModels } from '../../pipeline/ledger/models.ts'
import { readsOf } from '../../pipeline/ledger/parse-tree.ts'
import { createMacros } from '../../pipeline/ledger/portable.ts'
import { GIVEN_TABLES, loadReference } from '../../pipeline/ledger/reference.ts'
import { silentContext } from './build-only.ts'

/** A row by column name: small numbers and truth values as such, everything else as text. */
export type Answer = Readonly<Record<string, unknown>>

const TABLE = /\b(?:from|join) ([a-z_]\w*)/g

let memory: Promise<DuckDBInstance> | undefined
let opened = 0

/** The models by the table that each builds, on a connection on which they run for one folder of books after another. */
interface Bench {
  readonly connection: DuckDBConnection
  readonly models: ReadonlyMap<string, Model>
}

let bench: Promise<Bench> | undefined
let lastAsked: Promise<unknown> = Promise.resolve()

async function newBench(): Promise<Bench> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await connection.run("set timezone = 'UTC'")
  registerExactFunctions(connection)
  const models = [...shippedModels(), ...generatedModels({ publishPersonalData: false })]
  return { connection, models: new Map(models.map((model) => [model.table, model])) }
}

/** Runs the models of the tables that the questions name, and returns the rows that answer each of them. */
export async function askBooks(dir: string, questions: readonly string[]): Promise<Answer[][]> {
  const answers = lastAsked.then(() => askNow(dir, questions))
  lastAsked = answers.catch(() => undefined)
  return await answers
}

async function askNow(dir: string, questions: readonly string[]): Promise<Answer[][]> {
  bench ??= newBench()
  const { connection, models } = await bench
  try {
    await connection.run(
      `attach '${join(dir, 'landing.duckdb')}' as landing (read_only); attach ':memory:' as ${KEY_DATABASE};
       attach ':memory:' as books; use books; create schema staging`,
    )
    await createMacros(connection)
    const config = configOfBuild(optionalConfig(silentContext(dir)))
    await loadReference(connection, config, { shipped: join(packageRoot, 'data'), books: dir })
    const made = new Set(GIVEN_TABLES)
    const make = async (table: string): Promise<void> => {
      if (made.has(table) || table.startsWith('landing.')) return
      const model = models.get(table)
      if (model === undefined) throw new Error(`No model makes ${table}.`)
      made.add(table)
      for (const read of await readsOf(connection, model)) await make(read)
      await connection.run(`create table ${table} as ${model.select}`)
    }
    for (const sql of questions) for (const [, table] of sql.matchAll(TABLE)) await make(`main.${table}`)
    return await answersOf(connection, questions)
  } finally {
    await connection.run(
      `use memory; detach database if exists books; detach database if exists ${KEY_DATABASE}; detach database if exists landing`,
    )
  }
}

/** Returns the rows that answer each question from what is published. */
export async function askLedger(dir: string, questions: readonly string[]): Promise<Answer[][]> {
  memory ??= DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await (await memory).connect()
  opened += 1
  const ledger = `ledger_${opened}`
  try {
    await connection.run(
      `attach '${join(dir, 'ledger.duckdb')}' as ${ledger} (read_only); use ${ledger}; set timezone = 'UTC'`,
    )
    return await answersOf(connection, questions)
  } finally {
    await connection.run(`use memory; detach database if exists ${ledger}`)
    connection.closeSync()
  }
}

async function answersOf(connection: DuckDBConnection, questions: readonly string[]): Promise<Answer[][]> {
  const answers: Answer[][] = []
  for (const sql of questions) answers.push((await connection.runAndReadAll(sql)).getRowObjectsJson())
  return answers
}

/** The only cell of the only row, as a number. */
export const asNumber = (rows: readonly Answer[] | undefined): number => {
  const cells = (rows ?? []).flatMap((row) => Object.values(row))
  if (cells.length !== 1) throw new Error(`Expected one number, found ${JSON.stringify(rows)}.`)
  return Number(cells[0])
}

/** The cells of a row, as a line of CSV that needs no quotes. */
export const asCells = (row: Answer): string => Object.values(row).join(',')
