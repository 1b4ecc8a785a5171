// What every stage of a run is handed: who asks, through what, by which clock, and where what is received goes.
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
  | { readonly kind: 'note'; readonly account: string; readonly text: string }

export interface SyncContext {
  readonly run: string
  readonly venue: Venue
  readonly venueName: string
  readonly landing: Landing
  readonly recorder: Recorder
  /** Credentials of all accounts: no word of the venue's may hold one. */
  readonly secrets: readonly string[]
  readonly owners: UidOwners
  readonly clock: Clock
  /** What the run calls now, Unix milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly config: Config
  readonly feeds: readonly Endpoint[]
  readonly since: number | undefined
  readonly progress: (event: Progress) => void
  readonly outcome: Outcome
}

/** Why an account could not be read, once for each class. */
export interface SyncFailure {
  readonly account: string
  /** Which part of the way failed where a connection did (`DNS`, `refused`, `TLS`, …), else the class of the error. */
  readonly class: string
  /** Our own sentence, without the venue's words. */
  readonly message: string
  /** All of it, for people. */
  readonly text: string
}

/** What a run comes to; the exit code follows from it. */
export interface Outcome {
  /** The venue refused a credential or this machine's address. */
  readonly refusals: string[]
  readonly failures: SyncFailure[]
  /** Something was left pending; progress is kept. */
  incomplete: boolean
  /** The configuration is wrong about an account, as an answer has shown: nothing of that account was read. */
  misconfigured: boolean
  /** Requests that were answered, over all accounts. */
  answered: number
  /** Requests given up since then, each of which was tried while nobody was answered. */
  givenUp: number
}

/** After so many requests given up while nobody was answered the venue counts as out of reach, and the rest stays pending. */
const OUT_OF_REACH_AFTER = 3

export const outOfReach = ({ outcome }: SyncContext): boolean => outcome.givenUp >= OUT_OF_REACH_AFTER

export function noteAnswer({ outcome }: SyncContext): void {
  outcome.answered += 1
  outcome.givenUp = 0
}

/** `answeredBefore`: how many were answered when the request was begun. Accounts that fail do not stop those that do not. */
export function noteGivenUp({ outcome }: SyncContext, answeredBefore: number): void {
  if (outcome.answered === answeredBefore) outcome.givenUp += 1
}

/**
 * Keeps why an account could not be read; the hundredth request that fails alike says nothing new. What is wrong with one
 * feed alone, whose name its message has, says nothing of another.
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

/** Clocks that are nearer than this tell the same time of an answer. */
const SAME_TIME_MS = 60_000

/** When an answer that has just come was given, by the venue's clock, where the machine's is far from it. */
export function answeredNow({ venue, clock }: SyncContext): { readonly answeredAt?: string } {
  const venueNow = venue.venueAt(clock.monotonic())
  if (venueNow === null || Math.abs(venueNow - clock.wall()) <= SAME_TIME_MS) return {}
  return { answeredAt: new Date(venueNow).toISOString() }
}

/** Journals our own word on a range (or a whole partition) that was not had. */
export async function state(
  context: SyncContext,
  of: { account: string; feed: string; partition: string },
  { range, ...word }: { status: CoverageStatus; code: string; reason: string; range?: Range },
): Promise<void> {
  await context.recorder.record({
    kind: 'statement',
    at: isoNow(context),
    run: context.run,
    ...of,
    ...word,
    ...(range === undefined ? {} : { range: untilNow(context, range) }),
    named: context.config.history.feeds?.includes(of.feed) ?? false,
  })
}

/**
 * The venue's now, beyond which nothing is asked for and nothing is missing; null while a single answer tells it, whose
 * `requestTime` may be wrong. Of a machine whose time the venue has refused there are two by the first that is an answer.
 */
export const surelyNow = ({ venue, clock }: Pick<SyncContext, 'venue' | 'clock'>): number | null =>
  venue.venueAt(clock.monotonic(), 2)

/** A range without what is still to come by the venue's clock: of a machine whose clock is ahead, nothing is missing there. */
function untilNow(context: SyncContext, { start, end }: Range): Range {
  return { start, end: Math.max(start, Math.min(end, surelyNow(context) ?? end)) }
}
