// The state of a walk through a range of time: what is requested now, what its answer is to settle, and what is still
// to be requested. Pure; the ways of reading pages (walk-by-time, walk-by-id) turn one state into another.

import { milliseconds } from 'date-fns/milliseconds'
import { type Range, union } from '../models/ranges.ts'
import { spellingOf } from '../models/record.ts'
import { isObject } from '../models/rows.ts'
import type { Endpoint, Window } from './endpoint.ts'
import { type Page, textOf } from './envelope.ts'
import { firstPage, isFull, type Place } from './pages.ts'

/** The order in which the pages of a list arrive. */
export type Order = 'newest first' | 'oldest first'

/**
 * A full page is one end of its window's list, but which end is not guaranteed. Rows beyond it on the side requested
 * now prove that nothing is missing on the other side.
 */
export interface SideQuestion {
  readonly kind: 'side'
  /** Ids of the page's rows. */
  readonly ids: ReadonlySet<string>
  /** Claimed when a new row arrives: the page, and its other side. */
  readonly proves: Range | null
  /** Claimed when none arrives: the page without its outermost instants. */
  readonly inner: Range | null
  /** Requested next when none arrives: the other side. */
  readonly other: Range
}

/** A short page is usually the end of its window, but that is not guaranteed: nothing may follow its last row. */
export interface EndQuestion {
  readonly kind: 'end'
  readonly ids: ReadonlySet<string>
  readonly order: Order | null
  /** Outermost times of the page; null if its rows are not in order or are outside the window. */
  readonly times: Range | null
  /** Claimed when nothing follows. */
  readonly claims: Range
  /** The part of the window that this page can have shown: neither the expired nor the future. */
  readonly shown: Range
}

/** A list whose cursor is the id of a row: its pages prove it only if the cursor can only have continued the list. */
export interface ListQuestion {
  readonly kind: 'list'
  /** Ids so far, in order. */
  readonly ids: ReadonlySet<string>
  /** The single time of all rows of the first page, by which a window may be divided; null if there are several. */
  readonly instant: number | null
  /** Time of the last row so far, in Unix milliseconds; null if it has none. */
  readonly lastAt: number | null
  /** They fall from row to row: then "after this row" and "below this id" are the same. */
  readonly falls: boolean
  /** Every page after the first can only have continued where the one before had ended. */
  readonly isSound: boolean
  /** The first page was short, and nothing followed it: the usual end. */
  readonly isShort: boolean
  readonly shown: Range
}

export type Question = SideQuestion | EndQuestion | ListQuestion

export interface WalkState extends Place {
  /** What is requested now, at most the documented span. */
  readonly window: Range
  /** What depends on the answers about this window and is not claimed yet. */
  readonly open: Range
  /** What is requested after this window, in this order; split at the documented span when its turn comes. */
  readonly rest: readonly Range[]
  /** The order in which this walk's pages have arrived so far; null until a page has had two instants. */
  readonly order: Order | null
  /** What the answer is to settle; null for the first page of a window. */
  readonly question: Question | null
  /** For windows that only their end proves: what their first page could show; null before it. */
  readonly shown: Range | null
}

export interface Step {
  /** What is now proven complete and was not before; null for nothing. */
  readonly covers: Range | null
  /** Read as far as the venue allows, without a proof that nothing is missing; null for nothing. */
  readonly unproven: Range | null
  /** How to continue; null at the end of the range needed. */
  readonly next: WalkState | null
}

/** The range, or null if it contains no instant. */
export const rangeOf = (start: number, end: number): Range | null => (start <= end ? { start, end } : null)

/** The intersection of two ranges; null for nothing. */
export const shared = (one: Range | null, other: Range): Range | null =>
  one === null ? null : rangeOf(Math.max(one.start, other.start), Math.min(one.end, other.end))

/** Two neighbouring ranges as one. */
export const joined = (one: Range | null, other: Range | null): Range | null =>
  one === null || other === null
    ? (one ?? other)
    : { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }

export const isInstant = ({ start, end }: Range): boolean => start === end

export function windowOf(endpoint: Endpoint): Window {
  if (endpoint.window === null) throw new Error(`${endpoint.name} takes no time range`)
  return endpoint.window
}

/** The newest window of the first range; the rest of the range comes after it and shares its first instant. */
export function startOf(
  endpoint: Endpoint,
  ranges: readonly Range[],
  order: Order | null = null,
): WalkState | null {
  const [range, ...others] = ranges
  if (range === undefined) return null
  const start = Math.max(range.start, range.end - windowOf(endpoint).spanMaxMs)
  const rest = start > range.start ? [{ start: range.start, end: start }, ...others] : others
  const window = { start, end: range.end }
  return { window, open: window, rest, order, question: null, shown: null, ...firstPage }
}

/** The window is finished: continue with the rest, after these ranges if there are any. */
export function goOn(
  endpoint: Endpoint,
  state: WalkState,
  covers: Range | null,
  before: readonly (Range | null)[] = [],
): Step {
  const ranges = [...before.filter((range) => range !== null), ...state.rest]
  return { covers, unproven: null, next: startOf(endpoint, ranges, state.order) }
}

/**
 * Requests a range again in two halves if its pages prove nothing: with fewer rows to a window, at some point all fit
 * on one page. The halves share an instant, so that a bound that is not inclusive loses nothing.
 */
