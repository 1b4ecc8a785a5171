// Walks one partition of a feed page by page, and each page is recorded before the next is requested. What a failure means
// for the walk is decided in decision.ts and carried out here.
import type { Endpoint } from '../../connectors/endpoint.ts'
import { EndlessCursor, Stopped, VenueError } from '../../connectors/errors.ts'
import { MOST_BESIDE, watchPages, windowIgnored } from '../../connectors/pages.ts'
import type { FailedBefore } from '../../connectors/retry.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { openRanges } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import { noteFailure, noteGivenUp, outOfReach, type SyncContext } from './context.ts'
import { decide, mayBeOutage, reachesNow } from './decision.ts'
import { type FeedEnd, of, recordRefusal, stateFailure } from './failure.ts'
import { type Asking, fetchPage, isForgotten, isWalk } from './page.ts'
import { Queue, type Skips } from './passed-over.ts'
import type { PartitionPlan } from './plan.ts'

/** A feed of an account, as a run reads it. */
export interface FeedRun {
  readonly context: SyncContext
  readonly account: string
  readonly client: AccountClient
  readonly endpoint: Endpoint
  readonly skips: Skips
}

/**
 * How far a partition was walked: to its end, though windows of it may have been skipped, or to where its feed stops.
 */
export type Walked =
  | { readonly end: FeedEnd; readonly isStopped: false }
  | { readonly end: Exclude<FeedEnd, 'done'>; readonly isStopped: true }

/** The next request of a range, null at its end, or the end of the partition. */
type Next = Asking | Walked | null

/** One range as it is walked: where that began, and whether the last page had as many rows as were requested. */
interface Course {
  readonly first: Asking
  readonly watch: ReturnType<typeof watchPages>
  followsFull: boolean
}

/** What is stated about a failure. */
type About = Parameters<typeof stateFailure>[6]

/** A part too small for halves that was refused for its times. */
interface RefusedHour {
  readonly gone: About['gone']
  readonly error: unknown
  readonly isNewest: boolean
}

/** What a walk has not proven yet; a list without a time range has no range to name. */
const notHad = (asking: Asking): readonly (Range | undefined)[] =>
  isWalk(asking) ? openRanges(asking) : [undefined]

export class PartitionWalk {
  readonly #feed: FeedRun
  readonly #plan: PartitionPlan
  readonly #queue: Queue
  #pages = 0
  #besideInARow = 0
  #isAnswered = false
  /** Refused in a row, with nothing but such refusals between them: what follows shows what they mean. */
  #hours: RefusedHour[] = []
  #hasFailed = false

  /** It requests these ranges one after the other, then `last`: those that an earlier run skipped. */
  constructor(feed: FeedRun, plan: PartitionPlan, walks: readonly Asking[], last: readonly Asking[] = []) {
    this.#feed = feed
    this.#plan = plan
    this.#queue = new Queue(feed.endpoint, feed.skips, walks, last, feed.context.now())
  }

  async toItsEnd(): Promise<Walked> {
    const { context, endpoint, skips } = this.#feed
    for (let first = this.#queue.next(); first !== undefined; first = this.#queue.next()) {
      const course: Course = { first, watch: watchPages(endpoint), followsFull: false }
      let next: Asking | null = first
      while (next !== null) {
        const { answered } = context.outcome
        const asked: Asking = next
        const step: Next = await this.#read(course, asked).catch((error) =>
          this.#carryOn(course, asked, error, answered),
        )
        if (step !== null && 'end' in step) return step
        next = step
      }
    }
    await this.#stateHours(false)
    if (this.#hasFailed) return { end: 'failed', isStopped: !skips.hasHad }
    return this.#queue.hasLeft ? pending(context) : { end: 'done', isStopped: false }
  }

