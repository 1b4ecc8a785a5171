// Tables that are known to be empty without running their query. The form of a select may show that it has no
// row if a certain table has none; and if all its inputs are empty or unchanged, its answer is unchanged. The
// columns of such a table are known from their inputs: the text of the select, the columns of what it reads,
// and so on down to what has landed and what is given. So a build creates the table from its columns, without
// planning the select: most feeds of most accounts are empty, and planning is most of what a small build
// costs. The comments of such tables never change either: a build begins with a copy of an empty ledger,
// comments included, and fills in the tables that have rows; only a table with different columns is
// recreated.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, version } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import { packageRoot } from '../config/root.ts'
import { literal } from '../engine/quote.ts'
import type { Inputs, MadeTables } from './kept.ts'
import { dropMacros } from './macros.ts'
import type { Model } from './models.ts'
import { conditionOf, holds, type ParseTree, partsOfCondition } from './parse-tree.ts'
import { CATALOG } from './workspace.ts'

/** Name and type of each column, as in a table definition. */
type Columns = string

/**
 * What earlier builds found; the compiled package ships the results of the shipped models for empty books.
 */
const SHAPES_FILE = join(packageRoot, 'dist', 'empty.json')

/** The published ledger of empty books; shipped with the compiled package. */
const EMPTY_LEDGER = join(packageRoot, 'dist', 'empty.duckdb')

interface Shapes {
  /** Columns by a hash of what they depend on. */
  readonly columns: Map<string, Columns>
  /** A hash of the inputs of a table without rows. */
  readonly empty: Set<string>
}

let shapes: Shapes | undefined

function knownShapes(): Shapes {
  shapes ??= shapesOf(
    existsSync(SHAPES_FILE)
      ? (JSON.parse(readFileSync(SHAPES_FILE, 'utf8')) as KeptShapes)
      : { columns: {}, empty: [] },
  )
  return shapes
}

interface KeptShapes {
  readonly columns: Readonly<Record<string, Columns>>
  readonly empty: readonly string[]
}

const shapesOf = ({ columns, empty }: KeptShapes): Shapes => ({
  columns: new Map(Object.entries(columns)),
  empty: new Set(empty),
})

/** Forgets the known shapes: from then on they are learned from the present sources. */
export function forgetShapes(): void {
  shapes = shapesOf({ columns: {}, empty: [] })
}

/** Removes the stored empty ledger, which earlier sources produced. */
export const forgetEmptyLedger = (): void => rmSync(EMPTY_LEDGER, { force: true })

/** Stores the known shapes, and the tables of this published ledger, for later processes. */
export async function keepShapes(connection: DuckDBConnection, ledger: string): Promise<void> {
  const { columns, empty } = knownShapes()
  const kept: KeptShapes = { columns: Object.fromEntries(columns), empty: [...empty] }
  writeFileSync(SHAPES_FILE, JSON.stringify(kept))
  forgetEmptyLedger()
  await connection.run(`attach ${literal(ledger)} as published (read_only)`)
  // Small blocks, and column statistics in their newest form, which is a tenth of the size: nobody else reads
  // it.
  await connection.run(
    `attach ${literal(EMPTY_LEDGER)} as empty_ledger (block_size 16384, storage_version 'latest')`,
  )
  await connection.run('copy from database published to empty_ledger (schema)')
  await dropMacros(connection, 'empty_ledger')
  await connection.run('detach empty_ledger')
  await connection.run('detach published')
}

/**
 * Copies the tables of the empty ledger into the unfinished one, which has none. If there is none to copy,
 * they are created one by one.
 */
export async function standEmptyTables(connection: DuckDBConnection): Promise<void> {
  if (!existsSync(EMPTY_LEDGER)) return
  const attached = await connection.run(`attach ${literal(EMPTY_LEDGER)} as empty_ledger (read_only)`).then(
    () => true,
    () => false,
  )
  if (!attached) return
  const close = () => connection.run('detach empty_ledger')
  await closing(close, () => connection.run(`copy from database empty_ledger to ${CATALOG} (schema)`))
}