export const inHalves = (endpoint: Endpoint, state: WalkState, range: Range): Step =>
  goOn(endpoint, state, null, halvesOf(range))

/** The newer half first; an instant is its own half. */
function halvesOf(range: Range): readonly Range[] {
  if (isInstant(range)) return [range]
  const middle = Math.floor((range.start + range.end) / 2)
  const shares = range.start < middle && middle < range.end
  return [
    { start: shares ? middle : range.end, end: range.end },
    { start: range.start, end: middle },
  ]
}

/** Rows of one instant that fill a page leave open what is before it, what is after it, and the instant itself. */
export function apart(endpoint: Endpoint, state: WalkState, instant: number): Step {
  const { start, end } = state.window
  return goOn(endpoint, state, null, [
    rangeOf(instant + 1, end),
    { start: instant, end: instant },
    rangeOf(start, instant - 1),
  ])
}

/** Times of the rows that have one, however the field is spelled, in order, in Unix milliseconds. */
export function timesOf(endpoint: Endpoint, { rows }: Page): readonly number[] {
  const { time } = windowOf(endpoint)
  const field = endpoint.item?.fields[time]
  return rows.flatMap((row) => {
    const spelling = field !== undefined && isObject(row) ? spellingOf(time, field, row) : time
    const value = isObject(row) ? row[spelling] : undefined
    const digits = textOf(value)?.trim() ?? ''
    return /^-?\d{1,15}$/.test(digits) ? [Number(digits)] : []
  })
}

/** The page without the rows whose time is outside a window: they prove nothing about it. Rows without a time stay. */
export function within(endpoint: Endpoint, { start, end }: Range, page: Page): Page {
  const isOutside = (row: unknown): boolean =>
    timesOf(endpoint, { rows: [row], cursor: null }).some((time) => time < start || time > end)
  return { ...page, rows: page.rows.filter((row) => !isOutside(row)) }
}

/**
 * Whether a page has rows, and none of them is known to belong to the window. A few such pages occur if a venue rounds
 * windows; if they continue page after page, nothing in this window will ever be proven. If rows do not prove their
 * times, or have none, only a full page is evidence, and smaller windows may show fewer of them.
 */
export function liesBeside(endpoint: Endpoint, window: Range, page: Page): boolean {
  const times = timesOf(endpoint, page)
  const isFullPage = isFull(endpoint, page)
  if (page.rows.length === 0 || times.some((time) => window.start <= time && time <= window.end)) return false
  if (windowOf(endpoint).proves === 'whole') return isFullPage && times.length > 0
  return times.length > 0 || !isFullPage || isInstant(window)
}

/** What no page of this walk has proven yet, newest first. */
export const openRanges = ({ open, rest }: WalkState): readonly Range[] => merged([open, ...rest])

/** A refused window is not divided further than this. */
const NARROWEST_MS = milliseconds({ hours: 1 })

/** Whether a range that could not be fetched is not divided any further. */
export const isNarrow = ({ start, end }: Range): boolean => end - start <= NARROWEST_MS

/**
 * How to search for what can be fetched of what is open of a window that could not be fetched: in halves; if it is too
 * small for that, by itself; empty if that is what was requested. If the window hides rows behind a full page, only an
 * instant is too small.
 */
export function partsOf(
  endpoint: Endpoint,
  { window, open }: Pick<WalkState, 'window' | 'open'>,
  hides = false,
): readonly WalkState[] {
  const isOnlyPart = open.end - open.start < window.end - window.start
  const isWhole = hides ? isInstant(open) : isNarrow(open)
  const parts = !isWhole ? halvesOf(open) : isOnlyPart ? [open] : []
  return parts.map((part) => startOf(endpoint, [part]) as WalkState)
}

/**
 * The window was refused, but its newer part may be within reach: it is requested in halves; null if it is too small.
 */
export function narrowWindow(endpoint: Endpoint, state: WalkState): WalkState | null {
  const { window, open, rest, order } = state
  if (isNarrow(window)) return null
  const middle = Math.floor((window.start + window.end) / 2)
  const ranges = [
    rangeOf(window.end + 1, open.end),
    { start: middle, end: window.end },
    { start: Math.min(open.start, window.start), end: middle },
    ...rest,
  ]
  return startOf(
    endpoint,
    ranges.filter((range) => range !== null),
    order,
  )
}

/** The window is out of reach, and so is everything older: which range that is, and how to continue with newer data. */
export function giveUpWindow(
  endpoint: Endpoint,
  { window, open, rest, order }: WalkState,
): { readonly gone: readonly Range[]; readonly next: WalkState | null } {
  const older = rest.filter(({ end }) => end <= window.end)
  const newer = [rangeOf(window.end + 1, open.end), ...rest.filter(({ end }) => end > window.end)]
  return {
    gone: merged([{ start: Math.min(open.start, window.start), end: window.end }, ...older]),
    next: startOf(
      endpoint,
      newer.filter((range) => range !== null),
      order,
    ),
  }
}

/** Only this window could not be fetched: which range that is, and how to continue with the rest. */
export function skipWindow(
  endpoint: Endpoint,
  { open, rest, order }: WalkState,
): { readonly gone: readonly Range[]; readonly next: WalkState | null } {
  return { gone: [open], next: startOf(endpoint, rest, order) }
}

/** Ranges that touch or overlap as one, newest first. */
const merged = (ranges: readonly Range[]): Range[] => union(ranges).toReversed()
