// What every stage of a run is given: the account, the client, the clock, and where received data goes.
import type { Endpoint } from '../../connectors/endpoint.ts'
import { ConnectionFailed } from '../../connectors/errors.ts'
import type { Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import type { TieoutError } from '../../models/error.ts'
import type { Range } from '../../models/ranges.ts'
import type { Config } from '../config/config.ts'
import type { CoverageStatus } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'
import type { UidOwners } from './owners.ts'
import type { Recorder } from './recorder.ts'

export type Progress =
  | { readonly kind: 'planned'; readonly account: string; readonly feed: string; readonly requests: number }
  | {
      readonly kind: 'page'
      readonly account: string
      readonly feed: string
      readonly rows: number
      readonly done: number
    }
  | { readonly kind: 'finished'; readonly account: string; readonly feed: string; readonly status: string }
  /** Concerns all feeds. */
  | { readonly kind: 'note'; readonly text: string }

export interface SyncContext {
  readonly run: string
  readonly venue: Venue
  readonly venueName: string
  readonly landing: Landing
  readonly recorder: Recorder
  /** Credentials of all accounts: none may be stored in anything that the venue sends. */
  readonly secrets: readonly string[]
  readonly owners: UidOwners
  readonly clock: Clock
  /** The run's current time, in Unix milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly config: Config
  readonly feeds: readonly Endpoint[]
  readonly since: number | undefined
  readonly progress: (event: Progress) => void
  readonly outcome: Outcome
}

/** Why an account could not be read, once for each class of failure. */
export interface SyncFailure {
  readonly account: string
  /** For a failed connection, the stage that failed (`DNS`, `refused`, `TLS`, …); otherwise the class of the error. */
  readonly class: string
  /** Our own sentence, without the venue's words. */
  readonly message: string
  /** The full text, for people. */
  readonly text: string
}

/** The outcome of a run; it determines the exit code. */
export interface Outcome {
  /** The venue refused a credential or this machine's address. */
  readonly refusals: string[]
  readonly failures: SyncFailure[]
  /** Something was left pending; progress is kept. */
  incomplete: boolean
  /** An answer showed that the configuration is wrong about an account: nothing of that account was read. */
  misconfigured: boolean
  /** Requests that were answered, over all accounts. */
  answered: number
  /** Requests given up since then, each of which was tried while nothing was being answered. */
  givenUp: number
}

/**
 * After this many requests given up while nothing was answered, the venue is considered unreachable, and the rest stays
 * pending.
 */
const OUT_OF_REACH_AFTER = 3

export const outOfReach = ({ outcome }: SyncContext): boolean => outcome.givenUp >= OUT_OF_REACH_AFTER

export function noteAnswer({ outcome }: SyncContext): void {
  outcome.answered += 1
  outcome.givenUp = 0
}

/**
 * `answeredBefore`: how many requests had been answered when this one was begun. Failing accounts do not stop the
 * others.
 */
export function noteGivenUp({ outcome }: SyncContext, answeredBefore: number): void {
  if (outcome.answered === answeredBefore) outcome.givenUp += 1
}

/**
 * Records why an account could not be read; the hundredth request that fails the same way adds nothing new. A failure
 * that concerns only one feed, and names it in its message, is kept separately for each feed.
 */
export function noteFailure(
  { outcome }: SyncContext,
  account: string,
  error: TieoutError,
  ofFeedAlone = false,
): void {
  const name = error instanceof ConnectionFailed ? error.connection : error.name
  const isKnown = outcome.failures.some(
    (one) => one.account === account && one.class === name && (!ofFeedAlone || one.message === error.message),
  )
  if (isKnown) return
  outcome.failures.push({ account, class: name, message: error.message, text: error.describe() })
}

export const isoNow = (context: SyncContext): string => new Date(context.clock.wall()).toISOString()

/** If the two clocks differ by less than this, they agree on the time of an answer. */
const SAME_TIME_MS = 60_000

/** When an answer that has just arrived was given, by the venue's clock, if the machine's clock is far from it. */
export function answeredNow({ venue, clock }: SyncContext): { readonly answeredAt?: string } {
  const venueNow = venue.venueAt(clock.monotonic())
  if (venueNow === null || Math.abs(venueNow - clock.wall()) <= SAME_TIME_MS) return {}
  return { answeredAt: new Date(venueNow).toISOString() }
}

/**
 * Journals our own statement about a range (or a whole partition) that was not fetched. Of a range that is still in the
 * future by the venue's clock, nothing is missing.
 */
export async function state(
  context: SyncContext,
  of: { account: string; feed: string; partition: string },
  { range, ...word }: { status: CoverageStatus; code: string; reason: string; range?: Range },
): Promise<void> {
  const reached = range === undefined ? undefined : untilNow(context, range)
  if (reached === null) return
  await context.recorder.record({
    kind: 'statement',
    at: isoNow(context),
    run: context.run,
    ...of,
    ...word,
    ...(reached === undefined ? {} : { range: reached }),
    named: context.config.history.feeds?.includes(of.feed) ?? false,
  })
}

/**
 * The venue's current time, beyond which nothing is requested and nothing is missing. Null while it is known from only
 * one answer, whose `requestTime` may be wrong. If the venue has refused this machine's time, the first successful
 * answer is the second.
 */
export const surelyNow = ({ venue, clock }: Pick<SyncContext, 'venue' | 'clock'>): number | null =>
  venue.venueAt(clock.monotonic(), 2)

/**
 * A range without the part that is still in the future by the venue's clock, as where the machine's clock is ahead; null
 * for one that is there entirely.
 */
function untilNow(context: SyncContext, { start, end }: Range): Range | null {
  const now = surelyNow(context) ?? end
  return start > now ? null : { start, end: Math.min(end, now) }
}
