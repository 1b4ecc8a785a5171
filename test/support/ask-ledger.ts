// Questions about books that a command has written: the tables that they name are built, and nothing else, and one opening of
// the ledger answers them all. For tests of what a command leaves in the books, not of builds or of `tieout sql`.
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { buildOnly } from './build-only.ts'

/** A row by column name: small numbers and truth values as such, everything else as text. */
export type Answer = Readonly<Record<string, unknown>>

const TABLE = /\b(?:from|join) ([a-z_]\w*)/g

let memory: Promise<DuckDBInstance> | undefined
let opened = 0

/** Builds the tables that the questions name, and returns the rows that answer each of them. */
export async function askBooks(
  dir: string,
  questions: readonly string[],
  options: { readonly now?: string } = {},
): Promise<Answer[][]> {
  const tables = new Set(
    questions.flatMap((sql) => [...sql.matchAll(TABLE)].map(([, table]) => `main.${table}`)),
  )
  await buildOnly(dir, [...tables], options)
  return askLedger(dir, questions)
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
    const answers: Answer[][] = []
    for (const sql of questions) answers.push((await connection.runAndReadAll(sql)).getRowObjectsJson())
    return answers
  } finally {
    await connection.run(`use memory; detach database if exists ${ledger}`)
    connection.closeSync()
  }
}

/** The only cell of the only row, as a number. */
export const asNumber = (rows: readonly Answer[] | undefined): number => {
  const cells = (rows ?? []).flatMap((row) => Object.values(row))
  if (cells.length !== 1) throw new Error(`Expected one number, found ${JSON.stringify(rows)}.`)
  return Number(cells[0])
}

/** The cells of a row, as a line of CSV that needs no quotes. */
export const asCells = (row: Answer): string => Object.values(row).join(',')
