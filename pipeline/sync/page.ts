// One page of a feed: asked for within what the venue still remembers, and recorded with what it proves.

import { days, type Endpoint, type Params, type Partition, retentionOf } from '../../connectors/endpoint.ts'
import { lastMark, type Page } from '../../connectors/envelope.ts'
import { VenueError } from '../../connectors/errors.ts'
import { breaksOff, extractPage, type Place, turnPage } from '../../connectors/pages.ts'
import type { FailedBefore } from '../../connectors/retry.ts'
import type { AccountClient, Answer } from '../../connectors/venue.ts'
import { advance, pagesById } from '../../connectors/walk.ts'
import { liesBeside, type Step, type WalkState } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import { answeredNow, isoNow, noteAnswer, type SyncContext, state } from './context.ts'
import { EDGE_MS, RETENTION_GUARD_MS } from './plan.ts'
import type { AnswerMeta } from './recorder.ts'

/** Days by which the configuration overrides a feed's retention, in milliseconds. */
export function retentionOverride(context: Pick<SyncContext, 'config'>, feed: string): number | undefined {
  const kept = context.config.venue.retention_days[feed]
  return kept === undefined ? undefined : days(kept)
}

/** What is asked for next: a page of a window, or a page of a list without a time range. */
export type Asking = WalkState | Place

export const isWalk = (asking: Asking): asking is WalkState => 'window' in asking

export const TOO_OLD = {
  status: 'lost',
  code: 'retention',
  reason: 'older than the venue remembers',
} as const

/** More rows share an instant than a page holds, and the venue's cursor does not prove that all of them came. */
const UNPROVEN = {
  status: 'unproven',
  code: 'crowded instant',
  reason:
    'more rows share this instant than a page holds, and the cursor does not prove that all of them came',
} as const

/** A list without a time range, which no smaller windows can divide. */
const BROKEN_OFF = {
  status: 'unproven',
  code: 'no cursor',
  reason: 'the list ended with a full page that names no page after it, so that more may follow',
} as const

/** The window slid out of the venue's memory while it waited for its turn. */
export class WindowGone extends Error {}

export interface Fetched {
  readonly rows: number
  /** None of its rows is of the window that was asked for. */
  readonly isBeside: boolean
  /** What tells it from the page before it; null where it has no rows. */
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
    // The venue's memory moves on from page to page: what is claimed at last begins where it stood then.
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
  return { rows: page.rows.length, isBeside, mark: lastMark(endpoint, page.rows), next }
}

/**
 * What a page proves, and how to go on. Of a page from which there is no going on (a cursor that comes twice, rows without
 * ids) the failure is told beside it: what has come is kept, and proves nothing. A list without times goes on at the same
 * place, for it would be taken for whole where nothing follows.
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

/** A window that only its end proves is gone on with at its cursor, where the cursor is the venue's own. */
const keepsCursor = (endpoint: Endpoint): boolean =>
  endpoint.window?.proves === 'whole' && !pagesById(endpoint)

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

/** The oldest instant that the venue still remembers where it is `now`. */
const oldestAt = (context: SyncContext, endpoint: Endpoint, now: number): number =>
  now - retentionOf(endpoint, retentionOverride(context, endpoint.name)) + RETENTION_GUARD_MS

/** Whether by the venue's own clock nothing of the window can be remembered. */
export function isForgotten(context: SyncContext, endpoint: Endpoint, window: Range): boolean {
  const venueNow = context.venue.venueAt(context.clock.monotonic())
  return endpoint.window !== null && venueNow !== null && oldestAt(context, endpoint, venueNow) > window.end
}

/** The window's start, moved up to what the venue still remembers at this moment by its own clock. */
function clampToRetention(context: SyncContext, endpoint: Endpoint, window: Range): Range {
  const venueNow = context.venue.venueAt(context.clock.monotonic())
  if (endpoint.window === null || venueNow === null) return window
  if (!isForgotten(context, endpoint, window))
    return { start: Math.max(window.start, oldestAt(context, endpoint, venueNow)), end: window.end }
  // One wrong requestTime must not give up a window unasked: where the machine's clock differs, the venue decides.
  if (oldestAt(context, endpoint, context.clock.wall()) > window.end) throw new WindowGone()
  return window
}

/**
 * A page shows nothing before the start that was asked for, and nothing after the moment of asking.
 * The minute or two that a window gives up at the far edge of the venue's memory can never be had, and is no gap.
 */
function shownBy(context: SyncContext, window: Range, asked: Range, answer: Answer): Range {
  const venueThen = context.venue.venueAt(answer.sentAt) ?? window.end
  const from = asked.start - window.start <= EDGE_MS ? window.start : asked.start
  return { start: from, end: Math.min(window.end, venueThen) }
}
