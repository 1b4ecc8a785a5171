// One connection for one query, under a time limit that runs until the last row has been read. What stopped a
// query is known from the one who stopped it, never from the text of an error; and a stream that failed
// half-way is distinguished from one that ended, which the client library does not do (see `ended`).
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBType,
} from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { Column, RawResult, RowBatches } from '../output/column.ts'
import { cellKind, isNameless, readValue } from '../output/value.ts'
import { type Limits, QueryStopped, type Stop, stopError } from './limits.ts'

export interface QueryResult {
  readonly columns: readonly Column[]
  readonly rows: RowBatches
}

const NUDGE_MS = 50

/**
 * A statement that has not quite begun misses an interruption, so it is repeated until the statement has
 * ended.
 */
export async function interruptUntil(
  over: AbortSignal,
  connection: Pick<DuckDBConnection, 'interrupt'>,
  clock: Clock,
): Promise<void> {
  while (!over.aborted) {
    connection.interrupt()
    await clock.sleep(NUDGE_MS, over)
  }
}

export class Session {
  readonly connection: DuckDBConnection
  private readonly limits: Limits
  private readonly onEnd: (session: Session) => void
  private readonly over = new AbortController()
  private readonly stop = (): Promise<void> => this.interrupt('asked')
  private stopped: Stop | null = null

  private constructor(connection: DuckDBConnection, limits: Limits, onEnd: (session: Session) => void) {
    this.connection = connection
    this.limits = limits
    this.onEnd = onEnd
    limits.signal?.addEventListener('abort', this.stop, { once: true })
    if (limits.signal?.aborted === true) void this.stop()
    void limits.clock.sleep(limits.timeoutMs, this.over.signal).then(() => this.interrupt('time'))
  }

  static async begin(
    instance: DuckDBInstance,
    limits: Limits,
    onEnd: (session: Session) => void,
  ): Promise<Session> {
    const connection = await instance.connect()
    await connection.run('begin transaction read only')
    return new Session(connection, limits, onEnd)
  }

  private async interrupt(why: Stop): Promise<void> {
    if (this.stopped !== null || this.over.signal.aborted) return
    this.stopped = why
    await interruptUntil(this.over.signal, this.connection, this.limits.clock)
  }

  /** Runs one step on the connection; QueryStopped if the limits ended it. */
  async run<T>(step: () => Promise<T>): Promise<T> {
    try {
      if (this.stopped !== null) throw stopError(this.stopped, this.limits)
      const value = await step()
      // Otherwise rows buffered before the interruption would still arrive as if nothing had happened.
      if (this.stopped !== null) throw stopError(this.stopped, this.limits)
      return value
    } catch (error) {
      if (this.stopped === null || error instanceof QueryStopped) throw error
      throw stopError(this.stopped, this.limits, error)
    }
  }

  /** Starts a statement; the session ends with its last row, or when its reader leaves. */
  async start(statement: DuckDBPreparedStatement): Promise<RawResult> {
    const result = await this.run(() => statement.stream())
    const [names, types] = [result.deduplicatedColumnNames(), result.columnTypes()]
    refuseNameless(names, types)
    return {
      names,
      types,
      chunks: this.chunks(() => result.fetchChunk(), statement),
    }
  }

  private async *chunks(
    next: () => Promise<DuckDBDataChunk | null>,
    statement: DuckDBPreparedStatement,
  ): AsyncIterable<DuckDBDataChunk> {
    try {
      for (;;) {
        const chunk = await this.run(next)
        if (chunk === null || chunk.rowCount === 0) break
        yield chunk
      }
      await this.run(() => this.ended(statement))
    } finally {
      this.end()
    }
  }

  /**
   * Throws if the stream failed instead of ending. The client returns an empty chunk for both and loses the
   * error; but the error aborts the transaction, which then refuses further statements. Running the statement
   * once more without streaming reproduces the error.
   */
  private async ended(statement: DuckDBPreparedStatement): Promise<void> {
    try {
      await this.connection.run('select 1')
    } catch (cause) {
      await this.connection.run('rollback')
      await statement.run()
      throw new Error('The query failed before its last row.', { cause })
    }
  }

  end(): void {
    if (this.over.signal.aborted) return
    this.over.abort()
    this.limits.signal?.removeEventListener('abort', this.stop)
    this.connection.closeSync()
    this.onEnd(this)
  }
}

/**
 * The client keeps the fields of a struct by name: of several unnamed ones only the last would silently be
 * left.
 */
function refuseNameless(names: readonly string[], types: readonly DuckDBType[]): void {
  const nameless = names.filter((_, at) => isNameless(types[at] as DuckDBType))
  if (nameless.length === 0) return
  throw new UsageError('The answer contains a struct whose parts have no names.', {
    where: nameless.join(', '),
    expected: 'a name for each part',
    found: 'parts without a name, as in `row(1, 2)`',
    action: "Name them, as in `{'a': 1, 'b': 2}`, or select each part as a column.",
  })
}

/** The rows of a result as they arrive, in batches. */
export function readRows(result: RawResult): QueryResult {
  const columns = result.names.map((name, index) => ({
    name,
    kind: cellKind(result.types[index] as DuckDBType),
  }))
  return { columns, rows: batches(result.chunks) }
}

async function* batches(chunks: AsyncIterable<DuckDBDataChunk>): RowBatches {
  for await (const chunk of chunks) yield chunk.convertRows(readValue)
}
