// How a range of time is asked for: windows from the newest to the oldest, pages within a window, and what each page
// proves. Pure. A range is claimed only when every record in it has been received, so progress is never ahead of
// data. Sources: interface document, part 1 (pagination) and 4.11 to 4.23; venue-facts, Paging.

import type { Range } from '../models/ranges.ts'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './envelope.ts'
import { breaksOff, turnPage } from './pages.ts'
import { readById } from './walk-by-id.ts'
import { readByTime } from './walk-by-time.ts'
import {
  goOn,
  inHalves,
  isInstant,
  type Step,
  shared,
  startOf,
  type WalkState,
  windowOf,
} from './walk-state.ts'

/** Whether pages are asked for by the id of a row: what such a cursor means is to be proven, not believed. */
export const pagesById = ({ page }: Endpoint): boolean => page.kind === 'cursor' && page.names === 'row'

/** The first window of a need: its newest part. */
export const beginWalk = (endpoint: Endpoint, need: Range): WalkState =>
  startOf(endpoint, [need]) as WalkState

/** Goes on at its cursor in a window that only its end proves; `proves` is what of it the end will then prove. */
export function resumeWalk(window: Range, proves: Range, cursor: string): WalkState {
  const open = shared(proves, window) ?? { start: window.start, end: window.start }
  return { window, open, rest: [], order: null, question: null, shown: open, cursor, cursors: [cursor] }
}

/**
 * What a page proves, and how the walk goes on. `shown` is what of its window the page can have shown: no time that the
 * venue had forgotten, and none after the moment of asking. Throws RepeatedCursor, and MalformedAnswer for a full page
 * without ids.
 */
export function advance(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  if (windowOf(endpoint).proves === 'rows') return readByTime(endpoint, state, page, shown)
  return pagesById(endpoint)
    ? readById(endpoint, state, page, shown)
    : followCursor(endpoint, state, page, shown)
}

/**
 * Pages of a feed whose answers name the next page. A window is proven at its end, by what all its pages can have shown. One
 * that breaks off with a full page proves nothing: smaller windows may end with a short one.
 */
function followCursor(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  const { start, end } = state.shown ?? shown
  const seen = { start: Math.max(start, shown.start), end }
  const place = turnPage(endpoint, state, page)
  if (breaksOff(endpoint, page, place))
    return isInstant(state.window)
      ? { ...goOn(endpoint, state, null), unproven: state.window }
      : inHalves(endpoint, state, state.window)
  if (place === null) return goOn(endpoint, state, shared(state.open, seen))
  return { covers: null, unproven: null, next: { ...state, ...place, shown: seen } }
}
