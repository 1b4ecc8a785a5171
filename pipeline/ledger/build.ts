// Builds the ledger from what has landed: models in dependency order, then the checks, then publication by
// one rename. A build that fails leaves the published ledger untouched.
import { dirname, join } from 'node:path'
import type { DuckDBInstance } from '@duckdb/node-api'
import { onAbort } from '../../models/abort.ts'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { TieoutError } from '../../models/error.ts'
import { packageRoot } from '../config/root.ts'
import { fileLimited } from '../engine/file-limit.ts'
import { outOfMemory } from '../engine/out-of-memory.ts'
import type { EngineSettings } from '../engine/settings.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { erasures } from '../journal/erase.ts'
import { aboutDocs, makeAbout } from './about.ts'
import {
  assembleBreaks,
  type Break,
  breaksDocs,
  carriedColumns,
  countBySeverity,
  loadPreviousBreaks,
  mustBeChecks,
  readBreaks,
  type Severity,
} from './breaks.ts'
import { docsOfStep, writeComments } from './comments.ts'
import { counterpartyKey, KEY_TABLE, OTHER_KEY } from './counterparty-key.ts'
import { dropUnmade, standEmptyTables } from './empty.ts'
import { generatedModels } from './generated.ts'
import {
  breaksFound,
  type Found,
  hasItsBreaks,
  holdsItsTables,
  inputsOf,
  isBase,
  type MadeTables,
  madeDocs,
  ORIGIN,
  originOf,
  readMade,
  writeMade,
} from './kept.ts'
import { dropMacros, writeMacros } from './macros.ts'
import { mustBeDistinct, mustBeDocumented, shippedModels } from './models.ts'
import {
  copyOfLedger,
  discardBuild,
  fullDisk,
  keepUnpublishedBreaks,
  LEDGER_FILE,
  publishLedger,
} from './publish.ts'
import { type BuildConfig, GIVEN_TABLES, loadReference } from './reference.ts'
import { isSame } from './rows.ts'
import { KeptDiffer } from './run.ts'
import { interruptUntil } from './session.ts'
import { takenBy, timesOf } from './slices.ts'
import {
  clearSteps,
  isAsPublished,
  keepSteps,
  readSteps,
  removeSteps,
  takeSteps,
  writeSteps,
} from './steps.ts'
import { type BuildEvent, BuildFailed, type ExtraStep, runnable, runTasks, type StepRun } from './tasks.ts'
import { CATALOG, inWorkspace, type Workspace } from './workspace.ts'

export type { Break, Severity } from './breaks.ts'
export type { BuildConfig } from './reference.ts'
export { type BuildEvent, BuildFailed, type ExtraStep, type StepRun }

export interface BuildOptions {
  /** Folder of the books. */
  readonly dir: string
  /**
   * The landing database, attached as `landing` in this instance; a build that fails checks whether it is
   * damaged.
   */
  readonly landing: {
    readonly instance: DuckDBInstance
    /** The limits of the instance, as errors state them. */
    readonly engine: EngineSettings
    damage?(): Promise<TieoutError | null>
  }
  /** When new breaks count as first seen, and the ledger as published. */
  readonly now: Date
  readonly clock: Clock
  /** Stops a build, even in the middle of a statement. */
  readonly signal?: AbortSignal | undefined
  readonly config: BuildConfig
  /** Publish even if a check fails at severity error. */
  readonly publishAnyway?: boolean
  /** Only these tables and checks, with everything they depend on; all if absent. */
  readonly only?: readonly string[] | undefined
  /** False: run models and checks, and discard the result. */
  readonly publish?: boolean
  /** Rebuild every table, even if none of its inputs have changed. */
  readonly full?: boolean
  /** Keep the intermediate steps for the next build, even if the books are small. */
  readonly keepSteps?: boolean
  /** Receives remarks on how the build went, one sentence each. */
  readonly onNote?: ((text: string) => void) | undefined
  readonly steps?: readonly ExtraStep[]
  readonly log?: (event: BuildEvent) => void
  readonly disk?: Disk
}

/** The build was asked to stop, and did. */
export class BuildStopped extends TieoutError {
  override readonly name = 'BuildStopped'
  override readonly exitCode = 5
}

export interface BuildResult {
  readonly published: boolean
  /** The published ledger. */
  readonly path: string
  /** Open breaks, by severity. */
  readonly breaks: Readonly<Record<Severity, number>>
  readonly openBreaks: readonly Break[]
  /** Breaks that a note of the user explains. */
  readonly explainedBreaks: readonly Break[]
  /** Rows and milliseconds of each table, in build order. */
  readonly tables: readonly BuildEvent[]
  /** Every table with its rows and a hash of its inputs. */
  readonly found: ReadonlyMap<string, Found>
}

