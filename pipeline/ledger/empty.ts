// Tables that come out empty without being asked: where all that a select reads is empty, or is the same as ever, its answer
// is the same as ever. When that answer has no row, the columns of its table are kept, by all that decides them: the text
// of the select, what it reads, and so on down to what has landed and what is given. Later builds make the table from its
// columns, without planning the select: most feeds of most accounts are empty, and planning is most of what a small
// build costs. What such tables and their columns mean is the same as ever too: a build begins with a copy of an empty
// ledger, comments and all, and replaces in it what has rows.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, version } from '@duckdb/node-api'
import { packageRoot } from '../config/root.ts'
import { identifier, literal } from '../engine/quote.ts'
import type { Model } from './models.ts'
import { CATALOG } from './workspace.ts'

/** Name and type of each column, as they stand in a definition. */
type Columns = string

/** By print; the compiled package brings those that the shipped models make of empty books. */
const SHAPES_FILE = join(packageRoot, 'dist', 'empty.json')

/** The published ledger of empty books; the compiled package brings it. */
const EMPTY_LEDGER = join(packageRoot, 'dist', 'empty.duckdb')

let shapes: Map<string, Columns> | undefined

function knownShapes(): Map<string, Columns> {
  shapes ??= existsSync(SHAPES_FILE)
    ? new Map(Object.entries(JSON.parse(readFileSync(SHAPES_FILE, 'utf8')) as Record<string, Columns>))
    : new Map()
  return shapes
}

/** Forgets the shapes that are known: what is learned from then on is what the present sources make. */
export function forgetShapes(): void {
  shapes = new Map()
}

/** Writes down the shapes that are known, and the tables of this published ledger, for the processes that come after. */
export async function keepShapes(connection: DuckDBConnection, ledger: string): Promise<void> {
  writeFileSync(SHAPES_FILE, JSON.stringify(Object.fromEntries(knownShapes())))
  rmSync(EMPTY_LEDGER, { force: true })
  await connection.run(`attach ${literal(ledger)} as published (read_only)`)
  // Small blocks: it is only definitions.
  await connection.run(`attach ${literal(EMPTY_LEDGER)} as empty_ledger (block_size 16384)`)
  await connection.run('copy from database published to empty_ledger (schema)')
  await connection.run('detach empty_ledger')
  await connection.run('detach published')
}

/** Copies the tables of the empty ledger into the unfinished one, which has none. Where there is none to copy they are made one by one. */
export async function standEmptyTables(connection: DuckDBConnection): Promise<void> {
  if (!existsSync(EMPTY_LEDGER)) return
  const attached = await connection.run(`attach ${literal(EMPTY_LEDGER)} as empty_ledger (read_only)`).then(
    () => true,
    () => false,
  )
  if (!attached) return
  try {
    await connection.run(`copy from database empty_ledger to ${CATALOG} (schema)`)
  } finally {
    await connection.run('detach empty_ledger')
  }
}

/** Takes out the tables of the empty ledger that this build does not make. */
export async function dropUnmade(connection: DuckDBConnection, made: ReadonlySet<string>): Promise<void> {
  const unmade = [...(await columnsIn(connection, [CATALOG])).keys()].filter((table) => !made.has(table))
  if (unmade.length > 0) await connection.run(unmade.map((table) => `drop table ${table}`).join(';\n'))
}

/** What decides the tables of one build, as far as it can be told without asking. */
export class Emptiness {
  /** What decides the columns of a table, hashed. */
  readonly #columns = new Map<string, string>()
  /** What decides its rows as well, hashed: of the tables whose rows are known to be none, or the same as ever. */
  readonly #rows = new Map<string, string>()
  /** Columns of the tables that stand in the unfinished ledger already, empty. */
  readonly #standing = new Map<string, Columns>()
  /** Tables without rows that no build has made yet, with what decides them. */
  readonly #learned = new Map<string, string>()

