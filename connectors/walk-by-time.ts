// Reads a feed whose rows carry the time at which they happened, whatever the order of its pages and the meaning of its
// cursor. A page is one contiguous run of the window's rows; the next window begins at its edge, so no cursor is needed
// to continue, and its rows prove the page before it. The cursor is used only to settle whether a short page was the
// end of its window. Rows outside the window prove nothing about it, and a page that has only those is not an empty
// page. Sources: interface document, 4.19 to 4.21; venue-facts, Paging.

import type { Range } from '../models/ranges.ts'
import type { Endpoint } from './endpoint.ts'
import { lastId, type Page } from './envelope.ts'
import { isFull, namelessPage } from './pages.ts'
import { beginList, followList, idsOf, newIds } from './walk-by-id.ts'
import {
  apart,
  type EndQuestion,
  goOn,
  inHalves,
  isInstant,
  joined,
  type Order,
  rangeOf,
  type SideQuestion,
  type Step,
  shared,
  timesOf,
  type WalkState,
  within,
} from './walk-state.ts'

/**
 * What a page proves. `shown` is the part of its window that it can have shown: from the oldest instant that was
 * requested to the moment of the request.
 */
export function readByTime(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  const { question } = state
  switch (question?.kind) {
    case undefined:
      return readFirst(endpoint, state, page, shown)
    case 'side':
      return settleSide(endpoint, state, question, page, shown)
    case 'end':
      return settleEnd(endpoint, state, question, page, shown)
    case 'list':
      return followList(endpoint, state, question, page, shown)
  }
}

/** The first page of a window. */
function readFirst(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  const { window } = state
  if (page.rows.length === 0) return goOn(endpoint, state, shared(window, shown))
  const full = isFull(endpoint, page)
  if (full && lastId(endpoint, page.rows) === null) throw namelessPage(endpoint)
  if (isInstant(window) && within(endpoint, window, page).rows.length > 0)
    return beginList(endpoint, state, page, shown)
  const run = runOf(endpoint, window, page)
  if (run === null)
    return full
      ? inHalves(endpoint, state, window)
      : askForMore(endpoint, state, page, { order: null, times: null, claims: window, covers: null, shown })
  const known = { ...state, order: run.order ?? state.order }
  if (!full) return readShort(endpoint, known, page, run, shown)
  return isInstant(run.times)
    ? apart(endpoint, known, run.times.start)
    : askSide(endpoint, known, page, run, shown)
}

interface Run {
  readonly times: Range
  /** Null if all rows are of one instant. */
  readonly order: Order | null
}

/**
 * The window's rows on a page as one run. Null if there are none or they are not in order, and also if rows outside the
 * window displaced others on a full page or are the majority: a few rows may be in order by chance.
 */
function runOf(endpoint: Endpoint, window: Range, page: Page): Run | null {
  const all = timesOf(endpoint, page)
  const times = all.filter((time) => window.start <= time && time <= window.end)
  const [first] = times
  if (first === undefined || times.length * 2 < all.length) return null
  if (times.length < all.length && isFull(endpoint, page)) return null
  const last = times.at(-1) as number
  const falls = times.every((time, place) => place === 0 || time <= (times[place - 1] as number))
  const rises = times.every((time, place) => place === 0 || time >= (times[place - 1] as number))
  if (falls && rises) return { times: { start: first, end: first }, order: null }
  if (falls) return { times: { start: last, end: first }, order: 'newest first' }
  return rises ? { times: { start: first, end: last }, order: 'oldest first' } : null
}

/**
 * A full page: continue at the edge to which its order leads. Rows of that edge's instant may follow, so it is
 * requested again.
 */
function askSide(
  endpoint: Endpoint,
  state: WalkState,
  page: Page,
  { times, order }: Run,
  shown: Range,
): Step {
  const { window } = state
  const older = { start: window.start, end: times.start }
  const newer = { start: times.end, end: window.end }
  const descends = order === 'newest first'
  const proven = descends ? rangeOf(times.start + 1, window.end) : rangeOf(window.start, times.end - 1)
  const question: SideQuestion = {
    kind: 'side',
    ids: idsOf(endpoint, page),
    proves: shared(proven, shown),
    inner: shared(rangeOf(times.start + 1, times.end - 1), shown),
    other: descends ? newer : older,
  }
  const asked = descends ? older : newer
  return {
    covers: null,
    unproven: null,
    next: { ...state, window: asked, cursor: null, cursors: [], question },
  }
}

