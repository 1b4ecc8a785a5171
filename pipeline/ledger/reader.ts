// A database that only answers queries: each query has its own session, under the same limits.
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { onAbort } from '../../models/abort.ts'
import { type EngineSettings, instanceOptions } from '../engine/settings.ts'
import type { Row } from '../output/cell.ts'
import { allRows, type RowBatches } from '../output/column.ts'
import { makeSpillFolder } from '../output/spill.ts'
import { type Limits, stopError } from './limits.ts'
import { interruptUntil, type QueryResult, readRows, Session } from './session.ts'

/** Values of the `$name` parameters of a statement. */
export type Values = Readonly<Record<string, DuckDBValue>>

/** The limits of a database that only answers. */
export interface Room extends EngineSettings {
  /** Where it spills, if it may write there. */
  readonly tempDir: string
}

export interface Reader {
  /** Tables of schema main with their columns, in their order. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** Runs one statement; its rows are streamed. */
  stream(sql: string, values?: Values): Promise<QueryResult>
  /** Runs one statement and reads all of its rows. */
  query(sql: string, values?: Values): Promise<Row[]>
  /**
   * A separate connection under the limits of the reader; the caller closes it. `sql` is the statement that
   * will be run in it, if known: a ledger on a server fetches the tables that it names.
   */
  session(sql?: string): Promise<Session>
  close(): void
}

const TABLES = `
  select table_name, column_name from duckdb_columns()
  where database_name = current_database() and schema_name = 'main' and not internal
  order by table_name, column_index`

/**
 * Reads from an instance that is already set up; closing the reader ends its sessions, then runs
 * `closeInstance`.
 */
export async function readerOf(
  instance: DuckDBInstance,
  limits: Limits,
  closeInstance: () => void,
): Promise<Reader> {
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
  for (const [table, column] of await query(TABLES))
    tables.set(String(table), [...(tables.get(String(table)) ?? []), String(column)])
  return {
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

/** The reader with `explain` applied to every error, which is thrown in its place. */
export function explained(reader: Reader, explain: (cause: unknown) => Promise<unknown> | unknown): Reader {
  const refuse = async (cause: unknown): Promise<never> => {
    throw await explain(cause)
  }
  async function* rowsOf({ rows }: QueryResult): RowBatches {
    try {
      yield* rows
    } catch (cause) {
      await refuse(cause)
    }
  }
  return {
    ...reader,
    query: (sql, values) => reader.query(sql, values).catch(refuse),
    stream: async (sql, values) => {
      const result = await reader.stream(sql, values).catch(refuse)
      return { ...result, rows: rowsOf(result) }
    },
  }
}

/** Fills a database; calculations outside its statements stop when the signal aborts, by throwing. */
export type Fill = (connection: DuckDBConnection, signal?: AbortSignal) => Promise<void>

/**
 * An in-memory database, filled by `fill`, for what is computed on demand and never published. QueryStopped
 * if the signal of the limits aborts meanwhile.
 */
export async function scratchReader(limits: Limits, room: Room, fill: Fill): Promise<Reader> {
  const spill = makeSpillFolder(room.tempDir)
  const instance = await DuckDBInstance.create(':memory:', {
    ...instanceOptions(room),
    temp_directory: spill.path,
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const close = (): void => {
    instance.closeSync()
    spill.remove()
  }
  try {
    const connection = await instance.connect()
    await connection.run("set global timezone = 'UTC'")
    await filled(connection, limits, fill)
    await connection.run('set lock_configuration = true')
    connection.closeSync()
    return await readerOf(instance, limits, close)
  } catch (error) {
    close()
    throw error
  }
}

async function filled(connection: DuckDBConnection, limits: Limits, fill: Fill): Promise<void> {
  const { signal, clock } = limits
  if (signal === undefined) return await fill(connection)
  const over = new AbortController()
  const letGo = onAbort(signal, () => void interruptUntil(over.signal, connection, clock))
  try {
    await fill(connection, signal)
  } catch (cause) {
    throw signal.aborted ? stopError('asked', limits, cause) : cause
  } finally {
    letGo()
    over.abort()
  }
}
