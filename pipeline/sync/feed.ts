// One feed of one account: its partitions are planned, walked page by page, and each page is recorded
// before the next is asked for. What cannot be had is stated with its reason, never skipped.
import type { Endpoint, Params, Partition } from '../../connectors/endpoint.ts'
import {
  NotApplicable,
  ParameterRefused,
  PermissionRefused,
  Stopped,
  TimeRangeRefused,
  VenueError,
} from '../../connectors/errors.ts'
import { redactSecrets } from '../../connectors/secrets.ts'
import type { AccountClient, Answer } from '../../connectors/venue.ts'
import {
  advance,
  beginWalk,
  extractPage,
  firstPage,
  type Place,
  resumeWalk,
  turnPage,
  type WalkState,
} from '../../connectors/walk.ts'
import type { PageMeta, Range } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'
import { type PartitionPlan, planPartition, RETENTION_GUARD_MS, retentionOf } from '../plan.ts'
import { isoNow, outOfReach, type SyncContext, state } from './context.ts'

/** Why a feed of this account stops; the other feeds go on. */
export type FeedEnd = 'done' | 'pending' | 'failed' | 'not_applicable' | 'refused'

const DAY_MS = 86_400_000

/** Days by which the configuration overrides a feed's retention, in milliseconds. */
export function retentionOverride(context: Pick<SyncContext, 'config'>, feed: string): number | undefined {
  const days = context.config.venue.retention_days[feed]
  return days === undefined ? undefined : days * DAY_MS
}

/** What planning asks of the landing database. */
export type Knowledge = Pick<Landing, 'covered' | 'unfinished' | 'oldestUnsettled'>