function settleSide(
  endpoint: Endpoint,
  state: WalkState,
  question: SideQuestion,
  page: Page,
  shown: Range,
): Step {
  const goesOn = newIds(endpoint, within(endpoint, state.window, page), question.ids).length > 0
  const rest = goesOn ? state.rest : [question.other, ...state.rest]
  const step = readFirst(endpoint, { ...state, open: state.window, question: null, rest }, page, shown)
  return { ...step, covers: joined(step.covers, goesOn ? question.proves : question.inner) }
}

/**
 * A short page. Newest first, it proves all but its oldest instant. If that is in the older half of the window, the
 * next window begins there and settles in passing whether more follows; otherwise the page after it does.
 */
function readShort(endpoint: Endpoint, state: WalkState, page: Page, run: Run, shown: Range): Step {
  const { window, rest, order } = state
  const { times } = run
  if (order === 'newest first') {
    const covers = shared(rangeOf(times.start + 1, window.end), shown)
    const [older, ...others] = rest
    const isOlderHalf = times.start - window.start <= (window.end - window.start) / 2
    if (older?.end === window.start && isOlderHalf)
      return goOn(endpoint, { ...state, rest: others }, covers, [{ start: older.start, end: times.start }])
    const claims = { start: window.start, end: times.start }
    return askForMore(endpoint, state, page, { order, times, claims, covers, shown })
  }
  if (order === 'oldest first') {
    const covers = shared(rangeOf(window.start, times.end - 1), shown)
    const claims = { start: times.end, end: window.end }
    return askForMore(endpoint, state, page, { order, times, claims, covers, shown })
  }
  return askForMore(endpoint, state, page, { order, times, claims: window, covers: null, shown })
}

/**
 * Requests what follows the last row of a short page; without an id to ask with, the page is taken for the usual end.
 */
function askForMore(
  endpoint: Endpoint,
  state: WalkState,
  page: Page,
  end: {
    readonly order: Order | null
    readonly times: Range | null
    /** What a page without rows will prove. */
    readonly claims: Range
    /** What this page proves by itself. */
    readonly covers: Range | null
    readonly shown: Range
  },
): Step {
  const { times, order, claims, covers, shown } = end
  const cursor = lastId(endpoint, page.rows)
  if (cursor === null) return goOn(endpoint, state, joined(covers, shared(claims, shown)))
  const question: EndQuestion = {
    kind: 'end',
    ids: idsOf(endpoint, page),
    order,
    times,
    claims,
    shown,
  }
  return { covers, unproven: null, next: { ...state, open: claims, cursor, cursors: [cursor], question } }
}

function settleEnd(
  endpoint: Endpoint,
  state: WalkState,
  question: EndQuestion,
  page: Page,
  shown: Range,
): Step {
  const { claims, times, order } = question
  if (page.rows.length === 0) return goOn(endpoint, state, shared(claims, question.shown))
  const told = within(endpoint, state.window, page)
  const fresh = newIds(endpoint, told, question.ids)
  const run = fresh.length === told.rows.length ? runOf(endpoint, state.window, page) : null
  const on = run === null || times === null ? null : onward(state.window, order, times, run)
  if (on !== null && !isInstant(on.window)) {
    // What the first page left open on its other side is settled by how the list continues.
    const covers = order === null ? shared(on.behind, question.shown) : null
    const known = { ...state, order: on.order, window: on.window, open: on.window, question: null }
    const step = readFirst(endpoint, known, page, shown)
    return { ...step, covers: joined(step.covers, covers) }
  }
  // The cursor does not simply continue the list: only separate windows can show what there is.
  if (times === null) return inHalves(endpoint, state, claims)
  if (order === null) return apart(endpoint, state, times.start)
  if (fresh.length > 0) return inHalves(endpoint, state, claims)
  return order === 'newest first'
    ? goOn(endpoint, state, null, [
        { start: times.start, end: times.start },
        rangeOf(claims.start, times.start - 1),
      ])
    : goOn(endpoint, state, null, [rangeOf(times.end + 1, claims.end), { start: times.end, end: times.end }])
}

/** How the list continues after a short page, if the rows that follow are all on one side of it. */
function onward(
  window: Range,
  order: Order | null,
  times: Range,
  run: Run,
): { readonly order: Order; readonly window: Range; readonly behind: Range | null } | null {
  const isOlder = run.times.end <= times.start && run.order !== 'oldest first'
  const isNewer = run.times.start >= times.end && run.order !== 'newest first'
  if (isOlder && isNewer && order === null) return null
  if (isOlder && order !== 'oldest first')
    return {
      order: 'newest first',
      window: { start: window.start, end: times.start },
      behind: rangeOf(times.start + 1, window.end),
    }
  if (isNewer && order !== 'newest first')
    return {
      order: 'oldest first',
      window: { start: times.end, end: window.end },
      behind: rangeOf(window.start, times.end - 1),
    }
  return null
}
