// A question in the user's own SQL to the published ledger, and the interface of what answers it.
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { EngineSettings } from '../engine/settings.ts'
import type { Pieces } from '../output/deliver.ts'

export const QUERY_FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof QUERY_FORMATS)[number]

/** Everything that an answer depends on, in a form that can be sent to another process. */
export interface Question {
  readonly dir: string
  readonly query: string
  readonly format: QueryFormat
  /** Columns of the terminal; absent if the answer does not go to one. */
  readonly width?: number
  readonly engine: EngineSettings
  readonly timeoutMs: number
}

export interface Stopping {
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** Delivers the answer piece by piece; throws if the question is refused or fails before its last row. */
export type Answer = (
  question: Question,
  stopping: Stopping,
  deliver: (pieces: Pieces) => Promise<void>,
) => Promise<void>

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** UsageError for a query that contains only whitespace and comments. */
export function mustAsk(query: string, expected: string): void {
  if (!/^[\s;]*$/.test(query.replace(COMMENTS, ''))) return
  throw new UsageError('The query is empty.', {
    expected,
    action: 'For example: `tieout sql "select * from balances"`.',
  })
}