  /** Reads one page, and returns what follows it. */
  async #read(course: Course, asked: Asking): Promise<Asking | null> {
    const { context, account, client, endpoint, skips } = this.#feed
    if (context.signal.aborted || outOfReach(context)) throw new Stopped(endpoint.name)
    const byCursor = asked.cursor !== null
    const isPart = this.#queue.isPart(course.first)
    const isInVain = byCursor && (isPart || skips.onlyFirstPages)
    const failedBefore: FailedBefore | null = isInVain ? 'cursor' : isPart ? 'window' : null
    const { partition } = this.#plan
    const page = await fetchPage(context, account, client, endpoint, partition, asked, failedBefore)
    this.#pages += 1
    context.progress({ kind: 'page', account, feed: endpoint.name, rows: page.rows, done: this.#pages })
    course.followsFull = page.isFull
    this.#besideInARow = page.isBeside ? this.#besideInARow + 1 : 0
    if (this.#besideInARow >= MOST_BESIDE) throw windowIgnored(endpoint)
    course.watch(asked.cursor, page.rows, page.mark)
    skips.had(byCursor)
    this.#isAnswered = true
    await this.#stateHours(true)
    return page.next
  }

  /** Carries out what a failure means; `answered`: how many requests had been answered when this one was begun. */
  async #carryOn(course: Course, asked: Asking, error: unknown, answered: number): Promise<Next> {
    const { context, account, endpoint, skips } = this.#feed
    const [plan, queue] = [this.#plan, this.#queue]
    const byCursor = asked.cursor !== null
    const isKept = byCursor && asked === course.first
    if (mayBeOutage(error) && !isKept) skips.unanswered()
    // Nor does a refusal behind a refused part of the present show that anything has expired.
    const isNewest = this.#hours[0]?.isNewest ?? reachesNow(plan, asked, queue.isAgain(course.first))
    const about = { isNewest, isForgotten: isWalk(asked) && isForgotten(context, endpoint, asked.window) }
    const decision = decide({
      ...{ endpoint, plan, asked, error, isKept, ...about },
      hours: this.#hours.length,
      isAnswered: this.#isAnswered,
      hasHad: skips.hasHad,
      mayBeSkipped: queue.maySkip(queue.sizeOf(course.first)),
      partMayBeSkipped: queue.maySkip('part'),
      othersMayGoOn: skips.goesOn,
    })
    const isLeft = decision.kind === 'give up' && !decision.goesOn
    if (mayBeOutage(error) && !isLeft) noteGivenUp(context, answered)
    switch (decision.kind) {
      case 'begin anew':
        if (error instanceof VenueError) await recordRefusal(context, of(account, endpoint, plan), error)
        skips.hadNoneByCursor()
        return decision.next
      case 'divide':
        if (!decision.isBeyond && error instanceof VenueError) noteFailure(context, account, error, true)
        return decision.next
      case 'look behind':
        queue.skipped('part')
        this.#hours.push({ gone: decision.gone, error, isNewest })
        return decision.next
      case 'skip': {
        await this.#stateHours(true)
        await this.#state(error, null, { gone: decision.gone, all: decision.gone, ...about })
        if (byCursor) skips.hadNoneByCursor()
        const left = { walk: decision.window, hides: byCursor && course.followsFull }
        queue.passOver(course.first, left, !(error instanceof EndlessCursor), decision.next)
        return null
      }
      case 'give up': {
        if (!decision.isOfTimes) await this.#stateHours(true)
        const refused = this.#hours.splice(0).flatMap(({ gone }) => gone)
        const end = await this.#state(error, isLeft ? answered : null, {
          gone: [...refused, ...decision.gone],
          all: [...refused, ...[asked, ...queue.rest].flatMap(notHad)],
          ...about,
        })
        if (end === 'done') return decision.next
        return isLeft ? { end, isStopped: decision.isStopped } : pending(context)
      }
    }
  }

  /** They are not beyond the venue's reach if anything behind them was answered. */
  async #stateHours(isWithinReach: boolean): Promise<void> {
    for (const { gone, error, isNewest } of this.#hours.splice(0)) {
      const about = { gone, all: gone, isNewest: isWithinReach || isNewest, isForgotten: false }
      const end = await this.#state(error, this.#feed.context.outcome.answered, about)
      this.#hasFailed ||= end !== 'done'
    }
  }

  #state(error: unknown, answered: number | null, about: About): Promise<FeedEnd> {
    const { context, account, endpoint } = this.#feed
    return stateFailure(context, account, endpoint, this.#plan, error, answered, about)
  }
}

/** Something of the partition is left, and the feed continues with the others. */
function pending({ outcome }: SyncContext): Walked {
  outcome.incomplete = true
  return { end: 'pending', isStopped: false }
}
