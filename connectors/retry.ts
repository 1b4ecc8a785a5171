// When a request is retried: at most five tries within 30 s, with exponential pauses and full jitter, so that many
// clients do not come back together. Source: contract, Time; venue-facts, Failures.
import {
  ClockRefused,
  isNothingKnown,
  isOfItsCursor,
  isUnanswered,
  MalformedAnswer,
  RateRefused,
  UnknownRefusal,
  type VenueError,
} from './errors.ts'

export const TRIES_MAX = 5
export const RETRY_WITHIN_MS = 30_000

/** A request refused with an unknown code seldom succeeds when repeated. */
const UNKNOWN_TRIES_MAX = 3
const FIRST_PAUSE_MAX_MS = 2_000
const PAUSE_MAX_MS = 8_000

/**
 * What has already failed this way, try after try, so that more tries would show nothing new: the window of which this
 * is a part, or the pages that should have followed first ones.
 */
export type FailedBefore = 'window' | 'cursor'

export interface Attempt {
  readonly error: VenueError
  /** Tries made so far, including this one. */
  readonly tries: number
  /** Since the first sending, by the monotonic clock. */
  readonly elapsedMs: number
  /** The request changes something at the venue: it is sent again only if it was certainly not carried out. */
  readonly writes: boolean
  readonly failedBefore?: FailedBefore | null
  /** The clock has already been refused in this request. */
  readonly clockWasRefused: boolean
  readonly random: () => number
}

/** Milliseconds to wait before the next try; null to give up. */
export function pauseBeforeRetry(attempt: Attempt): number | null {
  const { error, tries, elapsedMs, writes, failedBefore = null, clockWasRefused, random } = attempt
  if (tries >= TRIES_MAX) return null
  if (error instanceof ClockRefused) return clockWasRefused ? null : 0
  if (!error.retryable || (writes && !(error instanceof RateRefused))) return null
  if (error instanceof UnknownRefusal && tries >= UNKNOWN_TRIES_MAX) return null
  // An answer that was damaged on its way is another matter.
  const isOfTheWindow = isNothingKnown(error) || (isUnanswered(error) && !(error instanceof MalformedAnswer))
  if (failedBefore !== null && isOfTheWindow) return null
  if (failedBefore === 'cursor' && isOfItsCursor(error)) return null
  const jitter = random() * Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MAX_MS * 2 ** (tries - 1))
  const pause = Math.max(jitter, error.retryAfterMs ?? 0)
  return elapsedMs + pause > RETRY_WITHIN_MS ? null : pause
}

/**
 * Milliseconds that a Retry-After header asks for, given as seconds or as a date; null if it is unreadable. A date is
 * measured from the answer's own Date header if it has one, so that our clocks do not matter.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  wallNow: number,
): number | null {
  const value = [headers['retry-after']].flat()[0]?.trim()
  if (value === undefined || value === '') return null
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const until = Date.parse(value)
  const from = Date.parse([headers.date].flat()[0] ?? '')
  return Number.isNaN(until) ? null : Math.max(0, until - (Number.isNaN(from) ? wallNow : from))
}
