// The published ledger as its readers see it: one file, opened read-only in its own instance, locked against
// files, network, extensions and settings. A publication renames a new file over it; a reader keeps the one
// it opened.
import { open, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Clock, systemClock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { CorruptionError, TieoutError, UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { packageVersion } from '../config/root.ts'
import { queryOutOfMemory } from '../engine/out-of-memory.ts'
import { type EngineSettings, engineSettings, forFile, PLANNING, readerSettings } from '../engine/settings.ts'
import { makeSpillFolder, NO_SPILL } from '../output/spill.ts'
import { LEDGER_FORMAT } from './about.ts'
import { type DistantState, distantReader, type LedgerSource } from './distant.ts'
import { identityOf } from './identity.ts'
import type { Limits } from './limits.ts'
import { DEFAULT_TIMEOUT_MS } from './limits.ts'
import { isNoFile } from './no-file.ts'
import { thisProgram } from './program.ts'
import { explained, type Fill, type Reader, type Room, readerOf, scratchReader } from './reader.ts'

/** There are no published books in the folder yet. */
export class NoLedger extends UsageError {}

export interface LedgerOptions {
  /** What DuckDB may use, of which a reader takes a part; a share of the machine by default. */
  readonly engine?: EngineSettings
  /** The whole limit of this reader, as DuckDB writes it. */
  readonly memoryLimit?: string
  /** Time limit for one query until its last row; 10 minutes by default. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  /** Stops the query that is running. */
  readonly signal?: AbortSignal
  /** For users' SQL: no file can be accessed at all, so nothing spills either. */
  readonly sealed?: boolean
  /** Where the ledger is, if not in a file of the books. */
  readonly source?: LedgerSource | undefined
}

export interface Ledger extends Reader {
  readonly file: string
  /** Which file is open; null if another was published meanwhile. */
  readonly identity: string | null
  /** The limits of this reader, and of a database beside it. */
  readonly room: Room
  /** An in-memory database beside the ledger, under the same limits; it is closed with the ledger. */
  scratch(fill: Fill): Promise<Reader>
}

/**
 * Opens the published ledger of the books in `dir`. NoLedger if none is published, UsageError if it may not
 * be read, CorruptionError if it is not a database.
 */
export async function openLedger(dir: string, options: LedgerOptions = {}): Promise<Ledger> {
  const file = join(dir, 'ledger.duckdb')
  const state = options.source === undefined ? null : await options.source.open(options.signal)
  if (state === null) await mustBeDatabase(dir, file)
  const engine = options.engine ?? engineSettings()
  // A user's own query has a process to itself, and nowhere to spill to; it may produce far more rows than
  // the ledger has.
  const shared = options.sealed === true ? engine : readerSettings(engine, options.memoryLimit)
  const settings = options.sealed === true || state !== null ? shared : forFile(shared, file)
  const room: Room = { ...settings, tempDir: join(dir, 'tmp') }
  const limits: Limits = {
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    clock: options.clock ?? systemClock,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }
  const sealed = options.sealed === true
  const beside: Reader[] = []
  let closeReader: (() => void) | null = null
  const close = (): void => {
    for (const scratch of beside) scratch.close()
    closeReader?.()
  }
  try {
    const { identity, opened } =
      state === null ? await fileReader(file, room, limits, sealed) : await stateReader(state, limits, room)
    closeReader = () => opened.close()
    const reader = explained({ ...opened, close }, (cause) => unanswered(file, room, opened, cause))
    await mustBeKnown(file, reader)
    const scratch: Ledger['scratch'] = async (fill) => {
      const explain = (cause: unknown): unknown => queryOutOfMemory(room, cause) ?? cause
      const made = await scratchReader(limits, room, fill).catch((cause: unknown) => {
        throw explain(cause)
      })
      beside.push(made)
      return explained(made, explain)
    }
    return { ...reader, file, identity, room, scratch }
  } catch (error) {
    close()
    throw await unanswered(file, room, null, error)
  }
}

interface Opened {
  readonly identity: string | null
  readonly opened: Reader
}

/** The published file, which other processes may read meanwhile. */
async function fileReader(file: string, room: Room, limits: Limits, sealed: boolean): Promise<Opened> {
  const spill = sealed ? NO_SPILL : makeSpillFolder(room.tempDir)
  let instance: DuckDBInstance | null = null
  const close = (): void => {
    instance?.closeSync()
    spill.remove()
  }
  try {
    const before = identityOf(file)
    instance = await readOnlyInstance(file, spill.path, room.threads)
    const identity = identityOf(file) === before ? before : null
    await lock(instance, room.memoryLimit, sealed)
    return { identity, opened: await readerOf(instance, limits, close) }
  } catch (error) {
    close()
    throw error
  }
}

const stateReader = async (state: DistantState, limits: Limits, room: Room): Promise<Opened> => ({
  identity: state.identity,
  opened: await distantReader(state, limits, room),
})

/** DuckDB's errors for a query that does not match the schema: a table, a column, a function or a type. */
const DOES_NOT_FIT = /^(?:Catalog|Binder) Error: /

/** Interprets a schema error: the reports' queries are ours and match what this version publishes. */
async function unanswered(
  file: string,
  room: Room,
  reader: Reader | null,
  cause: unknown,
): Promise<TieoutError> {
  if (cause instanceof TieoutError) return cause
  const short = queryOutOfMemory(room, cause)
  if (short !== null) return short
  const found = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? ''
  if (!DOES_NOT_FIT.test(found))
    return new CorruptionError('The published ledger cannot be read.', {
      where: file,
      expected: 'a complete ledger of this version of tieout',
      found,
      action: 'Run `tieout build --full` to build the ledger again from what has landed.',
      cause,
    })
  if (reader !== null && (await isOfThisProgram(reader)))
    return new TieoutError('A query of tieout does not match the ledger that it has published.', {
      where: file,
      expected: 'the tables, columns and functions that this program publishes',
      found,
      action:
        'Report this as a bug in tieout. The books are intact, and building them again changes nothing.',
      cause,
    })
  return new UsageError(
    'The published ledger does not contain what was requested: it was built by an earlier version of tieout.',
    {
      where: file,
      found,
      action: 'Run `tieout build` to publish the ledger again.',
      cause,
    },
  )
}

/** According to what the ledger itself records. */
export async function isOfThisProgram(reader: Reader): Promise<boolean> {
  if (reader.tables.get('about')?.includes('program') !== true) return false
  const [row] = await reader.query('select program from about').catch(() => [])
  return row?.[0] === thisProgram()
}

/** A ledger without the table comes from a version that knew only one format. */
async function mustBeKnown(file: string, reader: Reader): Promise<void> {
  if (!reader.tables.has('about')) return
  const [format, version] = (await reader.query('select format, version from about'))[0] ?? []
  if (Number(format) <= LEDGER_FORMAT) return
  throw new UsageError('The published ledger was built by a newer version of tieout.', {
    where: file,
    expected: `format ${LEDGER_FORMAT}, as tieout ${packageVersion} reads it`,
    found: `format ${String(format)}, built by tieout ${String(version)}`,
    action: 'Update tieout, then run the command again.',
  })
}

/** Every DuckDB file has these letters at its ninth byte. */
async function mustBeDatabase(dir: string, file: string): Promise<void> {
  const head = Buffer.alloc(12)
  try {
    const stats = await stat(file)
    // Opening a pipe without a writer would never return.
    if (!stats.isFile()) throw isNoFile(basename(file), file, stats.isDirectory())
    const handle = await open(file, 'r')
    await closing(handle, () => handle.read(head, 0, head.length, 0))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new NoLedger('There is no published ledger yet.', {
        where: dir,
        expected: 'a folder of books with ledger.duckdb',
        action: 'Run `tieout nightly` (or `tieout build`), or name another folder with --dir.',
      })
    }
    throw new UsageError('The published ledger cannot be read.', {
      where: file,
      found: systemWords(cause),
      action: 'Check the permissions of the file and its folder.',
      cause,
    })
  }
  if (head.toString('latin1', 8) !== 'DUCK') {
    throw new CorruptionError('The published ledger is not a DuckDB database.', {
      where: file,
      action: 'Run `tieout build` to build the ledger again from what has landed.',
    })
  }
}

async function readOnlyInstance(file: string, spill: string, threads: number): Promise<DuckDBInstance> {
  // The order matters: once external access is off, the folder for spilling can no longer be named.
  return await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    temp_directory: spill,
    threads: String(threads),
    ...PLANNING,
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }).catch((cause: unknown) => {
    throw new TieoutError('The published ledger cannot be opened.', {
      where: file,
      found: (cause as Error).message,
      action:
        'Close other programs that write to it; if it is damaged, run `tieout build --full` to build it again.',
      cause,
    })
  })
}

async function lock(instance: DuckDBInstance, memoryLimit: string, sealed: boolean): Promise<void> {
  const connection = await instance.connect()
  try {
    await connection.run('set memory_limit = $limit', { limit: memoryLimit }).catch((cause: unknown) => {
      throw new UsageError('The memory limit is not a valid size.', {
        expected: 'a size such as 500MB or 2GB',
        found: memoryLimit,
        action: 'Correct it.',
        cause,
      })
    })
    await connection.run("set global timezone = 'UTC'")
    // DuckDB always lets a statement write the open file, its log and the folder for spilling, whatever
    // enable_external_access is set to; what is open stays readable without the file system.
    if (sealed) await connection.run("set disabled_filesystems = 'LocalFileSystem'")
    await connection.run('set lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}