/** Removes the tables of the empty ledger that this build does not create. */
export async function dropUnmade(connection: DuckDBConnection, made: ReadonlySet<string>): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select 'main.' || table_name, 'table' from duckdb_tables() where database_name = '${CATALOG}'
     union all select 'main.' || view_name, 'view' from duckdb_views() where database_name = '${CATALOG}' and not internal`,
  )
  const unmade = reader.getRowsJson().filter(([table]) => !made.has(String(table)))
  if (unmade.length > 0)
    await connection.run(unmade.map(([table, kind]) => `drop ${kind} ${table}`).join(';\n'))
}

/** Up to this many rows, a table is asked whether any meets a condition. */
const MOST_ASKED = 10_000

/** A model with what its text determines. */
export interface Asked extends ParseTree {
  readonly model: Model
  /** For a union, its parts. */
  readonly parts?: readonly (Pick<ParseTree, 'emptyWhen'> & { readonly select: string })[] | undefined
}

/** The inputs of the tables of one build, as far as known without running queries. */
export class Emptiness {
  /** A hash of what the columns of a table depend on. */
  readonly #columns = new Map<string, string>()
  /** A hash of what its rows depend on too: for tables known to have no rows, or unchanged ones. */
  readonly #rows = new Map<string, string>()
  /** Tables that have no row, and conditions that no row of their table meets. */
  readonly #empty = new Set<string>()
  /** The number of rows of tables that have some. */
  readonly #counts = new Map<string, number>()
  /** The conditions that models put to each table, until they are asked about. */
  readonly #conditions = new Map<string, Set<string>>()
  /** Columns of the tables that are already in the unfinished ledger, empty. */
  readonly #standing = new Map<string, Columns>()
  /** Hashes for the columns of tables without rows that no build has created yet. */
  readonly #learned = new Map<string, string>()
  /** Creates, once, each table that was put off because it has no row. */
  readonly #owed = new Map<string, (connection: DuckDBConnection) => Promise<unknown>>()
  readonly #putsOff: boolean

  private constructor(putsOff: boolean) {
    this.#putsOff = putsOff
  }

  /**
   * What has landed and what is given must exist, with these rows. Tables already in the unfinished ledger
   * have no rows, except those that `kept` lists.
   */
  static async of(
    connection: DuckDBConnection,
    {
      landed,
      given,
      kept,
      putsOff,
    }: Inputs & {
      readonly kept: MadeTables | null
      /** Unpublished tables without rows are created only for selects that read them. */
      readonly putsOff: boolean
    },
  ): Promise<Emptiness> {
    const emptiness = new Emptiness(putsOff)
    for (const [table, columns] of await columnsIn(connection, ['landing', 'staging', CATALOG]))
      if (!table.startsWith('main.')) emptiness.#columns.set(table, hashOf([version(), table, columns]))
      else if (kept === null || kept.get(table)?.count === 0) emptiness.#standing.set(table, columns)
    for (const [table, { count }] of [...landed, ...given]) emptiness.#counted(table, count)
    for (const [table, { count, hash }] of given)
      if (count > 0) emptiness.#rows.set(table, hashOf([emptiness.#columns.get(table), String(count), hash]))
    return emptiness
  }

  /** Notes what the build may ask about its tables, so that each is asked once. */
  expect({ emptyWhen, parts = [] }: Pick<Asked, 'emptyWhen' | 'parts'>): void {
    for (const condition of [emptyWhen, ...parts.map((part) => part.emptyWhen)].flatMap(partsOfCondition)) {
      const { table, where } = conditionOf(condition)
      if (where === undefined) continue
      const conditions = this.#conditions.get(table) ?? new Set()
      this.#conditions.set(table, conditions.add(where))
    }
  }

  /**
   * Finds out which conditions on the tables that this reads no row meets. Only small tables are asked: for
   * others it may take longer than the select.
   */
  async ask(connection: DuckDBConnection, { reads, emptyWhen }: Asked): Promise<void> {
    if (holds(emptyWhen, this.#empty)) return
    for (const table of reads) {
      const conditions = [...(this.#conditions.get(table) ?? [])]
      const count = this.#counts.get(table)
      if (conditions.length === 0 || count === undefined || count > MOST_ASKED) continue
      this.#conditions.delete(table)
      const met = conditions.map((where) => `coalesce(bool_or(${where}), false)`)
      // One that cannot be asked of every row says nothing: the select may ask it of fewer.
      const answer = await connection
        .runAndReadAll(`select ${met.join(', ')} from ${table}`)
        .catch(() => null)
      const [row = []] = answer?.getRowsJson() ?? []
      for (const [at, where] of conditions.entries())
        if (row[at] === false) this.#empty.add(`${table} where ${where}`)
    }
  }

  /** Creates those of these tables that were put off. */
  async stand(connection: DuckDBConnection, tables: readonly string[]): Promise<void> {
    for (const table of tables) await this.#owed.get(table)?.(connection)
  }

  /** Those of a step’s tables, given with their columns, that are already in the unfinished ledger, empty. */
  standing(definitions: Readonly<Record<string, Columns>>): ReadonlySet<string> {
    const found = Object.entries(definitions).filter(
      ([table, columns]) => this.#standing.get(`main.${table}`) === columns,
    )
    return new Set(found.map(([table]) => table))
  }

  /**
   * The statement that creates the table; null if it already exists as its select would create it, or is put
   * off.
   */
  statement(asked: Asked): string | null {
    const { table, isView } = asked.model
    const decided = isView ? null : printOf(asked, this.#columns)
    const columns = decided === null ? undefined : knownShapes().columns.get(decided)
    const stands = columns !== undefined && columns === this.#standing.get(table)
    if (columns !== undefined && this.#isWithoutRows(asked)) {
      const definition = `create or replace table ${table} (${columns})`
      if (stands || !this.#putsOff || table.startsWith('main.')) return stands ? null : definition
      let created: Promise<unknown> | undefined
      this.#owed.set(table, (connection) => {
        created ??= connection.run(definition)
        return created
      })
      return null
    }
    const select = this.#askedFor(asked)
    // This keeps its comments; writing them again would take a twelfth of a small build.
    if (stands) return `insert into ${table}\n${select}`
    return `create or replace ${isView ? 'view' : 'table'} ${table} as\n${select}`
  }

  /**
   * Its select, without the parts of a union that certainly have no row: the cost of a statement grows with
   * its length.
   */
  #askedFor({ model, parts = [] }: Asked): string {
    const some = parts.filter(({ emptyWhen }) => !holds(emptyWhen, this.#empty))
    return some.length === 0 ? model.select : some.map(({ select }) => select).join('\nunion all\n')
  }

  /** Whether the table certainly has no row. */
  #isWithoutRows(asked: Asked): boolean {
    if (holds(asked.emptyWhen, this.#empty)) return true
    const decided = printOf(asked, this.#rows)
    return decided !== null && knownShapes().empty.has(decided)
  }

  /** Records that the table has been created; the rows of a view have not been counted. */
  made(asked: Asked, rows: number): void {
    const { table, isView } = asked.model
    const columns = printOf(asked, this.#columns)
    const decided = printOf(asked, this.#rows)
    if (columns !== null) this.#columns.set(table, columns)
    if (decided !== null) this.#rows.set(table, decided)
    if (isView && !holds(asked.emptyWhen, this.#empty)) return
    this.#counted(table, isView ? 0 : rows)
    if (isView || rows > 0) return
    if (decided !== null) knownShapes().empty.add(decided)
    if (columns !== null && !knownShapes().columns.has(columns)) this.#learned.set(table, columns)
  }

  /** Records the tables that a step has written, with their row counts; it may have defined their columns. */
  async written(
    connection: DuckDBConnection,
    counts: ReadonlyMap<string, number>,
    definitions: Readonly<Record<string, Columns>> = {},
  ): Promise<void> {
    const known = new Map(Object.entries(definitions).map(([name, columns]) => [`main.${name}`, columns]))
    const others = [...counts.keys()].filter((table) => !known.has(table))
    if (others.length > 0)
      for (const [table, columns] of await columnsIn(connection, ['landing', 'staging', CATALOG], others))
        known.set(table, columns)
    for (const table of counts.keys()) {
      const columns = known.get(table)
      if (columns === undefined) continue
      this.#columns.set(table, hashOf([version(), table, columns]))
      this.#counted(table, counts.get(table) ?? 0)
    }
  }

  /** Stores the columns of this build’s tables for the next one. */
  async learn(connection: DuckDBConnection): Promise<void> {
    if (this.#learned.size === 0) return
    const made = await columnsIn(connection, [CATALOG, 'staging', 'checks'])
    for (const [table, decided] of this.#learned) {
      const columns = made.get(table)
      if (columns !== undefined) knownShapes().columns.set(decided, columns)
    }
  }

  #counted(table: string, count: number): void {
    if (count > 0) {
      this.#counts.set(table, count)
      return
    }
    this.#empty.add(table)
    const columns = this.#columns.get(table)
    if (columns !== undefined) this.#rows.set(table, hashOf(['empty', columns]))
  }
}

/**
 * Hash of the select and of what is known about each table that it reads; null if one of them is not known.
 */
function printOf({ model, reads }: Asked, known: ReadonlyMap<string, string>): string | null {
  const prints = reads.map((table) => known.get(table))
  return prints.includes(undefined) ? null : hashOf([model.select, ...prints])
}

const hashOf = (parts: readonly (string | undefined)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex')

/** The columns of the tables of these databases, or some of them, by the name that models use. */
async function columnsIn(
  connection: DuckDBConnection,
  databases: readonly string[],
  tables?: readonly string[],
): Promise<Map<string, Columns>> {
  const named = tables?.map((table) => literal(table.slice(table.indexOf('.') + 1))).join(', ')
  const reader = await connection.runAndReadAll(
    `select case when database_name = '${CATALOG}' then 'main' else database_name end || '.' || table_name,
       string_agg('"' || replace(column_name, '"', '""') || '" ' || data_type, ', ' order by column_index)
     from duckdb_columns()
     where database_name in (${databases.map((name) => `'${name}'`).join(', ')})
       ${named === undefined ? '' : `and table_name in (${named})`}
     group by database_name, table_name`,
  )
  const columns = new Map(reader.getRowsJson() as [string, Columns][])
  return tables === undefined ? columns : new Map([...columns].filter(([name]) => tables.includes(name)))
}
