// Makes the ledger from what has landed: models in the order in which they read each other, each one committed,
// then the checks, then publication by one rename. A build that fails leaves the published ledger untouched.
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../disk.ts'
import { packageRoot } from '../root.ts'
import {
  assembleBreaks,
  type Break,
  breaksDocs,
  loadPreviousBreaks,
  readOpenBreaks,
  type Severity,
} from './breaks.ts'
import { registerExactFunctions } from './functions.ts'
import { generatedModels } from './generated.ts'
import { inOrder, type Model, qualify, readModels, type Task, tablesRead } from './models.ts'
import { discardBuild, keepUnpublishedBreaks, LEDGER_FILE, publishLedger } from './publish.ts'
import { type BuildConfig, GIVEN_TABLES, loadReference } from './reference.ts'

export type { Break, Severity } from './breaks.ts'
export type { BuildConfig } from './reference.ts'

/** A step that is no model, such as the lots engine; it finds the tables it reads made, in schema main. */
export interface ExtraStep {
  readonly name: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** What its tables are, by table. */
  readonly docs?: Readonly<Record<string, string>>
  /** What their columns mean, by table and column. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, string>>>>
  run(connection: DuckDBConnection): Promise<void>
}

export interface BuildEvent {
  readonly table: string
  readonly rows: number
  readonly ms: number
}

export interface BuildOptions {
  /** Folder of the books. */
  readonly dir: string
  /** The landing database, attached as `landing` in this instance. */
  readonly landing: { readonly instance: DuckDBInstance }
  /** When new breaks count as first seen. */
  readonly now: Date
  readonly clock: Clock
  readonly config: BuildConfig
  /** Publish even when a check fails at severity error. */
  readonly publishAnyway?: boolean
  /** False: run models and checks, and throw the result away. */
  readonly publish?: boolean
  readonly steps?: readonly ExtraStep[]
  readonly log?: (event: BuildEvent) => void
  readonly disk?: Disk
}

export interface BuildResult {
  readonly published: boolean
  /** The published ledger. */
  readonly path: string
  /** Open breaks, by severity. */
  readonly breaks: Readonly<Record<Severity, number>>
  readonly openBreaks: readonly Break[]
  /** Rows and milliseconds of each table, in the order in which they were made. */
  readonly tables: readonly BuildEvent[]
}

/** A model or step that the database refused; the published ledger is as it was. */
export class BuildFailed extends TieoutError {
  override readonly name = 'BuildFailed'
}

/** Name under which the unfinished ledger is attached. */
const CATALOG = 'unfinished_ledger'
/** Layers that are only steps on the way: they spill like any other memory and are never written to the ledger. */
const UNPUBLISHED = ['staging', 'checks']

let builds = 0

/**
 * Builds, checks and publishes. Throws ModelError for a model that cannot be ordered, BuildFailed for one that fails.
 * A build with open breaks of severity error is published only when asked; its breaks are kept beside the books.
 */
export async function buildLedger(options: BuildOptions): Promise<BuildResult> {
  const disk = options.disk ?? nodeDisk
  builds += 1
  const file = join(options.dir, 'tmp', `ledger-${process.pid}-${builds}.duckdb`)
  await disk.makeDir(join(options.dir, 'tmp'), 0o700)
  await discardBuild(disk, file)
  const connection = await options.landing.instance.connect()
  try {
    const { tables, openBreaks } = await buildInto(connection, file, options)
    const breaks = countBySeverity(openBreaks)
    const publishable = breaks.error === 0 || options.publishAnyway === true
    const wanted = options.publish ?? true
    if (wanted && publishable) await publishLedger(disk, options.dir, file)
    if (wanted && !publishable) await keepUnpublishedBreaks(disk, options.dir, openBreaks)
    const path = join(options.dir, LEDGER_FILE)
    return { published: wanted && publishable, path, breaks, openBreaks, tables }
  } finally {
    connection.closeSync()
    await discardBuild(disk, file)
  }
}

/** Sorts need less memory where no order is kept; gives back what sets the instance back. */
async function settle(connection: DuckDBConnection): Promise<() => Promise<void>> {
  const reader = await connection.runAndReadAll(
    "select current_setting('preserve_insertion_order'), current_database()",
  )
  const [keepsOrder, database] = reader.getRowsJson()[0] as [boolean, string]
  await connection.run("set timezone = 'UTC'")
  await connection.run('set preserve_insertion_order = false')
  return async () => {
    await connection.run(`set preserve_insertion_order = ${keepsOrder}`)
    await connection.run(`use "${database}"`)
  }
}

interface Built {
  readonly tables: BuildEvent[]
  readonly openBreaks: Break[]
}

async function buildInto(connection: DuckDBConnection, file: string, options: BuildOptions): Promise<Built> {
  const restore = await settle(connection)
  const previous = await attachPrevious(connection, join(options.dir, LEDGER_FILE))
  await connection.run(`attach '${quote(file)}' as ${CATALOG}`)
  try {
    await connection.run(`use ${CATALOG}`)
    for (const name of UNPUBLISHED) await connection.run(`attach ':memory:' as ${name}`)
    registerExactFunctions(connection)
    await loadReference(connection, options.config, {
      shipped: join(packageRoot, 'data'),
      books: options.dir,
    })
    await loadPreviousBreaks(connection, previous)
    const { tables, checks, models } = await runModels(connection, options)
    await assembleBreaks(connection, checks, options.now)
    const stepDocs = (options.steps ?? []).flatMap(docsOfStep)
    await comment(connection, [...models, ...stepDocs, { table: 'main.breaks', ...breaksDocs }])
    const openBreaks = await readOpenBreaks(connection)
    await connection.run('checkpoint')
    return { tables, openBreaks }
  } finally {
    await restore()
    await connection.run(`detach ${CATALOG}`)
    for (const name of UNPUBLISHED) await connection.run(`detach database if exists ${name}`)
    if (previous) await connection.run('detach before')
  }
}

