// What every stage of a run is handed: who asks, through what, by which clock, and where what is received goes.
import type { Endpoint } from '../../connectors/endpoint.ts'
import { ConnectionFailed, type VenueError } from '../../connectors/errors.ts'
import type { Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import type { Range } from '../../models/ranges.ts'
import type { Config } from '../config/config.ts'
import type { CoverageStatus } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'
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

/** Why the venue could not be read for an account, once for each class. */
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
  /** Requests in a row that were given up, over all accounts; a success sets it back. */
  givenUp: number
}

/** After so many requests given up in a row the venue counts as out of reach, and the rest stays pending. */
const OUT_OF_REACH_AFTER = 3

export const outOfReach = (context: SyncContext): boolean => context.outcome.givenUp >= OUT_OF_REACH_AFTER

/** Keeps why an account could not be read; the hundredth request that fails alike says nothing new. */
export function noteFailure({ outcome }: SyncContext, account: string, error: VenueError): void {
  const name = error instanceof ConnectionFailed ? error.connection : error.name
  if (outcome.failures.some((one) => one.account === account && one.class === name)) return
  outcome.failures.push({ account, class: name, message: error.message, text: error.describe() })
}

export const isoNow = (context: SyncContext): string => new Date(context.clock.wall()).toISOString()

/** Journals our own word on a range (or a whole partition) that was not had. */
export async function state(
  context: SyncContext,
  of: { account: string; feed: string; partition: string },
  word: { status: CoverageStatus; code: string; reason: string; range?: Range },
): Promise<void> {
  await context.recorder.record({
    kind: 'statement',
    at: isoNow(context),
    run: context.run,
    ...of,
    ...word,
    named: context.config.history.feeds?.includes(of.feed) ?? false,
  })
}
