// How a range of time is asked for: windows from the newest to the oldest, pages within a window, and what each page
// proves. Pure. A range is claimed only when every record in it has been received, so progress is never ahead of
// data. Sources: interface document, part 1 (pagination) and 4.11 to 4.23; venue-facts, Paging.
import type { Endpoint, Window } from './endpoint.ts'
import { lastId, type Page, readPage, textOf } from './envelope.ts'
import { MalformedAnswer, type Refusal, RepeatedCursor } from './errors.ts'

/** Closed range of Unix milliseconds, both ends included. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A place among the pages of one list. */
export interface Place {
  /** Asks for the page that is due; null for the first. */
  readonly cursor: string | null
  /** What has asked for pages so far: a cursor that comes again would go round for ever. */
  readonly cursors: readonly string[]
}

export interface WalkState extends Place {
  /** What is wanted; the walk goes from its end to its start. */
  readonly need: Range
  /** What is asked for now, at most the documented span. */
  readonly window: Range
  /** Everything of the window from here on is proven; what the next page proves hangs on it. */
  readonly provenFrom: number
  /** Time of the oldest row of this window so far; null before its first. */
  readonly oldest: number | null
  /** A page of this window was not in order: only an empty page proves it, and only whole. */
  readonly disordered: boolean
}

export interface Step {
  /** What is now proven complete and was not before; null for nothing. Ranges of one walk touch. */
  readonly covers: Range | null
  /** How to go on; null at the end of the need. */
  readonly next: WalkState | null
}

/** The first window of a need: its newest part. */
export function beginWalk(endpoint: Endpoint, need: Range): WalkState {
  return windowEndingAt(endpoint, need, need.end, need.end)
}

/**
 * Goes on in a window at its cursor, after a stop. Where nothing of the window has been claimed yet, its earlier
 * pages were out of order, or were all of one instant: then only its end proves it.
 */
export function resumeWalk(endpoint: Endpoint, need: Range, window: Range, cursor: string | null): WalkState {
  const provenFrom = Math.min(need.end, window.end)
  return {
    need,
    window,
    cursor,
    cursors: cursor === null ? [] : [cursor],
    provenFrom,
    oldest: null,
    disordered: windowOf(endpoint).proves === 'descend' && cursor !== null && provenFrom === window.end,
  }
}

/** What a page proves, and how the walk goes on. Throws RepeatedCursor, and MalformedAnswer for a full page without ids. */
export function advance(endpoint: Endpoint, state: WalkState, page: Page): Step {
  if (page.rows.length === 0) return finish(endpoint, state)
  return windowOf(endpoint).proves === 'descend'
    ? descend(endpoint, state, page)
    : follow(endpoint, state, page)
}

/** The rows of an answer's `data` and its next cursor. Throws MalformedAnswer. */
export function extractPage(endpoint: Endpoint, data: unknown): Page {
  const page = readPage(endpoint, data)
  if (typeof page === 'string') throw new MalformedAnswer(wrong(endpoint, 'malformed answer', page))
  return page
}

export const firstPage: Place = { cursor: null, cursors: [] }

/** The place after a page; null at the end of the list. Throws RepeatedCursor. */
export function turnPage(endpoint: Endpoint, place: Place, page: Page): Place | null {
  if (page.rows.length === 0 || endpoint.page.kind === 'none') return null
  const counts = endpoint.page.kind === 'page-number'
  // A venue that ignores the page number sends the same page again: its last row tells.
  const mark = counts ? lastId(endpoint, page.rows) : page.cursor
  if (mark === null) return null
  if (place.cursors.includes(mark))
    throw new RepeatedCursor(wrong(endpoint, 'repeated cursor', `${mark} came twice`))
  const cursor = counts ? String(Number(place.cursor ?? '1') + 1) : mark
  return { cursor, cursors: [...place.cursors, mark] }
}

/** Pages of a feed that claims a window only at its end: which of a row's times the window filters by is unknown. */
function follow(endpoint: Endpoint, state: WalkState, page: Page): Step {
  const place = turnPage(endpoint, state, page)
  return place === null ? finish(endpoint, state) : { covers: null, next: { ...state, ...place } }
}

/** Pages of a feed that comes newest first: all that is newer than the oldest row of a page has been received. */
function descend(endpoint: Endpoint, state: WalkState, page: Page): Step {
  const { window, need } = state
  const times = page.rows.map((row) => millisOf(endpoint, row)).filter((time) => time !== null)
  const oldest = times.at(-1)
  const isFull = endpoint.page.kind !== 'none' && page.rows.length >= endpoint.page.size
  const place = turnPage(endpoint, state, page)
  if (place === null && isFull)
    throw new MalformedAnswer(wrong(endpoint, 'malformed answer', 'a full page whose rows have no id'))
  if (oldest === undefined || state.disordered || !isOrdered(state, times)) {
    // A short page without any id cannot be gone on from; it is then the usual end of the window.
    if (place === null) return finish(endpoint, state)
    return { covers: null, next: { ...state, ...place, disordered: true } }
  }
  // Rows of the oldest instant may go on on the next page, so it is not yet proven itself.
  const covers = oldest + 1 < state.provenFrom ? { start: oldest + 1, end: state.provenFrom } : null
  const provenFrom = covers?.start ?? state.provenFrom
  const canSlide = !isFull && oldest < window.end && window.start > need.start
  if (canSlide && (place === null || isOlderHalf(window, oldest)))
    return { covers, next: windowEndingAt(endpoint, need, oldest, provenFrom) }
  if (place === null) return finish(endpoint, state)
  return { covers, next: { ...state, ...place, oldest, provenFrom } }
}

/**
 * A short page is the usual end of a window, but it is no promise: either the next window begins at its oldest row
 * and settles the doubt on its way, or, where that would ask for much of the window again, the next page does.
 */
function isOlderHalf(window: Range, oldest: number): boolean {
  return oldest - window.start <= (window.end - window.start) / 2
}

/** Whether the rows go from new to old, within the window, and on from where the window's last page ended. */
function isOrdered({ window, oldest }: WalkState, times: readonly number[]): boolean {
  let before = Math.min(window.end, oldest ?? window.end)
  for (const time of times) {
    if (time > before) return false
    before = time
  }
  return before >= window.start
}

/** The window is proven whole; the next older one shares its first instant. */
function finish(endpoint: Endpoint, state: WalkState): Step {
  const { need, window, provenFrom } = state
  const covers = { start: window.start, end: Math.max(window.start, provenFrom) }
  if (window.start <= need.start) return { covers, next: null }
  return { covers, next: windowEndingAt(endpoint, need, window.start, window.start) }
}

function windowEndingAt(endpoint: Endpoint, need: Range, end: number, provenFrom: number): WalkState {
  const start = Math.max(need.start, end - windowOf(endpoint).spanMaxMs)
  return { need, window: { start, end }, ...firstPage, provenFrom, oldest: null, disordered: false }
}

function windowOf(endpoint: Endpoint): Window {
  if (endpoint.window === null) throw new Error(`${endpoint.name} takes no time range`)
  return endpoint.window
}

/** Time of a row; null where it has none that can be read. */
function millisOf(endpoint: Endpoint, row: unknown): number | null {
  const { time } = windowOf(endpoint)
  const value = typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[time] : undefined
  const digits = textOf(value)?.trim() ?? ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

const wrong = (endpoint: Endpoint, code: string, message: string): Refusal => ({
  endpoint,
  account: '',
  code,
  status: null,
  message,
  request: { method: endpoint.method, path: endpoint.path },
  body: null,
})