/** Attaches the published ledger to carry on what it knows of breaks; a file that cannot be read knows nothing. */
async function attachPrevious(connection: DuckDBConnection, ledger: string): Promise<boolean> {
  try {
    await connection.run(`attach '${quote(ledger)}' as before (read_only)`)
  } catch {
    return false
  }
  const reader = await connection.runAndReadAll(
    "select count(*) from duckdb_tables() where database_name = 'before' and table_name = 'breaks'",
  )
  if (Number(reader.getRowsJson()[0]?.[0]) === 1) return true
  await connection.run('detach before')
  return false
}

const quote = (text: string): string => text.replaceAll("'", "''")

interface ModelsRun {
  readonly tables: BuildEvent[]
  readonly checks: string[]
  readonly models: Model[]
}

async function runModels(connection: DuckDBConnection, options: BuildOptions): Promise<ModelsRun> {
  const steps = options.steps ?? []
  const made = new Set(steps.flatMap((step) => step.writes.map(qualify)))
  const all = [
    ...generatedModels(options.config.publishPersonalData),
    ...readModels(join(packageRoot, 'sql')),
  ]
  const models = all.filter((model) => model.needs.every((table) => made.has(table)))
  const tasks: Task<Model | ExtraStep>[] = []
  for (const model of models) {
    tasks.push({
      name: model.file,
      reads: await tablesRead(connection, model),
      writes: [model.table],
      item: model,
    })
  }
  for (const step of steps) {
    tasks.push({
      name: step.name,
      reads: step.reads.map(qualify),
      writes: step.writes.map(qualify),
      item: step,
    })
  }
  const tables: BuildEvent[] = []
  for (const task of inOrder(tasks, new Set([...GIVEN_TABLES, 'staging.previous_breaks']))) {
    const begun = options.clock.monotonic()
    const rows =
      'run' in task.item ? await runStep(connection, task.item) : await runModel(connection, task.item)
    const event = { table: task.name, rows, ms: options.clock.monotonic() - begun }
    const named = 'run' in task.item ? event : { ...event, table: task.item.table }
    tables.push(named)
    options.log?.(named)
  }
  const checks = models.map((model) => model.table).filter((table) => table.startsWith('checks.'))
  return { tables, checks, models }
}

/** Outside a transaction that stays open, so that later models know the statistics of this one's table. */
async function runModel(connection: DuckDBConnection, model: Model): Promise<number> {
  try {
    const reader = await connection.runAndReadAll(`create table ${model.table} as\n${model.select}`)
    return Number(reader.getRowsJson()[0]?.[0] ?? 0)
  } catch (cause) {
    throw failed(model.file, model.table, cause)
  }
}

async function runStep(connection: DuckDBConnection, step: ExtraStep): Promise<number> {
  try {
    await step.run(connection)
  } catch (cause) {
    if (cause instanceof TieoutError) throw cause
    throw failed(step.name, step.writes.join(', '), cause)
  }
  let rows = 0
  for (const table of step.writes) {
    const reader = await connection.runAndReadAll(`select count(*) from ${qualify(table)}`)
    rows += Number(reader.getRowsJson()[0]?.[0])
  }
  return rows
}

function failed(where: string, table: string, cause: unknown): BuildFailed {
  return new BuildFailed(`The table ${table} could not be made.`, {
    where,
    found: cause instanceof Error ? cause.message : String(cause),
    action:
      'The published ledger is as it was. Free memory or disk space if that is what is missing; else report this.',
    cause,
  })
}

type Documented = Pick<Model, 'table' | 'doc' | 'columnDocs'>

const docsOfStep = ({ writes, docs, columns }: ExtraStep): Documented[] =>
  writes.map((table) => ({
    table: qualify(table),
    doc: docs?.[table] ?? '',
    columnDocs: new Map(Object.entries(columns?.[table] ?? {})),
  }))

/** Writes what each table and column means into the file, for whoever opens it. */
async function comment(connection: DuckDBConnection, documented: readonly Documented[]): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select schema_name || '.' || table_name, column_name from duckdb_columns() where database_name = '${CATALOG}'`,
  )
  const columns = new Set(reader.getRowsJson().map(([table, column]) => `${table}.${column}`))
  const statements: string[] = []
  for (const { table, doc, columnDocs } of documented) {
    if (!table.startsWith('main.')) continue
    statements.push(`comment on table ${table} is '${quote(doc)}'`)
    for (const [column, meaning] of columnDocs) {
      if (!columns.has(`${table}.${column}`)) continue
      statements.push(`comment on column ${table}."${column}" is '${quote(meaning)}'`)
    }
  }
  await connection.run(['begin transaction', ...statements, 'commit'].join(';\n'))
}

function countBySeverity(breaks: readonly Break[]): Record<Severity, number> {
  const count = (severity: Severity): number => breaks.filter((one) => one.severity === severity).length
  return { error: count('error'), warning: count('warning'), notice: count('notice') }
}