  /** What has landed and the tables that are given must stand there. */
  static async of(connection: DuckDBConnection, given: readonly string[]): Promise<Emptiness> {
    const emptiness = new Emptiness()
    for (const [table, columns] of await columnsIn(connection, ['landing', 'staging', CATALOG]))
      if (table.startsWith('main.')) emptiness.#standing.set(table, columns)
      else emptiness.#columns.set(table, hashOf([version(), table, columns]))
    const landed = [...emptiness.#columns.keys()].filter((table) => table.startsWith('landing.'))
    const filled = await withRows(connection, landed)
    for (const table of landed) if (!filled.includes(table)) emptiness.#isEmpty(table)
    for (const [table, content] of await contentsOf(connection, given))
      emptiness.#rows.set(table, hashOf([emptiness.#columns.get(table), content]))
    return emptiness
  }

  /** The statement that makes the table; null where it stands as its select would make it. */
  statement(model: Model, reads: readonly string[]): string | null {
    const { table, select, isView } = model
    const decided = printOf(model, reads, this.#rows)
    const columns = decided === null || isView ? undefined : knownShapes().get(decided)
    if (columns === undefined) return `create or replace ${isView ? 'view' : 'table'} ${table} as\n${select}`
    return columns === this.#standing.get(table) ? null : `create or replace table ${table} (${columns})`
  }

  /** Takes in that the table has been made. */
  made(model: Model, reads: readonly string[], rows: number): void {
    const columns = printOf(model, reads, this.#columns)
    const decided = printOf(model, reads, this.#rows)
    if (columns !== null) this.#columns.set(model.table, columns)
    if (decided !== null) this.#rows.set(model.table, decided)
    if (rows > 0 || model.isView) return
    this.#isEmpty(model.table)
    if (decided !== null && !knownShapes().has(decided)) this.#learned.set(model.table, decided)
  }

  /** Keeps the columns of this build’s tables for the next one. */
  async learn(connection: DuckDBConnection): Promise<void> {
    if (this.#learned.size === 0) return
    const made = await columnsIn(connection, [CATALOG, 'staging', 'checks'])
    for (const [table, decided] of this.#learned) {
      const columns = made.get(table)
      if (columns !== undefined) knownShapes().set(decided, columns)
    }
  }

  #isEmpty(table: string): void {
    const columns = this.#columns.get(table)
    if (columns !== undefined) this.#rows.set(table, hashOf(['empty', columns]))
  }
}

/** Hash of the select and of what is known of each table that it reads; null when one of them is not known. */
function printOf(model: Model, reads: readonly string[], known: ReadonlyMap<string, string>): string | null {
  const prints = reads.map((table) => known.get(table))
  return prints.includes(undefined) ? null : hashOf([model.select, ...prints])
}

const hashOf = (parts: readonly (string | undefined)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex')

/** The columns of every table of these databases, by the name under which models read it. */
async function columnsIn(
  connection: DuckDBConnection,
  databases: readonly string[],
): Promise<Map<string, Columns>> {
  const reader = await connection.runAndReadAll(
    `select database_name, table_name, column_name, data_type from duckdb_columns()
     where database_name in (${databases.map((name) => `'${name}'`).join(', ')})
     order by database_name, table_name, column_index`,
  )
  const columns = new Map<string, string[]>()
  for (const [database, table, column, type] of reader.getRowsJson() as string[][]) {
    const name = `${database === CATALOG ? 'main' : database}.${table}`
    const known = columns.get(name) ?? []
    known.push(`${identifier(column as string)} ${type}`)
    columns.set(name, known)
  }
  return new Map([...columns].map(([name, list]) => [name, list.join(', ')]))
}

/** Those of the tables that have a row. */
async function withRows(connection: DuckDBConnection, tables: readonly string[]): Promise<string[]> {
  if (tables.length === 0) return []
  const questions = tables.map((table) => `(select '${table}' from ${table} limit 1)`)
  const reader = await connection.runAndReadAll(questions.join('\nunion all\n'))
  return reader.getRowsJson().map(([table]) => String(table))
}

/** A hash of the rows of each table, whatever their order. */
async function contentsOf(
  connection: DuckDBConnection,
  tables: readonly string[],
): Promise<[string, string][]> {
  const questions = tables.map(
    (table) =>
      `(select '${table}', sha256(string_agg(cast(given as varchar), chr(10) order by cast(given as varchar))) from ${table} as given)`,
  )
  const reader = await connection.runAndReadAll(questions.join('\nunion all\n'))
  return reader.getRowsJson().map(([table, content]) => [String(table), String(content)])
}
