// What a failure means for a feed: which ranges were not fetched and why, and whether the feed continues. This depends
// on the class of the error; its text is never matched.
import type { Endpoint } from '../../connectors/endpoint.ts'
import {
  ClockRefused,
  isNothingKnown,
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

/** Why a feed of this account stops; the other feeds continue. */
export type FeedEnd = 'done' | 'pending' | 'failed' | 'not_applicable' | 'refused'

/** The location that a statement is about. */
export const of = (account: string, endpoint: Endpoint, plan: PartitionPlan) => ({
  account,
  feed: endpoint.name,
  partition: plan.partition.label,
})

/** Records the venue's own words, which a statement of ours then refers to. */
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

/** States for everything that a partition still needs why it was not fetched. */
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
    reason: `the feed stopped before it reached this partition (${end})`,
  } as const
  if (end !== 'not_applicable')
    for (const range of plan.lost) await state(context, of(account, endpoint, plan), { ...TOO_OLD, range })
  const wholeFeed = status === 'not_applicable' || endpoint.window === null
  const ranges = wholeFeed ? [undefined] : [...plan.needs, ...plan.resume.map((begun) => begun.window)]
  for (const range of ranges) {
    await state(context, of(account, endpoint, plan), range === undefined ? word : { ...word, range })
  }
}

/** Turns a failure into statements about everything that was not fetched, and returns how the feed ends. */
export async function stateFailure(
  context: SyncContext,
  account: string,
  endpoint: Endpoint,
  plan: PartitionPlan,
  error: unknown,
  /** How many requests had been answered when this one was begun; null if the feed continues regardless. */
  answeredBefore: number | null,
  /**
   * What is not fetched if only the requested range is refused, and everything that the partition still needs; whether
   * that range reaches up to now, or by the venue's own clock is older than everything that it still has.
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
  // A lost range or one that does not apply stops nothing: the walk continues with newer data.
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
 * Whether the venue keeps less than was asked for: this feed's retention is not documented, so the refusal is the
 * answer. A range that reaches up to now cannot have expired, though: if it is refused, the span is too long.
 */
export const isBeyondReach = (endpoint: Endpoint, error: unknown, isNewest: boolean): boolean =>
  error instanceof TimeRangeRefused && endpoint.window?.retentionMs === null && !isNewest

/**
 * Whether the failure proves nothing about data outside the window: the venue gave an unknown answer, or pages that
 * repeat in a circle. Older data can still be fetched, and expires in the meantime.
 */
export const isOfItsWindow = (error: unknown): boolean =>
  error instanceof RepeatedCursor || isNothingKnown(error)

interface Verdict {
  readonly end: FeedEnd
  readonly word: {
    readonly status: 'lost' | 'failed' | 'pending' | 'not_applicable'
    readonly code: string
    readonly reason: string
  }
}

/** What an error means for the feed; null for an error that is not the venue's and must be rethrown. */
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
    return verdict('pending', 'pending', 'stopped', 'the run was stopped or the venue cannot be reached')
  }
  // Requested by a machine whose clock is behind, and refused: the venue's clock agrees with the refusal.
  if (error instanceof WindowGone || (error instanceof TimeRangeRefused && isForgotten))
    return { end: 'done', word: TOO_OLD }
  if (!(error instanceof VenueError)) return null
  const word = (status: Verdict['word']['status']) => ({ status, code: error.code, reason: error.message })
  // A product line that the account has not opened proves nothing about the others: the feed continues with them.
  if (error instanceof NotApplicable)
    return { end: error.concerns === 'partition' ? 'done' : 'not_applicable', word: word('not_applicable') }
  if (isBeyondReach(endpoint, error, isNewest)) return { end: 'done', word: word('lost') }
  // What a key may not read is a break of the books that names the permission; the run has read everything that it
  // could.
  if (error instanceof PermissionRefused) return { end: 'failed', word: word('failed') }
  if (error.exitCode === 4) {
    context.outcome.refusals.push(error.describe())
    noteFailure(context, account, error)
    return { end: 'refused', word: word('failed') }
  }
  // A repeated request would be refused again, so waiting does not help; but a run with anything missing is not a
  // successful one. A clock refused twice proves nothing about the feed: the data can be fetched once the clock is
  // right.
  if (!error.retryable && !(error instanceof ClockRefused)) {
    if (answeredBefore !== null) context.outcome.incomplete = true
    noteFailure(context, account, error, true)
    return { end: 'failed', word: word('failed') }
  }
  // A window that was skipped may be fetched in halves later.
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
