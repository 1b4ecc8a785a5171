// Builds the books on a ClickHouse server: transfers what has newly landed, runs the same models in the same order, and
// publishes the whole state with one row. Steps that are not SQL models run here, on the rows that they read. A build
// that fails leaves the published state untouched and drops what it created.
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import { packageRoot, packageVersion } from '../config/root.ts'
import { identifier } from '../engine/quote.ts'
import { nodeDisk } from '../journal/disk.ts'
import { erasures } from '../journal/erase.ts'
import { aboutDocs, makeAbout } from '../ledger/about.ts'
import {
  assembleBreaks,
  breaksDocs,
  countBySeverity,
  loadPreviousBreaks,
  mustBeChecks,
  readBreaks,
} from '../ledger/breaks.ts'
import { type BuildOptions, type BuildResult, buildStopped, untilStopped } from '../ledger/build.ts'
import { docsOfStep } from '../ledger/comments.ts'
import { counterpartyKey } from '../ledger/counterparty-key.ts'
import { standEmptyTables } from '../ledger/empty.ts'
import { generatedModels } from '../ledger/generated.ts'
import { inputsOf, originOf } from '../ledger/kept.ts'
import { QueryStopped } from '../ledger/limits.ts'
import { type Documented, type Model, qualify, shippedModels } from '../ledger/models.ts'
import { readsOf } from '../ledger/parse-tree.ts'
import { clickhouseFunctions } from '../ledger/portable.ts'
import { forgetUnpublishedBreaks, keepUnpublishedBreaks } from '../ledger/publish.ts'
import { GIVEN_TABLES, loadReference } from '../ledger/reference.ts'
import { type BuildEvent, type ExtraStep, failed, runnable, runTasks } from '../ledger/tasks.ts'
import { CATALOG } from '../ledger/workspace.ts'
import { isRecord, landOn } from './landing.ts'
import { type Databases, nameOf, renamed } from './names.ts'
import { inScratch } from './scratch.ts'
import { ClickHouseUnreachable, Server } from './server.ts'
import type { ClickHouseSettings } from './settings.ts'
import { farTable, isByAccount, landedParts, unionOf } from './shards.ts'
import { type State, States } from './states.ts'
import { type Columns, columnsOf, columnsThere, definitionOf, pull, push, text } from './transfer.ts'

/** Published tables are sorted by account and coin, if they have them. */
const ORDER = ['account', 'coin']

/** Builds, checks and publishes on the server, as `buildLedger` does in a file. Everything is rebuilt. */
export async function buildOnClickHouse(
  options: BuildOptions,
  settings: ClickHouseSettings,
): Promise<BuildResult> {
  try {
    const servers = await openAll(settings, options.signal)
    const close = () => Promise.all(servers.map((server) => server.close()))
    return await closing(close, () => buildOn(servers, options, settings))
  } catch (error) {
    throw error instanceof QueryStopped ? buildStopped(error) : error
  }
}

async function buildOn(
  servers: [Server, ...Server[]],
  options: BuildOptions,
  settings: ClickHouseSettings,
): Promise<BuildResult> {
  const states = new States(servers, settings.database)
  await states.begin()
  await states.clear()
  const state = await states.create(new Date(options.clock.wall()))
  try {
    return await new Build(options, settings, servers, states, state).run()
  } catch (error) {
    // The failure is reported even if the cleanup fails too: the next build cleans up as well.
    await states.drop(state).catch(() => undefined)
    throw error
  }
}

/** The first server, and those that share its work. */
async function openAll(
  settings: ClickHouseSettings,
  signal: AbortSignal | undefined,
): Promise<[Server, ...Server[]]> {
  const opened: [Server, ...Server[]] = [await Server.open(settings, signal)]
  try {
    for (const url of settings.shards ?? []) opened.push(await Server.open({ ...settings, url }, signal))
    return opened
  } catch (error) {
    for (const server of opened) await server.close()
    throw error
  }
}

class Build {
  readonly #options: BuildOptions
  readonly #settings: ClickHouseSettings
  readonly #servers: readonly [Server, ...Server[]]
  readonly #server: Server
  readonly #states: States
  readonly #state: State
  readonly #folder: string
  /** Tables whose rows are on the server of their account. */
  readonly #inParts = new Set<string>()
  /** Other tables that are on every server by now, for models that run on all of them. */
  readonly #everywhere = new Set<string>()

