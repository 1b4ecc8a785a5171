// Syncs one feed of one account: its partitions are planned and walked page by page, and each page is recorded before
// the next is requested. What cannot be fetched is stated with its reason, never silently skipped.

import { days, type Endpoint, type Partition } from '../../connectors/endpoint.ts'
import {
  EndlessCursor,
  isOfItsCursor,
  PassingFailure,
  Stopped,
  TimeRangeRefused,
  VenueError,
} from '../../connectors/errors.ts'
import { firstPage, MOST_BESIDE, watchPages, windowIgnored } from '../../connectors/pages.ts'
import type { FailedBefore } from '../../connectors/retry.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { beginWalk, resumeWalk } from '../../connectors/walk.ts'
import {
  giveUpWindow,
  isNarrow,
  narrowWindow,
  openRanges,
  skipWindow,
  type WalkState,
} from '../../connectors/walk-state.ts'
import { difference, type Range } from '../../models/ranges.ts'
import type { Landing } from '../landing/landing.ts'
import { noteFailure, noteGivenUp, outOfReach, type SyncContext, state, surelyNow } from './context.ts'
import {
  type FeedEnd,
  isBeyondReach,
  isOfItsPartition,
  isOfItsTimes,
  isOfItsWindow,
  mayBePassedOver,
  of,
  recordRefusal,
  stateFailure,
  stateRest,
} from './failure.ts'
import {
  type Asking,
  type Fetched,
  fetchPage,
  isForgotten,
  isWalk,
  retentionOverride,
  TOO_OLD,
} from './page.ts'
import { Queue, Skips } from './passed-over.ts'
import { type PartitionPlan, planPartition, resumed } from './plan.ts'

/** What planning asks of the landing database. */
export type Knowledge = Pick<
  Landing,
  'covered' | 'wanted' | 'unfinished' | 'oldestUnsettled' | 'oldestThatLeft'
>

/** Public data is the same for everyone, so only the first account of a run requests it. */
export const asksFor = (endpoint: Endpoint, place: number): boolean => !endpoint.public || place === 0

/**
 * `venueNow`: the time by the venue's own clock, if known; `surelyNow`: the same, once more than one answer confirms
 * it.
 */
export async function planFeedPartition(
  context: Pick<SyncContext, 'config' | 'now' | 'since'> & {
    readonly landing: Knowledge
    readonly venueNow?: number | null
    readonly surelyNow?: number | null
  },
  account: string,
  endpoint: Endpoint,
  partition: Partition,
): Promise<PartitionPlan> {
  const { landing } = context
  const retentionMs = retentionOverride(context, endpoint.name)
  const since = context.since ?? context.config.history.since
  const of = [account, endpoint.name, partition.label] as const
  const { unsettled: state, endsOf } = endpoint
  const partitions = endpoint.partitions.map(({ label }) => label)
  const [covered, wanted, unfinished, ...oldest] = await Promise.all([
    landing.covered(...of),
    landing.wanted(...of),
    landing.unfinished(...of),
    state === undefined ? null : landing.oldestUnsettled(...of, state.field, state.values),
    endsOf === undefined ? null : landing.oldestThatLeft(...of, { ...endsOf, partitions }),
  ])
  const mayChange = oldest.filter((time) => time !== null)
  const known = {
    covered,
    wanted,
    unfinished,
    oldestUnsettled: mayChange.length === 0 ? null : Math.min(...mayChange),
  }
  return planPartition(endpoint, partition, known, {
    now: context.now(),
    remembersTo: Math.min(context.now(), context.venueNow ?? Number.POSITIVE_INFINITY),
    until: context.surelyNow ?? Number.POSITIVE_INFINITY,
    ...(since === undefined ? {} : { since }),
    ...(retentionMs === undefined ? {} : { retentionMs }),
  })
}

export async function syncFeed(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
): Promise<FeedEnd> {
  // The plan reads what has landed, so everything that this run has recorded must have landed first.
  await context.recorder.flush()
  const told = {
    venueNow: context.venue.venueAt(context.clock.monotonic()),
    surelyNow: surelyNow(context),
  }
  const plans = await Promise.all(
    endpoint.partitions.map((partition) =>
      planFeedPartition({ ...context, ...told }, account, endpoint, partition),
    ),
  )
  const requests = plans.reduce((sum, plan) => sum + plan.requests, 0)
  context.progress({ kind: 'planned', account, feed: endpoint.name, requests })
  let end: FeedEnd = 'done'
  const skips = new Skips()
  for (const [index, plan] of plans.entries()) {
    for (const range of plan.lost) {
      await state(context, of(account, endpoint, plan), { ...TOO_OLD, range })
    }
    const walked = await syncPartition(context, account, client, endpoint, plan, skips)
    if (walked.end !== 'done') end = walked.end
    if (!walked.isStopped) continue
    // A failure that stopped one partition stops the remaining ones: statements are recorded for them, and they are not
    // requested.
    for (const rest of plans.slice(index + 1)) await stateRest(context, account, endpoint, rest, walked.end)
    break
  }
  context.progress({ kind: 'finished', account, feed: endpoint.name, status: end })
  return end
}

