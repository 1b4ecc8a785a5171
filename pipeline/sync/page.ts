// One page of a feed: requested within what the venue still has, and recorded together with what it proves.

import { days, type Endpoint, type Params, type Partition, retentionOf } from '../../connectors/endpoint.ts'
import { lastMark, type Page } from '../../connectors/envelope.ts'
import { VenueError } from '../../connectors/errors.ts'
import { breaksOff, extractPage, isFull, type Place, turnPage } from '../../connectors/pages.ts'
import type { FailedBefore } from '../../connectors/retry.ts'
import type { AccountClient, Answer } from '../../connectors/venue.ts'
import { advance, pagesById } from '../../connectors/walk.ts'
import { liesBeside, type Step, type WalkState } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import { answeredNow, isoNow, noteAnswer, type SyncContext, state } from './context.ts'
import { EDGE_MS, RETENTION_GUARD_MS } from './plan.ts'
import type { AnswerMeta } from './recorder.ts'

/** The configuration's override of a feed's retention, converted from days to milliseconds. */
export function retentionOverride(context: Pick<SyncContext, 'config'>, feed: string): number | undefined {
  const kept = context.config.venue.retention_days[feed]
  return kept === undefined ? undefined : days(kept)
}

/** The next request: a page of a window, or a page of a list without a time range. */
export type Asking = WalkState | Place

export const isWalk = (asking: Asking): asking is WalkState => 'window' in asking

export const TOO_OLD = {
  status: 'lost',
  code: 'retention',
  reason: 'older than the venue remembers',
} as const

/** More rows share an instant than fit on a page, and the venue's cursor does not prove that all of them arrived. */
const UNPROVEN = {
  status: 'unproven',
  code: 'crowded instant',
  reason:
    'more rows share this instant than fit on a page, and the cursor does not prove that all of them arrived',
} as const

/** A list without a time range, which cannot be divided into smaller windows. */
const BROKEN_OFF = {
  status: 'unproven',
  code: 'no cursor',
  reason: 'the list ended with a full page that names no next page, so more may follow',
} as const

/** The window expired at the venue while it waited for its turn. */
export class WindowGone extends Error {}

export interface Fetched {
  readonly rows: number
  /** It has as many rows as were requested. */
  readonly isFull: boolean
  /** None of its rows belongs to the window that was requested. */
  readonly isBeside: boolean
  /** Distinguishes the page from the one before it; null if it has no rows. */
  readonly mark: string | null
  readonly next: Asking | null
}

export async function fetchPage(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
  partition: Partition,
  step: Asking,
  failedBefore: FailedBefore | null = null,
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
  const answer = await client.request(endpoint, params, { signal: context.signal, failedBefore })
  noteAnswer(context)
  const page = extractPage(endpoint, answer.envelope.data)
  const proven = whatItProves(context, endpoint, step, asked, page, answer)
  const { covers, unproven, next } = proven
  const meta: AnswerMeta = {
    kind: 'page',
    at: isoNow(context),
    ...answeredNow(context),
    run: context.run,
    account,
    feed: endpoint.name,
    partition: partition.label,
    request: answer.request,
    status: answer.status,
    ...(step.cursor === null ? {} : { cursor: step.cursor }),
    ...(isWalk(step) ? { window: step.window } : {}),
    ...(isWalk(step)
      ? keepsCursor(endpoint)
        ? { next: cursorWithin(step, next) }
        : {}
      : { next: next?.cursor ?? null }),
    ...(covers === null ? {} : { covers }),
  }
  await context.recorder.record(meta, answer.body)
  if (proven.failure !== undefined) throw proven.failure
  if (
    isWalk(step) &&
    asked !== undefined &&
    // The venue's retention limit moves from page to page: what is finally claimed begins where the limit was at that
    // moment.
    (step.cursor === null || covers !== null) &&
    asked.start - step.window.start > EDGE_MS
  ) {
    const range = { start: step.window.start, end: asked.start }
    await state(context, { account, feed: endpoint.name, partition: partition.label }, { ...TOO_OLD, range })
  }
  if (unproven !== null)
    await state(
      context,
      { account, feed: endpoint.name, partition: partition.label },
      { ...UNPROVEN, range: unproven },
    )
  if (!isWalk(step) && breaksOff(endpoint, page, next as Place | null))
    await state(context, { account, feed: endpoint.name, partition: partition.label }, BROKEN_OFF)
  const isBeside = asked !== undefined && liesBeside(endpoint, asked, page)
  return {
    rows: page.rows.length,
    isFull: isFull(endpoint, page),
    isBeside,
    mark: lastMark(endpoint, page.rows),
    next,
  }
}

/**
 * What a page proves, and how to continue. If there is no way to continue (a repeated cursor, rows without ids), the
 * failure is returned as well: the rows are kept, and prove nothing. A list without times continues at the same place,
 * because otherwise it would be taken for complete.
 */
function whatItProves(
  context: SyncContext,
  endpoint: Endpoint,
  step: Asking,
  asked: Range | undefined,
  page: Page,
  answer: Answer,
): Omit<Step, 'next'> & { readonly next: Asking | null; readonly failure?: VenueError } {
  try {
    return isWalk(step) && asked !== undefined
      ? advance(endpoint, step, page, shownBy(context, step.window, asked, answer))
      : { covers: null, unproven: null, next: turnPage(endpoint, step, page) }
  } catch (failure) {
    if (!(failure instanceof VenueError)) throw failure
    return { covers: null, unproven: null, next: isWalk(step) ? null : step, failure }
  }
}

/** A window that is proven only by its end is resumed at its cursor, if the cursor is the venue's own. */
const keepsCursor = (endpoint: Endpoint): boolean =>
  endpoint.window?.proves === 'whole' && !pagesById(endpoint)

/** The cursor that continues the same window; null when it is finished. */
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

/** The oldest instant that the venue still has when its time is `now`. */
const oldestAt = (context: SyncContext, endpoint: Endpoint, now: number): number =>
  now - retentionOf(endpoint, retentionOverride(context, endpoint.name)) + RETENTION_GUARD_MS

/** Whether, by the venue's own clock, all of the window has expired. */
export function isForgotten(context: SyncContext, endpoint: Endpoint, window: Range): boolean {
  const venueNow = context.venue.venueAt(context.clock.monotonic())
  return endpoint.window !== null && venueNow !== null && oldestAt(context, endpoint, venueNow) > window.end
}

/** The window's start, moved up to what the venue still has at this moment by its own clock. */
function clampToRetention(context: SyncContext, endpoint: Endpoint, window: Range): Range {
  const venueNow = context.venue.venueAt(context.clock.monotonic())
  if (endpoint.window === null || venueNow === null) return window
  if (!isForgotten(context, endpoint, window))
    return { start: Math.max(window.start, oldestAt(context, endpoint, venueNow)), end: window.end }
  // One wrong requestTime must not give up a window without asking: if the machine's clock differs, the venue's answer
  // settles it.
  if (oldestAt(context, endpoint, context.clock.wall()) > window.end) throw new WindowGone()
  return window
}

/**
 * A page proves nothing before the start that was requested, and nothing after the moment of the request. The minute or
 * two that a window gives up at the far edge of the retention period can never be fetched, and is not a gap.
 */
function shownBy(context: SyncContext, window: Range, asked: Range, answer: Answer): Range {
  const venueThen = context.venue.venueAt(answer.sentAt) ?? window.end
  const from = asked.start - window.start <= EDGE_MS ? window.start : asked.start
  return { start: from, end: Math.min(window.end, venueThen) }
}
