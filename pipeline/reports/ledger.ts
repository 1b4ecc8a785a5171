// The published ledger as its readers see it: one file, opened read-only in an instance of its own, locked against
// files, network, extensions and settings. A publication renames a new file over it; a reader keeps the one it opened.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { type Clock, systemClock } from '../../models/clock.ts'
import { CorruptionError, TieoutError, UsageError } from '../../models/error.ts'
import { allRows } from '../output/column.ts'
import { makeSpillFolder } from '../output/spill.ts'
import type { Row } from '../output/value.ts'
import { type Limits, type QueryResult, readRows, Session } from './session.ts'

/** There are no published books in the folder yet. */
export class NoLedger extends UsageError {}

export interface LedgerOptions {
  /** As DuckDB writes it, 1GB by default. */
  readonly memoryLimit?: string
  /** Longest time for one query until its last row; 10 minutes by default. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  /** Stops the query that is running. */
  readonly signal?: AbortSignal
}

/** Values of the `$name` places of a statement. */
export type Values = Readonly<Record<string, DuckDBValue>>

export interface Ledger {
  readonly file: string
  /** Tables of schema main with their columns, in their order. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** Runs one statement; its rows come as they are read. */
  stream(sql: string, values?: Values): Promise<QueryResult>
  /** Runs one statement and reads all of its rows. */
  query(sql: string, values?: Values): Promise<Row[]>
  /** A connection of its own under the limits of the ledger; its user ends it. */
  session(): Promise<Session>
  close(): void
}

export const DEFAULT_MEMORY_LIMIT = '1GB'
const DEFAULT_TIMEOUT_MS = 600_000

/**
 * Opens the published ledger of the books in `dir`.
 * NoLedger when none is published, UsageError when it may not be read, CorruptionError when it is no database.
 */
export async function openLedger(dir: string, options: LedgerOptions = {}): Promise<Ledger> {
  const file = join(dir, 'ledger.duckdb')
  await mustBeDatabase(dir, file)
  const spill = makeSpillFolder()
  const close = (instance: DuckDBInstance | null): void => {
    instance?.closeSync()
    spill.remove()
  }
  let instance: DuckDBInstance | null = null
  try {
    instance = await readOnlyInstance(file, spill.path)
    await lock(instance, options.memoryLimit ?? DEFAULT_MEMORY_LIMIT)
    const limits: Limits = {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      clock: options.clock ?? systemClock,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }
    return await readerOf(file, instance, limits, () => close(instance))
  } catch (error) {
    close(instance)
    throw error
  }
}

/** Every DuckDB file bears these letters at its ninth byte. */
async function mustBeDatabase(dir: string, file: string): Promise<void> {
  const head = Buffer.alloc(12)
  try {
    const handle = await open(file, 'r')
    await handle.read(head, 0, head.length, 0).finally(() => handle.close())
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new NoLedger('There is no published ledger yet.', {
        where: dir,
        expected: 'a folder of books with ledger.duckdb',
        action: 'Run `tieout nightly` first (or `tieout build`), or name another folder with --dir.',
      })
    }
    throw new UsageError('The published ledger cannot be read.', {
      where: file,
      found: (cause as NodeJS.ErrnoException).code ?? String(cause),
      action: 'Check the permissions of the file and its folder.',
      cause,
    })
  }
  if (head.toString('latin1', 8) !== 'DUCK') {
    throw new CorruptionError('The published ledger is not a DuckDB database.', {
      where: file,
      action: 'Run `tieout build`: the ledger is made again from what has landed.',
    })
  }
}

async function readOnlyInstance(file: string, spill: string): Promise<DuckDBInstance> {
  // The order counts: once external access is off, the folder for spilling can no longer be named.
  return await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    temp_directory: spill,
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }).catch((cause: unknown) => {
    throw new TieoutError('The published ledger cannot be opened.', {
      where: file,
      found: (cause as Error).message,
      action: 'Close other programs that write to it; if it is damaged, `tieout build` makes it again.',
      cause,
    })
  })
}

async function lock(instance: DuckDBInstance, memoryLimit: string): Promise<void> {
  const connection = await instance.connect()
  try {
    await connection.run('set memory_limit = $limit', { limit: memoryLimit }).catch((cause: unknown) => {
      throw new UsageError('The memory limit is not understood.', {
        expected: 'a size such as 500MB or 2GB',
        found: memoryLimit,
        action: 'Correct it.',
        cause,
      })
    })
    await connection.run("set global timezone = 'UTC'")
    await connection.run('set lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}

async function readerOf(
  file: string,
  instance: DuckDBInstance,
  limits: Limits,
  closeInstance: () => void,
): Promise<Ledger> {
  const sessions = new Set<Session>()
  const session = async (): Promise<Session> => {
    const begun = await Session.begin(instance, limits, (ended) => sessions.delete(ended))
    sessions.add(begun)
    return begun
  }
  const stream = async (sql: string, values: Values = {}): Promise<QueryResult> => {
    const own = await session()
    try {
      const statement = await own.run(() => own.connection.prepare(sql))
      statement.bind({ ...values })
      return readRows(await own.start(statement))
    } catch (error) {
      own.end()
      throw error
    }
  }
  const query = async (sql: string, values: Values = {}): Promise<Row[]> =>
    await allRows((await stream(sql, values)).rows)
  const tables = new Map<string, string[]>()
  for (const [table, column] of await query(
    "select table_name, column_name from duckdb_columns() where schema_name = 'main' and not internal order by table_name, column_index",
  ))
    tables.set(String(table), [...(tables.get(String(table)) ?? []), String(column)])
  return {
    file,
    tables,
    stream,
    query,
    session,
    close: () => {
      for (const each of sessions) each.end()
      closeInstance()
    },
  }
}