let builds = 0

/**
 * Builds, checks and publishes. Throws ModelError for a model that cannot be ordered, BuildFailed for one
 * that fails. A build with open breaks of severity error is published only on request; its breaks are stored
 * beside the books. Tables of the published ledger whose inputs are unchanged are kept, unless the build is
 * `full` or `only` for some tables; if keeping them fails, everything is rebuilt.
 */
export async function buildLedger(options: BuildOptions): Promise<BuildResult> {
  const full = options.full === true || options.only !== undefined
  try {
    return await attempt({ ...options, full })
  } catch (error) {
    if (full || !(error instanceof KeptDiffer || error instanceof BuildFailed)) throw error
    const why =
      error instanceof KeptDiffer ? `the published ${error.message} is not what was built` : error.message
    options.onNote?.(`Rebuilding every table: ${why}.`)
    return attempt({ ...options, full: true })
  }
}

async function attempt(options: BuildOptions): Promise<BuildResult> {
  const disk = options.disk ?? nodeDisk
  builds += 1
  const unfinished = join(options.dir, 'tmp', `ledger-${process.pid}-${builds}.duckdb`)
  const path = join(options.dir, LEDGER_FILE)
  await disk.makeDir(join(options.dir, 'tmp'), 0o700)
  await discardBuild(disk, unfinished)
  const close = () => discardBuild(disk, unfinished)
  return await closing(close, async () => {
    try {
      if (options.full !== true) await takeSteps(disk, options.dir, unfinished)
      const { hasSteps, ...made } = await inWorkspace(
        options.landing.instance,
        {
          unfinished,
          published: path,
          breakColumns: carriedColumns,
          threads: options.landing.engine.threads,
          keepSteps: options.keepSteps === true,
        },
        (workspace) =>
          untilStopped(workspace, options, () => make(workspace, { ...options, path, unfinished })),
      )
      if (made.published) {
        await publishLedger(disk, options.dir, unfinished)
        if (hasSteps) await keepSteps(disk, options.dir, unfinished)
        else await removeSteps(disk, options.dir)
      } else if (options.publish ?? true) await keepUnpublishedBreaks(disk, options.dir, made.openBreaks)
      return { ...made, path }
    } catch (error) {
      throw error instanceof BuildStopped ? error : await explained(options, unfinished, path, error)
    }
  })
}

/** Does the work, and interrupts the current statement when the signal arrives: BuildStopped. */
export async function untilStopped<T>(
  workspace: Workspace,
  { signal, clock }: BuildOptions,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const letGo =
    signal === undefined
      ? undefined
      : onAbort(signal, () => void interruptUntil(over.signal, workspace, clock))
  try {
    return await work()
  } catch (error) {
    throw signal?.aborted === true ? buildStopped(error) : error
  } finally {
    over.abort()
    letGo?.()
  }
}

export const buildStopped = (cause: unknown): BuildStopped =>
  new BuildStopped('The build was stopped; the published ledger is unchanged.', {
    action: 'Run the build again: what has landed is kept.',
    cause,
  })

/** Why a build failed: a full disk first, because spilling runs into that when memory is short. */
async function explained(
  { dir, landing }: BuildOptions,
  unfinished: string,
  published: string,
  error: unknown,
): Promise<unknown> {
  const where = error instanceof BuildFailed ? (error.details.where ?? '') : published
  const sentence = 'The build ran out of memory; the published ledger is unchanged.'
  const short = outOfMemory(sentence, where, landing.engine, error)
  const files = { published, landing: join(dir, 'landing.duckdb') }
  if (short !== null) return (await fullDisk(unfinished, files, error)) ?? short
  const limit = 'The ledger could not be built under the file size limit; the published one is unchanged.'
  const limited = fileLimited(limit, dirname(unfinished), error)
  if (limited !== null) return limited
  return (await landing.damage?.()) ?? (await fullDisk(unfinished, files, error)) ?? error
}

