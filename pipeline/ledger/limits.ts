// What ends a query before its last row: its time limit, or the user.
import type { Clock } from '../../models/clock.ts'
import { type ErrorDetails, type ExitCode, UsageError } from '../../models/error.ts'

/** Longest time until the last row. */
export const DEFAULT_TIMEOUT_MS = 600_000

export interface Limits {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** What ends a query early: its time limit, or the user. */
export type Stop = 'time' | 'asked'

/**
 * A query was stopped because its time was up or the user asked for it. If the user did, the query can be run
 * again, and its exit code is that of any incomplete work; a query that takes too long has to be changed.
 */
export class QueryStopped extends UsageError {
  override readonly exitCode: ExitCode
  readonly why: Stop

  constructor(why: Stop, message: string, details: ErrorDetails) {
    super(message, details)
    this.why = why
    this.exitCode = why === 'asked' ? 5 : 2
  }
}

export function stopError(
  why: Stop,
  { timeoutMs }: Pick<Limits, 'timeoutMs'>,
  cause?: unknown,
): QueryStopped {
  if (why === 'asked')
    return new QueryStopped('asked', 'The query was stopped.', { action: 'Run it again.', cause })
  return new QueryStopped('time', 'The query took too long and was stopped.', {
    expected: `an answer within ${timeoutMs / 1000} s`,
    action: 'Query less, such as one account or a shorter period, or allow more time.',
    cause,
  })
}