/**
 * How far a partition was walked: to its end, though windows of it may have been skipped, or to where its feed stops.
 */
type Walked =
  | { readonly end: FeedEnd; readonly isStopped: false }
  | { readonly end: Exclude<FeedEnd, 'done'>; readonly isStopped: true }

async function syncPartition(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  plan: PartitionPlan,
  skips: Skips,
): Promise<Walked> {
  const declared = endpoint.window
  if (declared === null) return walk(context, account, client, endpoint, plan, [firstPage], skips)
  const begun = plan.resume.map(({ window, cursor }) => resumeWalk(window, resumed(declared, window), cursor))
  // Small windows were skipped before and may be again, so they come last.
  const [newest, ...older] = plan.needs
  const wide = [...(newest === undefined ? [] : [newest]), ...older.filter((need) => !isNarrow(need))]
  const narrow = inTurn(older.filter(isNarrow).toReversed(), context.now())
  const walks = [...begun, ...wide.map((need) => beginWalk(endpoint, need))]
  const last = narrow.map((need) => beginWalk(endpoint, need))
  return walk(context, account, client, endpoint, plan, walks, skips, last)
}

/**
 * The oldest first, because it expires first, but each night begins three further on: of more than a night requests,
 * none is left out for ever.
 */
function inTurn(needs: readonly Range[], now: number): readonly Range[] {
  const first = needs.length === 0 ? 0 : (Math.floor(now / days(1)) * MOST_HOURS_REFUSED) % needs.length
  return [...needs.slice(first), ...needs.slice(0, first)]
}

/** What a walk has not proven yet; a list without a time range has no range to name. */
const notHad = (asking: Asking): readonly (Range | undefined)[] =>
  isWalk(asking) ? openRanges(asking) : [undefined]

/** Whether a refused range has been stated as lost before: it is not searched again. */
const isSaidLost = (plan: PartitionPlan, { window }: WalkState): boolean =>
  difference([window], plan.saidLost).length === 0

/**
 * Restarts a window that an earlier run began from its first page: the stored cursor may be what fails, and would fail
 * every night. The first page shows whether it is an outage. Null for any other failure.
 */
const begunAnew = (endpoint: Endpoint, first: Asking, asked: Asking, error: unknown): Asking | null =>
  asked === first && isWalk(asked) && asked.cursor !== null && (isOfItsWindow(error) || isOfItsCursor(error))
    ? beginWalk(endpoint, asked.window)
    : null

/**
 * Whether a failure counts towards the limit after which the venue is considered unreachable, unless other requests are
 * answered in the meantime.
 */
const mayBeOutage = (error: unknown): boolean => error instanceof PassingFailure && !isOfItsWindow(error)

/**
 * If this many parts too small for halves are refused for their times in a row, the venue does not serve what is behind
 * them either.
 */
const MOST_HOURS_REFUSED = 3

/** A part too small for halves that was refused for its times. */
interface RefusedHour {
  readonly gone: readonly Range[]
  readonly error: unknown
  readonly isNewest: boolean
}

interface GivenUp {
  readonly gone: readonly (Range | undefined)[]
  readonly next: Asking | null
}

/**
 * Walks the ranges one after the other, then `last`. A window that alone cannot be fetched is skipped and later
 * requested again in halves. One that is refused for its times is divided at once, down to the part that is refused,
 * and the walk continues behind it. Any other failure ends the partition, and statements are recorded for the rest.
 */