async function make(
  workspace: Workspace,
  options: BuildOptions & { readonly path: string; readonly unfinished: string },
): Promise<Omit<BuildResult, 'path'> & { readonly hasSteps: boolean }> {
  const { connection } = workspace
  const { config, steps = [], dir, disk = nodeDisk, onNote } = options
  const folders = { shipped: join(packageRoot, 'data'), books: dir }
  let isNewKey = false
  const onNewKey = (text: string): void => {
    isNewKey = true
    onNote?.(text)
  }
  const key = await counterpartyKey(connection, dir, { disk, onNote: onNewKey })
  await loadReference(connection, config, folders, key)
  const all = [...generatedModels(config), ...shippedModels()]
  const timeOf = workspace.keepsSteps ? timesOf(all, steps) : new Map<string, string>()
  const origin = originOf(await erasures(dir, disk), config.publishPersonalData)
  const before = await readMade(connection)
  const lastSteps = before === null ? null : await readSteps(connection, before)
  const isSameOrigin = before?.get(ORIGIN)?.decidedBy === origin
  const inputs = await inputsOf(connection, GIVEN_TABLES, timeOf, isSameOrigin ? lastSteps : null)
  const [lastKey, thisKey] = [before?.get(KEY_TABLE), inputs.given.get(KEY_TABLE)]
  if (!isNewKey && lastKey?.count === 1 && thisKey?.count === 1 && !isSame(lastKey, thisKey))
    onNote?.(OTHER_KEY)
  const isKept =
    before !== null &&
    options.full !== true &&
    isBase(before, origin, inputs, { hasSteps: lastSteps !== null }) &&
    (await holdsItsTables(connection, before)) &&
    (await hasItsBreaks(connection, before))
  const base = await beginWith(workspace, options, isKept ? before : null)
  const usedSteps = base === null ? null : lastSteps
  if (workspace.keepsSteps && usedSteps === null) await clearSteps(connection, GIVEN_TABLES)
  await loadPreviousBreaks(connection, workspace.previousBreaks)
  mustBeDistinct([...all, ...steps.flatMap(docsOfStep), breaksDocs, aboutDocs, madeDocs])
  mustBeDocumented(all)
  const models = runnable(all, steps)
  const { clock, only, log, signal } = options
  const lanes = await workspace.lanes({ isByDay: usedSteps !== null })
  const {
    events: tables,
    found,
    days,
    until,
    learn,
  } = await runTasks(lanes, models, steps, {
    inputs,
    base,
    divided: workspace.keepsSteps
      ? { timeOf, before: usedSteps?.days ?? new Map(), taken: takenBy(lanes) }
      : null,
    standing: usedSteps?.tables ?? new Set(),
    // Asked once it has been copied: what is written to it from now on is in no copy.
    isAsPublished: usedSteps !== null && (await isAsPublished(disk, dir)),
    putsOff: !workspace.keepsSteps,
    only,
    clock,
    signal,
    log,
  })
  const made = new Set(tables.map(({ table }) => table))
  const stayed = new Set(tables.filter((one) => one.kept).map(({ table }) => table))
  const firing = tables
    .filter(({ table, rows }) => table.startsWith('checks.') && rows > 0)
    .map(({ table }) => table)
  await mustBeChecks(
    connection,
    models.filter(({ table }) => made.has(table) && !stayed.has(table)),
  )
  await learn()
  await assembleBreaks(
    connection,
    { made: firing.filter((table) => !stayed.has(table)), kept: firing.filter((table) => stayed.has(table)) },
    options.now,
  )
  await makeAbout(connection, connection, options.now)
  const recorded = await writeMade(connection, new Map([...found, await breaksFound(connection)]), {
    before,
    origin,
    now: options.now,
  })
  const written = steps.filter(({ name }) => made.has(name)).flatMap(docsOfStep)
  const documented = [
    ...models.filter(({ table }) => made.has(table)),
    ...written,
    breaksDocs,
    aboutDocs,
    madeDocs,
  ]
  await dropUnmade(connection, new Set(documented.map(({ table }) => table)))
  const allBreaks = await readBreaks(connection)
  const openBreaks = allBreaks.filter(({ status }) => status === 'open')
  const breaks = countBySeverity(openBreaks)
  const published = (options.publish ?? true) && (breaks.error === 0 || options.publishAnyway === true)
  // Nobody opens a build that is discarded.
  if (published) {
    await writeMacros(connection)
    await writeComments(connection, documented)
  }
  const hasSteps = published && workspace.keepsSteps
  if (hasSteps) await writeSteps(connection, recorded, { days, until })
  const explainedBreaks = allBreaks.filter(({ status }) => status === 'explained')
  return { published, breaks, openBreaks, explainedBreaks, tables, found, hasSteps }
}

/**
 * Opens the unfinished ledger as a copy of the published one, with the tables listed in `base`, or else as an
 * empty one.
 */
async function beginWith(
  workspace: Workspace,
  { path, unfinished }: { readonly path: string; readonly unfinished: string },
  base: MadeTables | null,
): Promise<MadeTables | null> {
  const isCopied = base !== null && (await copyOfLedger(path, unfinished))
  await workspace.openLedger()
  if (isCopied) {
    await dropMacros(workspace.connection, CATALOG)
    return base
  }
  await standEmptyTables(workspace.connection)
  return null
}
