// What a failure means for a feed: which ranges were not had and why, and whether the feed goes on.
// The class of the error decides; nothing matches its text.
import type { Endpoint } from '../../connectors/endpoint.ts'
import {
  ClockRefused,
  isNothingKnown,
  isOfItsCursor,
  isOwnFailure,
  NotApplicable,
  PermissionRefused,
  RepeatedCursor,
  Stopped,
  TimeRangeRefused,
  VenueError,
} from '../../connectors/errors.ts'
import type { Range } from '../../models/ranges.ts'
import { isoNow, noteFailure, noteGivenUp, type SyncContext, state } from './context.ts'
import { TOO_OLD, WindowGone } from './page.ts'
import type { PartitionPlan } from './plan.ts'

/** Why a feed of this account stops; the other feeds go on. */
export type FeedEnd = 'done' | 'pending' | 'failed' | 'not_applicable' | 'refused'

/** The place that a statement is about. */
export const of = (account: string, endpoint: Endpoint, plan: PartitionPlan) => ({
  account,
  feed: endpoint.name,
  partition: plan.partition.label,
})

/** Keeps the venue's own words, on which a statement of ours follows. */
export async function recordRefusal(
  context: SyncContext,
  place: ReturnType<typeof of>,
  error: VenueError,
): Promise<void> {
  if (error.body === null) return
  await context.recorder.record(
    {
      kind: 'refusal',
      at: isoNow(context),
      run: context.run,
      ...place,
      request: error.request,
      status: error.status ?? 0,
      code: error.code,
    },
    error.body,
  )
}

/** Says of everything that a partition still needs why it was not had. */
export async function stateRest(
  context: SyncContext,
  account: string,
  endpoint: Endpoint,
  plan: PartitionPlan,
  end: Exclude<FeedEnd, 'done'>,
): Promise<void> {
  const status = end === 'refused' ? 'failed' : end
  const word = {
    status,
    code: 'not asked',
    reason: `the feed stopped before this partition (${end})`,
  } as const
  if (end !== 'not_applicable')
    for (const range of plan.lost) await state(context, of(account, endpoint, plan), { ...TOO_OLD, range })
  const wholeFeed = status === 'not_applicable' || endpoint.window === null
  const ranges = wholeFeed ? [undefined] : [...plan.needs, ...plan.resume.map((begun) => begun.window)]
  for (const range of ranges) {
    await state(context, of(account, endpoint, plan), range === undefined ? word : { ...word, range })
  }
}

/** Turns what went wrong into statements about everything that was not had, and says how the feed ends. */
export async function stateFailure(
  context: SyncContext,
  account: string,
  endpoint: Endpoint,
  plan: PartitionPlan,
  error: unknown,
  /** How many requests had been answered when this one was begun; null where the feed goes on all the same. */
  answeredBefore: number | null,
  /**
   * What cannot be had when only the range that was asked for is refused, and all that the partition still needs; whether that
   * range reaches up to now, or by the venue's own clock lies before all that it remembers.
   */
  ranges: {
    readonly gone: readonly (Range | undefined)[]
    readonly all: readonly (Range | undefined)[]
    readonly isNewest: boolean
    readonly isForgotten: boolean
  },
): Promise<FeedEnd> {
  const verdict = judge(context, account, endpoint, error, answeredBefore, ranges)
  if (verdict === null) throw error
  if (error instanceof VenueError) await recordRefusal(context, of(account, endpoint, plan), error)
  // What is lost or does not apply ends nothing: the walk goes on with what is newer.
  const stated = verdict.end === 'done' ? ranges.gone : ranges.all
  const about = verdict.word.status === 'not_applicable' ? [undefined] : stated
  for (const range of about) {
    await state(context, of(account, endpoint, plan), {
      ...verdict.word,
      ...(range === undefined ? {} : { range }),
    })
  }
  return verdict.end
}

