// Where a build takes place: an unfinished ledger in its own file, intermediate steps in memory or in files
// beside it, and the published ledger to read from, all attached to the instance that holds the landing
// database.
import { rename, rm } from 'node:fs/promises'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { identifier, literal } from '../engine/quote.ts'
import { parseSize } from '../engine/size.ts'
import { KEY_DATABASE } from './counterparty-key.ts'
import { registerExactFunctions } from './functions.ts'
import { createMacros } from './portable.ts'
import { roomOf } from './slices.ts'

/** Name under which the unfinished ledger is attached. */
export const CATALOG = 'unfinished_ledger'
/** Layers that are only intermediate steps, and never written to the ledger. */
const UNPUBLISHED = ['staging', 'checks']
/** Name under which the published ledger is attached. */
export const PREVIOUS = 'before'

/** Name under which a ledger is attached while it is rewritten without its free blocks. */
const COMPACT = 'compact_ledger'

const fileOf = (unfinished: string, layer: string): string =>
  unfinished.replace(/(\.duckdb)?$/, `.${layer}.duckdb`)

/** The file of the intermediate steps of this unfinished ledger, if they are in one. */
export const stepsOf = (unfinished: string): string => fileOf(unfinished, 'staging')

/**
 * Every file that a build of this unfinished ledger may leave; a step has a log if there was no room to
 * detach it.
 */
export const workFiles = (unfinished: string): string[] =>
  [unfinished, ...[...UNPUBLISHED, COMPACT].map((layer) => fileOf(unfinished, layer))].flatMap((file) => [
    file,
    `${file}.wal`,
  ])

export interface Workspace {
  readonly connection: DuckDBConnection
  /**
   * Columns of the breaks of the published ledger, which is attached as `before`; null if there are none to
   * carry forward.
   */
  readonly previousBreaks: readonly string[] | null
  /** Whether the intermediate steps are in a file, which the next build may begin with. */
  readonly keepsSteps: boolean
  /**
   * Attaches the unfinished ledger, a new one or the copy in its place; unqualified tables are created in it.
   */
  openLedger(): Promise<void>
  /**
   * Connections for parallel work in the open ledger, including its own. `isByDay` for a build that rebuilds days: each has a
   * database for the rows of the days in question.
   */
  lanes(build: { readonly isByDay: boolean }): Promise<readonly [DuckDBConnection, ...DuckDBConnection[]]>
  /** Interrupts the statements of its connections. */
  interrupt(): void
}

/**
 * Attaches everything, does the work, and restores the instance; the unfinished ledger is then complete on
 * disk. If the work fails, its error counts, whatever happens during clean-up.
 */
export async function inWorkspace<T>(
  instance: DuckDBInstance,
  files: {
    readonly unfinished: string
    readonly published: string
    readonly breakColumns: readonly string[]
    /** How many threads it may use, whatever its instance uses now. */
    readonly threads: number
    /** Keeps the intermediate steps in a file, even if they would fit in memory. */
    readonly keepSteps?: boolean
  },
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect()
  const others: DuckDBConnection[] = []
  const leave = (): void => {
    for (const other of others.splice(0)) other.closeSync()
  }
  try {
    const { lanesFor, threadsToWrite, hasSmallSteps, restore } = await settle(connection, files)
    try {
      const previousBreaks = await attachPrevious(connection, files.published, files.breakColumns)
      for (const layer of UNPUBLISHED)
        if (hasSmallSteps) await connection.run(`attach ':memory:' as ${layer}`)
        else await attachSteps(connection, fileOf(files.unfinished, layer), layer)
      await connection.run(`attach ':memory:' as ${KEY_DATABASE}`)
      // The current database may have a schema with the name of a layer.
      await connection.run(`use ${UNPUBLISHED[0]}.main`)
      const openLedger = async (): Promise<void> => {
        await attachWithoutLog(connection, files.unfinished, CATALOG)
        registerExactFunctions(connection)
        await enterLedger(connection)
      }
      const lanes: Workspace['lanes'] = async ({ isByDay }) => {
        const { count, threads } = lanesFor(isByDay)
        await connection.run(`set threads = ${threads}`)
        while (others.length < count - 1) {
          const other = await instance.connect()
          others.push(other)
          await enterLedger(other)
        }
        if (isByDay) for (let lane = 0; lane < count; lane += 1) await makeRoom(connection, roomOf(lane))
        return [connection, ...others]
      }
      const interrupt = (): void => {
        for (const one of [connection, ...others]) one.interrupt()
      }
      const result = await work({
        connection,
        previousBreaks,
        keepsSteps: !hasSmallSteps,
        openLedger,
        lanes,
        interrupt,
      })
      leave()
      // Beside each other, connections have one thread each; now there is one connection, with much to compress.
      await connection.run(`set threads = ${threadsToWrite}`)
      await connection.run('checkpoint')
      const compact = await compacted(connection, fileOf(files.unfinished, COMPACT))
      await restore()
      if (compact !== null) await rename(compact, files.unfinished)
      return result
    } catch (error) {
      leave()
      // A failed transaction refuses everything else, even this.
      await connection.run('rollback').catch(() => undefined)
      await restore().catch(() => undefined)
      throw error
    }
  } finally {
    connection.closeSync()
  }
}

