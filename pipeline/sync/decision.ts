// What a failed request means for the walk of its partition. It only decides; partition.ts carries it out.
import type { Endpoint } from '../../connectors/endpoint.ts'
import {
  isOfItsCursor,
  isUnanswered,
  ParameterRefused,
  PermissionRefused,
  TimeRangeRefused,
} from '../../connectors/errors.ts'
import { beginWalk } from '../../connectors/walk.ts'
import { giveUpWindow, narrowWindow, skipWindow, type WalkState } from '../../connectors/walk-state.ts'
import { difference, type Range } from '../../models/ranges.ts'
import { isBeyondReach, isOfItsWindow } from './failure.ts'
import { type Asking, isWalk } from './page.ts'
import type { PartitionPlan } from './plan.ts'

/** A failed request, and all that its meaning depends on. */
export interface Failed {
  readonly endpoint: Endpoint
  readonly plan: PartitionPlan
  readonly asked: Asking
  readonly error: unknown
  /** It was requested by the cursor that an earlier run kept of its window. */
  readonly isKept: boolean
  /** By the venue's own clock, everything requested has expired. */
  readonly isForgotten: boolean
  /** It cannot have expired. */
  readonly isNewest: boolean
  /** Parts too small for halves that were refused for their times just before it. */
  readonly hours: number
  /** Whether pages of the feed, and of this partition, have arrived. */
  readonly hasHad: boolean
  readonly isAnswered: boolean
  /** Whether one more of its size may be skipped, and one more part too small for halves. */
  readonly mayBeSkipped: boolean
  readonly partMayBeSkipped: boolean
  /** Whether other partitions may be requested if the rest of this one is left. */
  readonly othersMayGoOn: boolean
}

/** What is not fetched, and how its walk continues; null at its end. */
interface Left {
  readonly gone: readonly (Range | undefined)[]
  readonly next: WalkState | null
}

export type Decision =
  /** The kept cursor may be what fails, and would fail every night: its window starts over. */
  | { readonly kind: 'begin anew'; readonly next: WalkState }
  /** Refused for its times: it is requested in halves. `isBeyond`: this may be as far back as the venue goes. */
  | { readonly kind: 'divide'; readonly next: WalkState; readonly isBeyond: boolean }
  /** Refused for its times, and too small for halves: what is behind it will show whether anything is. */
  | ({ readonly kind: 'look behind' } & Left)
  /** The window alone cannot be fetched now: the others first, then its parts. */
  | ({ readonly kind: 'skip'; readonly window: WalkState } & Left)
  /**
   * Nor can what is older: the rest of the partition is left, unless it has expired or does not apply, where the walk
   * continues with what is newer. `isOfTimes`: the parts refused just before it share its fate; `goesOn`: the feed goes
   * on with other partitions, since this one may be fetched later; `isStopped`: if not, the feed ends with it.
   */
  | ({ readonly kind: 'give up' } & Left & {
        readonly isOfTimes: boolean
        readonly goesOn: boolean
        readonly isStopped: boolean
      })

/**
 * If this many parts too small for halves are refused for their times in a row, the venue does not serve what is behind
 * them either.
 */
const MOST_HOURS_REFUSED = 3

export function decide(failed: Failed): Decision {
  const { endpoint, plan, asked, error, isNewest, isForgotten, hasHad } = failed
  const byCursor = asked.cursor !== null
  const isBeyond = isBeyondReach(endpoint, error, isNewest)
  const isLost = isBeyond || (isForgotten && error instanceof TimeRangeRefused)
  const isAlone = !isLost && mayBePassedOver(error, hasHad, byCursor)
  const isOfTimes = isBeyond || (!isLost && !byCursor && isOfItsTimes(error, failed.isAnswered))
  const goesOn = isAlone && failed.othersMayGoOn
  const giveUp = { kind: 'give up', isOfTimes, goesOn, isStopped: !isOfItsPartition(error, hasHad) } as const
  if (!isWalk(asked)) return { ...giveUp, gone: [undefined], next: null }
  // Its first page shows whether it is an outage.
  if (failed.isKept && (isOfItsWindow(error) || isOfItsCursor(error)))
    return { kind: 'begin anew', next: beginWalk(endpoint, asked.window) }
  if (isOfTimes && !(isBeyond && isSaidLost(plan, asked))) {
    const next = narrowWindow(endpoint, asked)
    if (next !== null) return { kind: 'divide', next, isBeyond }
    if (failed.hours + 1 < MOST_HOURS_REFUSED && failed.partMayBeSkipped)
      return { kind: 'look behind', ...skipWindow(endpoint, asked) }
  }
  if (isAlone && failed.mayBeSkipped) return { kind: 'skip', window: asked, ...skipWindow(endpoint, asked) }
  return { ...giveUp, ...giveUpWindow(endpoint, asked) }
}

/** Whether a refused range has been stated as lost before: it is not searched again. */
const isSaidLost = (plan: PartitionPlan, { window }: WalkState): boolean =>
  difference([window], plan.saidLost).length === 0

/**
 * Whether a range reaches up to now, or, requested again after everything else, lies between what has been read: neither
 * can have expired.
 */
export const reachesNow = (plan: PartitionPlan, asked: Asking, isAgain: boolean): boolean =>
  isWalk(asked) && (asked.window.end === plan.needs[0]?.end || (isAgain && !isSaidLost(plan, asked)))

/**
 * Whether a failure counts towards the limit after which the venue is considered unreachable, unless other requests are
 * answered in the meantime.
 */
export const mayBeOutage = (error: unknown): boolean => isUnanswered(error) && !isOfItsWindow(error)

/**
 * Whether the window may be skipped for now. That includes a window to which no proper answer comes: it may be the same
 * every night, as where a gateway does not wait long enough for a crowded one, and if it is an outage the next requests
 * will show it (`noteGivenUp`, `Skips`). If pages of the feed have arrived, it also includes a window whose first page
 * arrived and whose cursor leads nowhere, whatever the error.
 */
const mayBePassedOver = (error: unknown, hasHad: boolean, hasCursor: boolean): boolean =>
  isOfItsWindow(error) || isUnanswered(error) || (hasHad && hasCursor && isOfItsCursor(error))

/**
 * Whether the venue refuses a first page for the times that it asks for: it says so, or it refuses a parameter of a
 * partition that has been answered with other times.
 */
const isOfItsTimes = (error: unknown, isAnswered: boolean): boolean =>
  error instanceof TimeRangeRefused || (isAnswered && error instanceof ParameterRefused)

/**
 * Whether what is refused outright is only this partition's: pages of the feed have arrived, so the request is not wrong
 * as such, and the key may read it.
 */
const isOfItsPartition = (error: unknown, hasHad: boolean): boolean =>
  hasHad &&
  (error instanceof ParameterRefused ||
    error instanceof TimeRangeRefused ||
    error instanceof PermissionRefused)