/**
 * Whether the venue remembers less than was asked for: how far this feed reaches back is not documented, so the refusal is
 * the answer. Nothing has forgotten the present, though: where that is refused, it is the span that is too long.
 */
export const isBeyondReach = (endpoint: Endpoint, error: unknown, isNewest: boolean): boolean =>
  error instanceof TimeRangeRefused && endpoint.window?.retentionMs === null && !isNewest

/**
 * Whether the failure need say nothing of what lies outside of the window: the venue answered by nothing known, or by pages that go
 * round in a circle. What is older can be had all the same, and is forgotten meanwhile.
 */
export const isOfItsWindow = (error: unknown): boolean =>
  error instanceof RepeatedCursor || isNothingKnown(error)

/**
 * Whether the window may be passed over. Where pages of the feed have come, so may one that the venue answers, try after try, by
 * saying that it cannot now: it may say so every night, and of an outage the next requests tell (`noteGivenUp`). So may one
 * whose first page came and whose cursor leads to nothing, whatever that is.
 */
export const mayBePassedOver = (error: unknown, hasHad: boolean, hasCursor: boolean): boolean =>
  isOfItsWindow(error) || (hasHad && (isOwnFailure(error) || (hasCursor && isOfItsCursor(error))))

interface Verdict {
  readonly end: FeedEnd
  readonly word: {
    readonly status: 'lost' | 'failed' | 'pending' | 'not_applicable'
    readonly code: string
    readonly reason: string
  }
}

/** What an error means for the feed; null for an error that is not the venue's and must surface. */
function judge(
  context: SyncContext,
  account: string,
  endpoint: Endpoint,
  error: unknown,
  answeredBefore: number | null,
  { isNewest, isForgotten }: { readonly isNewest: boolean; readonly isForgotten: boolean },
): Verdict | null {
  if (error instanceof Stopped || context.signal.aborted) {
    context.outcome.incomplete = true
    return verdict('pending', 'pending', 'stopped', 'the run was stopped or the venue is out of reach')
  }
  // Asked for by a machine whose clock is behind, and refused: the venue's answer is what its clock says too.
  if (error instanceof WindowGone || (error instanceof TimeRangeRefused && isForgotten))
    return { end: 'done', word: TOO_OLD }
  if (!(error instanceof VenueError)) return null
  const word = (status: Verdict['word']['status']) => ({ status, code: error.code, reason: error.message })
  // A product line that the account has not opened says nothing of the others: the feed goes on with them.
  if (error instanceof NotApplicable)
    return { end: error.concerns === 'partition' ? 'done' : 'not_applicable', word: word('not_applicable') }
  if (isBeyondReach(endpoint, error, isNewest)) return { end: 'done', word: word('lost') }
  // What a key may not read is a break of the books that names the permission; the run has read all that it could.
  if (error instanceof PermissionRefused) return { end: 'failed', word: word('failed') }
  if (error.exitCode === 4) {
    context.outcome.refusals.push(error.describe())
    noteFailure(context, account, error)
    return { end: 'refused', word: word('failed') }
  }
  // Asked again the same would be refused again, so nobody waits for it; but what was not had makes no run a good one. A
  // clock that was refused twice is no word on the feed: what was asked for can be had once it is right.
  if (!error.retryable && !(error instanceof ClockRefused)) {
    if (answeredBefore !== null) context.outcome.incomplete = true
    noteFailure(context, account, error, true)
    return { end: 'failed', word: word('failed') }
  }
  // What is passed over may come in halves.
  if (answeredBefore !== null) {
    context.outcome.incomplete = true
    noteGivenUp(context, answeredBefore)
  }
  noteFailure(context, account, error, isOfItsWindow(error))
  return { end: 'pending', word: word('pending') }
}

const verdict = (end: FeedEnd, status: Verdict['word']['status'], code: string, reason: string): Verdict => ({
  end,
  word: { status, code, reason },
})