  constructor(
    options: BuildOptions,
    settings: ClickHouseSettings,
    servers: readonly [Server, ...Server[]],
    states: States,
    state: State,
  ) {
    this.#options = options
    this.#settings = settings
    this.#servers = servers
    this.#server = servers[0]
    this.#states = states
    this.#state = state
    this.#folder = join(options.dir, 'tmp')
  }

  async run(): Promise<BuildResult> {
    const { dir, disk = nodeDisk, landing, publishAnyway, publish = true } = this.#options
    const connection = await landing.instance.connect()
    try {
      for (const server of this.#servers)
        for (const statement of clickhouseFunctions) await server.run(statement)
      const isNewLanding = await this.#land(connection, this.#options.full === true)
      const before = await this.#states.published()
      const scratch = {
        dir,
        disk,
        engine: landing.engine,
        landing: connection,
        previous: before === null ? undefined : this.#breaksOf(before),
      }
      const made = await inScratch(scratch, async (workspace) => {
        const { connection: beside } = workspace
        const { config, onNote } = this.#options
        const folders = { shipped: join(packageRoot, 'data'), books: dir }
        const key = await counterpartyKey(connection, dir, { disk, onNote })
        await loadReference(beside, config, folders, key)
        await workspace.openLedger()
        await standEmptyTables(beside)
        await loadPreviousBreaks(beside, workspace.previousBreaks)
        return await untilStopped(workspace, this.#options, () => this.#make(beside, connection))
      })
      const published = publish && (made.breaks.error === 0 || publishAnyway === true)
      if (published) {
        await this.#states.publish(this.#state, made.published, { keepsLast: !isNewLanding })
        await forgetUnpublishedBreaks(disk, dir)
      } else {
        await this.#states.drop(this.#state)
        if (publish) await keepUnpublishedBreaks(disk, dir, made.openBreaks)
      }
      const path = `${this.#settings.url} (database ${this.#settings.database})`
      return { ...made, published, path, found: new Map() }
    } finally {
      connection.closeSync()
    }
  }

  /** True if everything that has landed was transferred again since the last publication. */
  async #land(connection: DuckDBConnection, anew: boolean): Promise<boolean> {
    const { dir, disk = nodeDisk, config } = this.#options
    const origin = originOf(await erasures(dir, disk), config.publishPersonalData)
    return await landOn({
      servers: this.#servers,
      folder: this.#folder,
      connection,
      database: this.#settings.database,
      origin: [packageVersion, origin].join('\n'),
      anew,
    })
  }

  /** Copies the breaks of an earlier state, to be carried on, into a table created for them. */
  #breaksOf(state: State) {
    return async (connection: DuckDBConnection, table: string): Promise<void> => {
      const source = nameOf('main.breaks', state.databases)
      const columns = (await columnsThere(this.#server, state.databases.main)).get('breaks') ?? new Map()
      await connection.run(`create table ${table} (${defined(columns)})`)
      await pull(this.#ways, source, connection, table, columns)
    }
  }

  get #ways() {
    return { server: this.#server, folder: this.#folder }
  }

  async #make(beside: DuckDBConnection, landed: DuckDBConnection) {
    const { config, steps = [], clock, only, now } = this.#options
    const models = runnable([...generatedModels(config), ...shippedModels()], steps)
    // A step with external queries is not run just to learn its columns.
    const { events: order } = await runTasks([beside], models, steps.map(withoutAsking), {
      inputs: await inputsOf(beside, GIVEN_TABLES),
      base: null,
      only,
      clock,
    })
    const shapes = shapesIn(await columnsOf(beside, ['landing', 'staging', 'checks', CATALOG]))
    if (this.#servers.length > 1) await this.#standLandedParts(shapes)
    for (const table of GIVEN_TABLES) await this.#send(beside, table, shapes)
    const byName = new Map(models.map((model) => [model.table, model]))
    const events: BuildEvent[] = []
    for (const { table } of order) {
      const begun = clock.monotonic()
      const model = byName.get(table)
      const step = steps.find(({ name }) => name === table)
      const rows =
        model !== undefined
          ? await this.#makeModel(beside, model, shapes)
          : step !== undefined
            ? await this.#makeStep(beside, landed, step, shapes)
            : 0
      const event = { table, rows, ms: clock.monotonic() - begun, kept: false }
      events.push(event)
      this.#options.log?.(event)
    }
    const made = new Set(events.map(({ table }) => table))
    await mustBeChecks(
      beside,
      models.filter(({ table }) => made.has(table)),
    )
    await this.#bringNotes(beside, landed)
    const firing = events.filter(({ table, rows }) => table.startsWith('checks.') && rows > 0)
    for (const { table } of firing) await this.#fetch(beside, table, shapes)
    await assembleBreaks(beside, { made: firing.map(({ table }) => table), kept: [] }, now)
    await makeAbout(beside, landed, now)
    const finished = shapesIn(await columnsOf(beside, [CATALOG]))
    for (const docs of [breaksDocs, aboutDocs]) await this.#send(beside, docs.table, finished, docs)
    const allBreaks = await readBreaks(beside)
    const openBreaks = allBreaks.filter(({ status }) => status === 'open')
    return {
      breaks: countBySeverity(openBreaks),
      openBreaks,
      explainedBreaks: allBreaks.filter(({ status }) => status === 'explained'),
      tables: events,
      published: [
        ...[...made].filter((table) => byName.has(table)),
        ...steps.filter(({ name }) => made.has(name)).flatMap(({ writes }) => writes.map(qualify)),
        breaksDocs.table,
        aboutDocs.table,
      ]
        .filter((table) => table.startsWith('main.'))
        .map((table) => table.replace('main.', '')),
    }
  }

  async #makeModel(beside: DuckDBConnection, model: Model, shapes: Shapes): Promise<number> {
    const { databases, parts } = this.#state
    const reads = await readsOf(beside, model)
    const target = nameOf(model.table, databases)
    try {
      if (isByAccount(model.table) && reads.some((table) => this.#inParts.has(table))) {
        for (const table of reads) await this.#standEverywhere(table, shapes)
        await Promise.all(this.#servers.map((server) => makeOn(server, model, reads, parts, shapes)))
        this.#inParts.add(model.table)
        const columns = shapes.get(model.table) ?? new Map()
        await this.#server.run(
          `create view ${target} as ${unionOf(this.#servers, model.table, parts, columns)} comment ${text(model.doc)}`,
        )
      } else await makeOn(this.#server, model, reads, databases, shapes)
    } catch (cause) {
      const isOfTheWay = cause instanceof ClickHouseUnreachable || cause instanceof QueryStopped
      throw isOfTheWay ? cause : failed(model.file, model.table, cause)
    }
    return await this.#count(target)
  }

  /** The rows of landed records stay in parts from build to build: each server sees its own. */
  async #standLandedParts(shapes: Shapes): Promise<void> {
    const stay = { ...this.#state.parts, landing: landedParts(this.#settings.database) }
    for (const [table, columns] of shapes) {
      if (!table.startsWith('landing.') || !isRecord(columns)) continue
      this.#inParts.add(table)
      for (const server of this.#servers)
        await server.run(
          `create view ${nameOf(table, this.#state.parts)} as select * from ${nameOf(table, stay)}`,
        )
    }
  }

  /** Copies a table that is only on the first server to all of them, once. */
  async #standEverywhere(table: string, shapes: Shapes): Promise<void> {
    if (this.#inParts.has(table) || this.#everywhere.has(table)) return
    this.#everywhere.add(table)
    const { databases, parts } = this.#state
    const [first, ...others] = this.#servers
    const columns = shapes.get(table) ?? new Map()
    const name = nameOf(table, parts)
    await first.run(`create view ${name} as select * from ${nameOf(table, databases)}`)
    for (const server of others) {
      await server.run(definitionOf(name, { columns, order: ORDER }))
      await server.run(
        `insert into ${name} select * from ${farTable(first, nameOf(table, databases), columns)}`,
      )
    }
  }

  /** Runs a step here, on the rows that it reads, and transfers what it wrote to the server. */
  async #makeStep(
    beside: DuckDBConnection,
    landed: DuckDBConnection,
    step: ExtraStep,
    shapes: Shapes,
  ): Promise<number> {
    const reads = step.reads.map(qualify)
    for (const table of reads) await this.#fetch(beside, table, shapes)
    for (const table of step.writes) await beside.run(`drop table if exists ${here(qualify(table))}`)
    await step.run(beside)
    const written = shapesIn(await columnsOf(beside, ['staging', CATALOG]))
    let rows = 0
    for (const docs of docsOfStep(step)) rows += await this.#send(beside, docs.table, written, docs)
    // The rows read are no longer needed, and may be large.
    for (const table of reads) await beside.run(`truncate ${here(table)}`)
    if (step.precedes !== undefined) await this.#land(landed, false)
    return rows
  }

  async #define(table: string, shapes: Shapes, docs?: Documented): Promise<void> {
    await this.#server.run(
      definitionOf(nameOf(table, this.#state.databases), {
        columns: shapes.get(table) ?? new Map(),
        order: ORDER,
        meaning: docs,
      }),
    )
  }

  /** Transfers a table from here to the server, and returns its rows. */
  async #send(beside: DuckDBConnection, table: string, shapes: Shapes, docs?: Documented): Promise<number> {
    const target = nameOf(table, this.#state.databases)
    await this.#define(table, shapes, docs)
    const rows = await countHere(beside, here(table))
    if (rows > 0) await push(this.#ways, beside, here(table), target, shapes.get(table) ?? new Map())
    return rows
  }

  /**
   * Fetches the rows of a table that the server has built into the local one, which is empty or holds rows computed
   * from no data.
   */
  async #fetch(beside: DuckDBConnection, table: string, shapes: Shapes): Promise<void> {
    await beside.run(`truncate ${here(table)}`)
    const source = nameOf(table, this.#state.databases)
    await pull(this.#ways, source, beside, here(table), shapes.get(table) ?? new Map())
  }

  /** Transfers the user's notes on breaks. */
  async #bringNotes(beside: DuckDBConnection, landed: DuckDBConnection): Promise<void> {
    const columns = (await columnsOf(landed, ['landing'])).get('landing.notes') ?? new Map()
    await pull(
      this.#ways,
      nameOf('landing.notes', this.#state.databases),
      beside,
      'landing.main.notes',
      columns,
    )
  }

  async #count(target: string): Promise<number> {
    return Number((await this.#server.rows(`select count() from ${target}`))[0]?.[0])
  }
}

/** Builds the table of a model on one server, from the tables that it has in these databases. */
async function makeOn(
  server: Server,
  model: Model,
  reads: readonly string[],
  databases: Databases,
  shapes: Shapes,
): Promise<void> {
  const target = nameOf(model.table, databases)
  const columns = shapes.get(model.table) ?? new Map()
  await server.run(definitionOf(target, { columns, order: ORDER, meaning: model }))
  const select = renamed(model.select, reads, databases)
  await server.run(`insert into ${target}\n${select}`, { database: databases.main })
}

/** The step with empty inputs, if it would make external queries; its actual rows are produced when its turn comes. */
const withoutAsking = (step: ExtraStep): ExtraStep =>
  step.precedes === undefined
    ? step
    : {
        ...step,
        run: async (connection) => {
          for (const table of step.writes)
            await connection.run(`create table ${qualify(table)} as select 0 as nothing where false`)
        },
      }

/** Columns of the tables, by the name under which models read them. */
type Shapes = ReadonlyMap<string, Columns>

const shapesIn = (tables: ReadonlyMap<string, Columns>): Map<string, Columns> =>
  new Map([...tables].map(([table, columns]) => [table.replace(`${CATALOG}.`, 'main.'), columns]))

/** The local name of the table: `main` could mean a temporary one. */
const here = (table: string): string => table.replace(/^main\./, `${CATALOG}.main.`)

const defined = (columns: Columns): string =>
  [...columns].map(([name, type]) => `${identifier(name)} ${type}`).join(', ')

async function countHere(connection: DuckDBConnection, table: string): Promise<number> {
  return Number((await connection.runAndReadAll(`select count(*) from ${table}`)).getRowsJson()[0]?.[0])
}
