// One connection for one query, under a time limit that runs until the last row has been read.
// What stops a query is known from who stopped it, never from the text of an error.
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { Column, RowBatches } from '../output/column.ts'
import { cellKind, readValue } from '../output/value.ts'

/** A query was stopped because its time was over or the user asked for it. */
export class QueryStopped extends UsageError {}

export interface Limits {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
}

export interface QueryResult {
  readonly columns: readonly Column[]
  readonly rows: RowBatches
}

export class Session {
  readonly connection: DuckDBConnection
  private readonly limits: Limits
  private readonly onEnd: (session: Session) => void
  private readonly over = new AbortController()
  private readonly stop = (): void => this.interrupt('asked')
  private stopped: 'time' | 'asked' | null = null

  constructor(connection: DuckDBConnection, limits: Limits, onEnd: (session: Session) => void) {
    this.connection = connection
    this.limits = limits
    this.onEnd = onEnd
    limits.signal?.addEventListener('abort', this.stop, { once: true })
    if (limits.signal?.aborted === true) this.stop()
    void limits.clock.sleep(limits.timeoutMs, this.over.signal).then(() => this.interrupt('time'))
  }

  private interrupt(why: 'time' | 'asked'): void {
    if (this.over.signal.aborted) return
    this.stopped ??= why
    this.connection.interrupt()
  }

  /** Runs one step on the connection; QueryStopped when the limits ended it. */
  async run<T>(step: () => Promise<T>): Promise<T> {
    try {
      if (this.stopped !== null) throw this.stopError()
      const value = await step()
      // What was buffered before the interruption would still come as if nothing had happened.
      if (this.stopped !== null) throw this.stopError()
      return value
    } catch (error) {
      if (this.stopped === null || error instanceof QueryStopped) throw error
      throw this.stopError(error)
    }
  }

  private stopError(cause?: unknown): QueryStopped {
    if (this.stopped === 'asked') {
      return new QueryStopped('The query was stopped.', { action: 'Run it again.', cause })
    }
    return new QueryStopped('The query took too long and was stopped.', {
      expected: `an answer within ${this.limits.timeoutMs / 1000} s`,
      action: 'Ask for less, one account or a shorter period, or allow more time.',
      cause,
    })
  }

  /** The rows of a result as they arrive; the session ends with the last one, or when its reader leaves. */
  read(result: DuckDBResult): QueryResult {
    const names = result.deduplicatedColumnNames()
    const columns = names.map((name, index) => ({ name, kind: cellKind(result.columnType(index)) }))
    return { columns, rows: this.batches(result) }
  }

  private async *batches(result: DuckDBResult): RowBatches {
    try {
      for (;;) {
        const chunk = await this.run(() => result.fetchChunk())
        if (chunk === null || chunk.rowCount === 0) return
        yield chunk.convertRows(readValue)
      }
    } finally {
      this.end()
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