async function walk(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  plan: PartitionPlan,
  walks: readonly Asking[],
  skips: Skips,
  last: readonly Asking[] = [],
): Promise<Walked> {
  const queue = new Queue(endpoint, skips, walks, last)
  let done = 0
  let beside = 0
  const passedOver = { windows: 0, parts: 0 }
  let isAnswered = false
  let hasFailed = false
  let hours: readonly RefusedHour[] = []
  /** They are not beyond the venue's reach if anything behind them was answered. */
  const stateHours = async (isWithinReach: boolean): Promise<void> => {
    for (const { gone, error, isNewest } of hours) {
      const ranges = { gone, all: gone, isNewest: isWithinReach || isNewest, isForgotten: false }
      const { answered } = context.outcome
      const ended = await stateFailure(context, account, endpoint, plan, error, answered, ranges)
      hasFailed ||= ended !== 'done'
    }
    hours = []
  }
  for (let first = queue.next(); first !== undefined; first = queue.next()) {
    let next: Asking | null = first
    let followsFull = false
    const watch = watchPages(endpoint)
    while (next !== null) {
      const asked: Asking = next
      const byCursor: boolean = asked.cursor !== null
      const { answered } = context.outcome
      const isPart: boolean = queue.isPart(first)
      const kind: keyof typeof passedOver = isPart || last.includes(first) ? 'parts' : 'windows'
      const isInVain: boolean = byCursor && (isPart || skips.onlyFirstPages)
      const failedBefore: FailedBefore | null = isInVain ? 'cursor' : isPart ? 'window' : null
      try {
        if (context.signal.aborted || outOfReach(context)) throw new Stopped(endpoint.name)
        const page: Fetched = await fetchPage(
          context,
          account,
          client,
          endpoint,
          plan.partition,
          asked,
          failedBefore,
        )
        done += 1
        context.progress({ kind: 'page', account, feed: endpoint.name, rows: page.rows, done })
        next = page.next
        followsFull = page.isFull
        beside = page.isBeside ? beside + 1 : 0
        if (beside >= MOST_BESIDE) throw windowIgnored(endpoint)
        watch(asked.cursor, page.rows, page.mark)
        skips.had(byCursor)
        isAnswered = true
        await stateHours(true)
      } catch (error) {
        const anew = begunAnew(endpoint, first, asked, error)
        if (anew !== null) {
          if (error instanceof VenueError) await recordRefusal(context, of(account, endpoint, plan), error)
          if (mayBeOutage(error)) noteGivenUp(context, answered)
          skips.hadNoneByCursor()
          next = anew
          continue
        }
        // Neither the present nor an hour between what has been read can have expired, nor does a refusal behind a
        // refused part of the present show that.
        const isNewest: boolean =
          hours[0]?.isNewest ??
          (isWalk(asked) &&
            (asked.window.end === plan.needs[0]?.end || (last.includes(first) && !isSaidLost(plan, asked))))
        const isBeyond: boolean = isBeyondReach(endpoint, error, isNewest)
        const isPast: boolean = isWalk(asked) && isForgotten(context, endpoint, asked.window)
        const isLost: boolean = isBeyond || (isPast && error instanceof TimeRangeRefused)
        const isDivided: boolean = isBeyond || (!isLost && !byCursor && isOfItsTimes(error, isAnswered))
        if (isDivided && isWalk(asked) && !(isBeyond && isSaidLost(plan, asked))) {
          const part = narrowWindow(endpoint, asked)
          if (part !== null) {
            if (!isBeyond && error instanceof VenueError) noteFailure(context, account, error, true)
            next = part
            continue
          }
          passedOver.parts += 1
          if (hours.length + 1 < MOST_HOURS_REFUSED && skips.another(passedOver.parts)) {
            const { gone, next: behind } = skipWindow(endpoint, asked)
            hours = [...hours, { gone, error, isNewest }]
            next = behind
            continue
          }
        }
        const mayGoOn: boolean = !isLost && mayBePassedOver(error, skips.hasHad, byCursor)
        if (mayGoOn && mayBeOutage(error)) skips.unanswered()
        const isSkipped: boolean = mayGoOn && isWalk(asked) && skips.another(passedOver[kind])
        const left: GivenUp = isWalk(asked)
          ? (isSkipped ? skipWindow : giveUpWindow)(endpoint, asked)
          : { gone: [undefined], next: null }
        if (!isDivided) await stateHours(true)
        const refused = hours.flatMap(({ gone }) => gone)
        hours = []
        const all = isSkipped ? left.gone : [...refused, ...[asked, ...queue.rest].flatMap(notHad)]
        // Its other partitions may still be requested.
        const goesOn = mayGoOn && (isSkipped || skips.goesOn)
        if (goesOn && mayBeOutage(error)) noteGivenUp(context, answered)
        const ended = await stateFailure(context, account, endpoint, plan, error, goesOn ? null : answered, {
          gone: [...refused, ...left.gone],
          all,
          isNewest,
          isForgotten: isPast,
        })
        if (ended !== 'done') {
          if (!isSkipped && goesOn) return pending(context)
          if (!isSkipped) return { end: ended, isStopped: !isOfItsPartition(error, skips.hasHad) }
          passedOver[kind] += 1
          if (byCursor) skips.hadNoneByCursor()
          const hides = byCursor && followsFull
          if (isWalk(asked)) queue.passOver(asked, hides, !(error instanceof EndlessCursor), left.next)
        }
        next = isSkipped ? null : left.next
      }
    }
  }
  await stateHours(false)
  if (hasFailed) return { end: 'failed', isStopped: !skips.hasHad }
  return queue.hasLeft ? pending(context) : { end: 'done', isStopped: false }
}

/** Something of the partition is left, and the feed continues with the others. */
function pending({ outcome }: SyncContext): Walked {
  outcome.incomplete = true
  return { end: 'pending', isStopped: false }
}