export async function planFeedPartition(
  context: Pick<SyncContext, 'config' | 'now' | 'since'> & { readonly landing: Knowledge },
  account: string,
  endpoint: Endpoint,
  partition: Partition,
): Promise<PartitionPlan> {
  const { landing } = context
  const retentionMs = retentionOverride(context, endpoint.name)
  const since = context.since ?? context.config.history.since
  const known = {
    covered: await landing.covered(account, endpoint.name, partition.label),
    unfinished: await landing.unfinished(account, endpoint.name, partition.label),
    oldestUnsettled:
      endpoint.unsettled === undefined
        ? null
        : await landing.oldestUnsettled(
            account,
            endpoint.name,
            partition.label,
            endpoint.unsettled.field,
            endpoint.unsettled.values,
          ),
  }
  return planPartition(endpoint, partition, known, {
    now: context.now(),
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
  // The plan asks what has landed, so what this run has recorded must have.
  await context.recorder.flush()
  const plans: PartitionPlan[] = []
  for (const partition of endpoint.partitions) {
    plans.push(await planFeedPartition(context, account, endpoint, partition))
  }
  const requests = plans.reduce((sum, plan) => sum + plan.requests, 0)
  context.progress({ kind: 'planned', account, feed: endpoint.name, requests })
  let end: FeedEnd = 'done'
  for (const [index, plan] of plans.entries()) {
    for (const range of plan.lost) {
      await state(context, of(account, endpoint, plan), {
        status: 'lost',
        code: 'retention',
        reason: 'older than the venue remembers',
        range,
      })
    }
    end = await syncPartition(context, account, client, endpoint, plan)
    if (end === 'done') continue
    // What stopped one partition stops its neighbours: they are stated, not asked for.
    for (const rest of plans.slice(index + 1)) await stateRest(context, account, endpoint, rest, end)
    break
  }
  context.progress({ kind: 'finished', account, feed: endpoint.name, status: end })
  return end
}

const of = (account: string, endpoint: Endpoint, plan: PartitionPlan) => ({
  account,
  feed: endpoint.name,
  partition: plan.partition.label,
})

/** Says of everything that a partition still needs why it was not had. */
async function stateRest(
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
  const wholeFeed = status === 'not_applicable' || endpoint.window === null
  const ranges = wholeFeed ? [undefined] : [...plan.needs, ...plan.resume.map((begun) => begun.window)]
  for (const range of ranges) {
    await state(context, of(account, endpoint, plan), range === undefined ? word : { ...word, range })
  }
}

async function syncPartition(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  plan: PartitionPlan,
): Promise<FeedEnd> {
  if (endpoint.window === null) return walk(context, account, client, endpoint, plan, [firstPage])
  const begun = plan.resume.map(({ window, cursor }) => resumeWalk(endpoint, window, window, cursor))
  return walk(context, account, client, endpoint, plan, [
    ...begun,
    ...plan.needs.map((need) => beginWalk(endpoint, need)),
  ])
}

/** What is asked for next: a page of a window, or a page of a list without a time range. */
type Asking = WalkState | Place

const isWalk = (asking: Asking): asking is WalkState => 'window' in asking

/** What a walk still wants; nothing for a list without a time range. */
const restOf = (asking: Asking | null): Range | undefined =>
  asking !== null && isWalk(asking) ? { start: asking.need.start, end: asking.window.end } : undefined

/** Walks the ranges one after the other; the first that cannot be had ends the partition, with the rest stated. */
async function walk(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  plan: PartitionPlan,
  walks: readonly Asking[],
): Promise<FeedEnd> {
  let done = 0
  for (const [index, first] of walks.entries()) {
    let step: Asking | null = first
    try {
      while (step !== null) {
        if (context.signal.aborted || outOfReach(context)) throw new Stopped(endpoint.name)
        const page: Fetched = await fetchPage(context, account, client, endpoint, plan.partition, step)
        done += 1
        context.progress({ kind: 'page', account, feed: endpoint.name, rows: page.rows, done })
        step = page.next
      }
    } catch (error) {
      const rest = walks.slice(index + 1).map(restOf)
      const end = await stateFailure(context, account, endpoint, plan, error, [restOf(step), ...rest])
      if (end !== 'done') return end
    }
  }
  return 'done'
}

/** The window slid out of the venue's memory while it waited for its turn. */
class WindowGone extends Error {}

interface Fetched {
  readonly rows: number
  readonly next: Asking | null
}

async function fetchPage(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  partition: Partition,
  step: Asking,
): Promise<Fetched> {
  let asked: Range | undefined
  const params = (): Params => {
    asked = isWalk(step) ? clampToRetention(context, endpoint, step.window) : undefined
    return {
      ...partition.params,
      ...(asked === undefined ? {} : { startTime: String(asked.start), endTime: String(asked.end) }),
      ...pageParams(endpoint, step),
    }
  }
  const answer = await client.request(endpoint, params, { signal: context.signal })
  context.outcome.givenUp = 0
  const page = extractPage(endpoint, answer.envelope.data)
  const walked = isWalk(step)
    ? advance(endpoint, step, page)
    : { covers: null, next: turnPage(endpoint, step, page) }
  const covers =
    walked.covers === null || asked === undefined ? null : proven(context, walked.covers, asked, answer)
  const clean = redactSecrets(answer.body, context.secrets)
  const meta: PageMeta = {
    kind: 'page',
    at: isoNow(context),
    run: context.run,
    account,
    feed: endpoint.name,
    partition: partition.label,
    request: answer.request,
    status: answer.status,
    ...(clean.redacted === 0 ? {} : { redacted: clean.redacted }),
    ...(step.cursor === null ? {} : { cursor: step.cursor }),
    ...(isWalk(step) ? { window: step.window, next: cursorWithin(step, walked.next) } : {}),
    ...(covers === null ? {} : { covers }),
  }
  await context.recorder.record(meta, clean.body)
  return { rows: page.rows.length, next: walked.next }
}

/** The cursor with which the same window goes on; null when it is finished. */
function cursorWithin(step: WalkState, next: Asking | null): string | null {
  if (next === null || !isWalk(next)) return null
  return next.window.end === step.window.end && next.window.start === step.window.start ? next.cursor : null
}

/** Cursor and page size of a request. */
function pageParams(endpoint: Endpoint, step: Asking): Params {
  const { page } = endpoint
  if (page.kind === 'none') return {}
  const size = { [page.sizeParam]: String(page.size) }
  return step.cursor === null ? size : { ...size, [page.param]: step.cursor }
}

/** The window's start, moved up to what the venue still remembers at this moment by its own clock. */
function clampToRetention(context: SyncContext, endpoint: Endpoint, window: Range): Range {
  if (endpoint.window === null || context.venue.offsetMs === null) return window
  const retentionMs = retentionOf(endpoint.window, retentionOverride(context, endpoint.name))
  const start = Math.max(window.start, context.venue.venueNow() - retentionMs + RETENTION_GUARD_MS)
  if (start > window.end) throw new WindowGone()
  return { start, end: window.end }
}

/** A page proves nothing before the start that was asked for, and nothing after the moment of asking. */
function proven(context: SyncContext, covers: Range, asked: Range, answer: Answer): Range | null {
  const venueThen = context.venue.offsetMs === null ? covers.end : answer.sentAt + context.venue.offsetMs
  const range = {
    start: Math.max(covers.start, asked.start),
    end: Math.min(covers.end, Math.floor(venueThen)),
  }
  return range.start <= range.end ? range : null
}

/** Turns what went wrong into statements about everything that was not had, and says how the feed ends. */
async function stateFailure(
  context: SyncContext,
  account: string,
  endpoint: Endpoint,
  plan: PartitionPlan,
  error: unknown,
  ranges: readonly (Range | undefined)[],
): Promise<FeedEnd> {
  const verdict = judge(context, endpoint, error)
  if (verdict === null) throw error
  if (error instanceof VenueError && error.body !== null) {
    await context.recorder.record(
      {
        kind: 'refusal',
        at: isoNow(context),
        run: context.run,
        ...of(account, endpoint, plan),
        request: error.request,
        status: error.status ?? 0,
        code: error.code,
      },
      redactSecrets(error.body, context.secrets).body,
    )
  }
  // A range that is lost ends nothing: the walk goes on with the next one.
  const lastRange = verdict.end === 'done' ? 1 : ranges.length
  const about = verdict.end === 'not_applicable' ? [undefined] : ranges.slice(0, lastRange)
  for (const range of about) {
    await state(context, of(account, endpoint, plan), {
      ...verdict.word,
      ...(range === undefined ? {} : { range }),
    })
  }
  return verdict.end
}

interface Verdict {
  readonly end: FeedEnd
  readonly word: {
    readonly status: 'lost' | 'failed' | 'pending' | 'not_applicable'
    readonly code: string
    readonly reason: string
  }
}

/** What an error means for the feed; null for an error that is not the venue's and must surface. */
function judge(context: SyncContext, endpoint: Endpoint, error: unknown): Verdict | null {
  if (error instanceof Stopped || context.signal.aborted) {
    context.outcome.incomplete = true
    return verdict('pending', 'pending', 'stopped', 'the run was stopped or the venue is out of reach')
  }
  if (error instanceof WindowGone) {
    return verdict('done', 'lost', 'retention', 'older than the venue remembers')
  }
  if (!(error instanceof VenueError)) return null
  const word = (status: Verdict['word']['status']) => ({ status, code: error.code, reason: error.message })
  if (error instanceof NotApplicable) return { end: 'not_applicable', word: word('not_applicable') }
  if (error instanceof TimeRangeRefused && endpoint.window?.retentionMs === null) {
    // How far this feed reaches back is not documented: the refusal is the answer.
    return { end: 'done', word: word('lost') }
  }
  if (
    error instanceof TimeRangeRefused ||
    error instanceof ParameterRefused ||
    error instanceof PermissionRefused
  ) {
    return { end: 'failed', word: word('failed') }
  }
  if (error.exitCode === 4) {
    context.outcome.refusals.push(error.describe())
    return { end: 'refused', word: word('failed') }
  }
  if (!error.retryable) return { end: 'failed', word: word('failed') }
  context.outcome.incomplete = true
  context.outcome.givenUp += 1
  return { end: 'pending', word: word('pending') }
}

const verdict = (end: FeedEnd, status: Verdict['word']['status'], code: string, reason: string): Verdict => ({
  end,
  word: { status, code, reason },
})