/**
 * The settings of a connection: the time zone in which it reads times, where it creates tables, and the names
 * that models use.
 */
async function enterLedger(connection: DuckDBConnection): Promise<void> {
  await connection.run("set timezone = 'UTC'")
  await connection.run(`use ${CATALOG}`)
  await createMacros(connection)
}

/** With a larger free share, a file is rewritten: it would be more than 1.25 times as large as necessary. */
const MOST_FREE = 0.2
/** Less than this is not worth the effort. */
const MOST_FREE_BYTES = 4 * 2 ** 20

/**
 * Rewrites the unfinished ledger into this file if much of it is free, as in a copy whose tables were
 * rebuilt; else null.
 */
async function compacted(connection: DuckDBConnection, file: string): Promise<string | null> {
  const reader = await connection.runAndReadAll(
    `select free_blocks > ${MOST_FREE} * total_blocks and free_blocks * block_size > ${MOST_FREE_BYTES}
     from pragma_database_size() where database_name = '${CATALOG}'`,
  )
  if (reader.getRowsJson()[0]?.[0] !== true) return null
  await attachWithoutLog(connection, file, COMPACT)
  await connection.run(`copy from database ${CATALOG} to ${COMPACT}`)
  await connection.run(`checkpoint ${COMPACT}`)
  return file
}

/** Rows of one group, which DuckDB does not divide among threads. */
const ROW_GROUP = 122_880

/** Memory for intermediate steps, which are not compressed there: 650 bytes for each landed row, measured. */
const STEPS_PER_ROW_BYTES = 700
/**
 * The share of the memory limit that they may take. Compressing and writing them takes a tenth of a build,
 * but data in memory counts against the limit until its end, so those of larger books go into files.
 */
const MOST_FOR_STEPS = 1 / 16

/**
 * From this many landed rows on, the steps are in a file that the next build begins with: writing it takes a
 * tenth of a build, and saves every night more than half of one.
 */
const MANY_ROWS = 250_000

/**
 * Up to this many landed rows the tables are written uncompressed: finding the best compression for each
 * column takes a twentieth of such a build, and saves only a megabyte or two.
 */
const FEW_ROWS = 2_048

interface Settled {
  /** The connections that may work in parallel, for a build by days or any other. */
  readonly lanesFor: (isByDay: boolean) => Lanes
  /** One thread compresses a group of rows. If the number of threads changes, DuckDB returns all free memory to the system. */
  readonly threadsToWrite: number
  /** Intermediate steps may be kept in memory. */
  readonly hasSmallSteps: boolean
  /** Resets the instance, with nothing of the build attached. */
  readonly restore: () => Promise<void>
}

/** The client has four threads on which the database works. */
const MOST_LANES = 4

/**
 * Up to this many landed rows in a table, statements beside each other, each on one thread, take less time than threads that
 * share each statement. On two threads, 300,510 entries take 8.9 s instead of 12.0, and 13.6 s of processor time instead of
 * 17.6; 1,001,464 take 23.3 s instead of 26.4, and 38.7 instead of 45.0. With more rows for more threads, there are enough
 * for each thread.
 */
const fewRows = (threads: number): number => Math.max(4, 16 / threads) * ROW_GROUP
/** Memory for each landed row, for several statements at a time. */
const LANE_PER_ROW_BYTES = 8_000

/**
 * A build by days has two hundred small statements and some ten large ones, so that two at a time leave no thread idle: a
 * night over a million entries takes 5.0 s instead of 7.0.
 */
const DAY_LANES = 2
/** The same for a build by days: 1.4 million landed rows need less than half of this. */
const DAY_LANE_PER_ROW_BYTES = 500
const ROOMS = Array.from({ length: DAY_LANES }, (_, lane) => roomOf(lane))

interface Lanes {
  readonly count: number
  /** The setting: how many threads they share, one of which is that of a connection. */
  readonly threads: number
}

interface Load {
  /** Landed rows, and those of the table with most of them. */
  readonly landed: number
  readonly largest: number
  /** The memory limit. */
  readonly bytes: number
  readonly threads: number
  readonly isByDay: boolean
}

