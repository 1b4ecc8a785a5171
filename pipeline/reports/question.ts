// A question to the published ledger in the user's own SQL, and who answers it.
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { EngineSettings } from '../engine/settings.ts'
import type { Pieces } from '../output/deliver.ts'

export const QUERY_FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof QUERY_FORMATS)[number]

/** All that an answer depends on, as it also crosses from one process to another. */
export interface Question {
  readonly dir: string
  readonly query: string
  readonly format: QueryFormat
  /** Columns of the terminal; absent when the answer does not go to one. */
  readonly width?: number
  readonly engine: EngineSettings
  readonly timeoutMs: number
}

export interface Stopping {
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** Hands the answer over piece by piece; an error when the question is refused, or fails before its last row. */
export type Answer = (
  question: Question,
  stopping: Stopping,
  deliver: (pieces: Pieces) => Promise<void>,
) => Promise<void>

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** UsageError for a query that holds nothing but spaces and comments. */
export function mustAsk(query: string, expected: string): void {
  if (!/^[\s;]*$/.test(query.replace(COMMENTS, ''))) return
  throw new UsageError('The query is empty.', {
    expected,
    action: 'For example: tieout sql "select * from balances"',
  })
}