function lanesFor({ landed, largest, bytes, threads, isByDay }: Load): Lanes {
  const alone = { count: 1, threads: threadsFor(largest, threads) }
  if (landed * (isByDay ? DAY_LANE_PER_ROW_BYTES : LANE_PER_ROW_BYTES) > bytes) return alone
  if (isByDay) {
    const count = Math.min(threads, DAY_LANES)
    return { count, threads: threadsFor(largest, threads - count + 1) }
  }
  return largest > fewRows(threads) ? alone : { count: Math.min(threads, MOST_LANES), threads: 1 }
}

/** Threads share a statement by groups of rows. */
const threadsFor = (largest: number, threads: number): number => (largest <= ROW_GROUP ? 1 : threads)

/** Sorts need less memory if no order is kept. */
async function settle(
  connection: DuckDBConnection,
  { threads, keepSteps }: { readonly threads: number; readonly keepSteps?: boolean },
): Promise<Settled> {
  const reader = await connection.runAndReadAll(
    `select current_setting('preserve_insertion_order'), current_database(), current_setting('threads'),
       current_setting('memory_limit'), coalesce(max(estimated_size), 0), cast(coalesce(sum(estimated_size), 0) as bigint)
     from duckdb_tables() where database_name = 'landing'`,
  )
  const [keepsOrder, database, threadsBefore, memory, largest, landed] = reader.getRowsJson()[0] as [
    boolean,
    ...string[],
  ]
  const bytes = parseSize(String(memory)) ?? 0
  const hasSmallSteps =
    keepSteps !== true &&
    Number(landed) < MANY_ROWS &&
    Number(landed) * STEPS_PER_ROW_BYTES <= bytes * MOST_FOR_STEPS
  await connection.run("set timezone = 'UTC'")
  await connection.run('set preserve_insertion_order = false')
  const threadsToWrite = threadsFor(Number(largest), threads)
  await connection.run(`set threads = ${threadsToWrite}`)
  if (Number(landed) <= FEW_ROWS) await connection.run("set force_compression = 'uncompressed'")
  // Everything is attempted, whatever fails: anything still attached would write to its file once more when
  // the instance closes. A database that could not be written refuses every statement in it, so it is
  // detached first.
  const restore = async (): Promise<void> => {
    const refusals: unknown[] = []
    for (const statement of [
      `use ${identifier(String(database))}`,
      `set preserve_insertion_order = ${keepsOrder}`,
      `set threads = ${threadsBefore}`,
      'reset force_compression',
      // The ledger is on disk by now, or discarded like the steps: nothing need be written on detaching.
      'pragma disable_checkpoint_on_shutdown',
      ...[CATALOG, COMPACT, ...UNPUBLISHED, KEY_DATABASE, ...ROOMS, PREVIOUS].map(
        (name) => `detach database if exists ${name}`,
      ),
      'pragma enable_checkpoint_on_shutdown',
    ])
      await connection.run(statement).catch((cause: unknown) => refusals.push(cause))
    if (refusals.length > 0) throw refusals[0]
  }
  const load = { landed: Number(landed), largest: Number(largest), bytes, threads }
  return { lanesFor: (isByDay) => lanesFor({ ...load, isByDay }), threadsToWrite, hasSmallSteps, restore }
}

/** Nobody reads what a killed build has left, and writing everything twice takes time. */
async function attachWithoutLog(connection: DuckDBConnection, file: string, name: string): Promise<void> {
  await connection.run(`attach ${literal(file)} as ${name} (recovery_mode no_wal_writes)`)
}

/** For the rows that are read of tables in these schemas. */
async function makeRoom(connection: DuckDBConnection, name: string): Promise<void> {
  await connection.run(`attach ':memory:' as ${name}`)
  for (const schema of ['landing', 'staging']) await connection.run(`create schema ${name}.${schema}`)
}

/** Steps that an earlier build kept begin again if they cannot be read. */
async function attachSteps(connection: DuckDBConnection, file: string, layer: string): Promise<void> {
  await attachWithoutLog(connection, file, layer).catch(async () => {
    await rm(file, { force: true })
    await attachWithoutLog(connection, file, layer)
  })
}

/** A published file that cannot be read, or is of another version, has nothing to carry forward. */
async function attachPrevious(
  connection: DuckDBConnection,
  ledger: string,
  breakColumns: readonly string[],
): Promise<readonly string[] | null> {
  try {
    await connection.run(`attach ${literal(ledger)} as ${PREVIOUS} (read_only)`)
    const found = (
      await connection.runAndReadAll(`select * from ${PREVIOUS}.main.breaks limit 0`)
    ).columnNames()
    return breakColumns.every((name) => found.includes(name)) ? found : null
  } catch {
    return null
  }
}
