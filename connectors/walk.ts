// How a range of time is requested: windows from the newest to the oldest, pages within a window, and what each page
// proves. Pure. A range is claimed only when every record in it has been received, so progress is never ahead of data.
// Sources: interface document, part 1 (pagination) and 4.11 to 4.23; venue-facts, Paging.

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

/** Whether pages are requested by the id of a row: the meaning of such a cursor has to be proven, not assumed. */
export const pagesById = ({ page }: Endpoint): boolean => page.kind === 'cursor' && page.names === 'row'

/** The first window of a need: its newest part. */
export const beginWalk = (endpoint: Endpoint, need: Range): WalkState =>
  startOf(endpoint, [need]) as WalkState

/**
 * Continues at its cursor in a window that only its end proves; `proves` is what part of it the end will then prove.
 */
export function resumeWalk(window: Range, proves: Range, cursor: string): WalkState {
  const open = shared(proves, window) ?? { start: window.start, end: window.start }
  return { window, open, rest: [], order: null, question: null, shown: open, cursor, cursors: [cursor] }
}

/**
 * What a page proves, and how the walk continues. `shown` is the part of its window that the page can have shown:
 * nothing that had expired at the venue, and nothing after the moment of the request. Throws RepeatedCursor, and
 * MalformedAnswer for a full page without ids.
 */
export function advance(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  if (windowOf(endpoint).proves === 'rows') return readByTime(endpoint, state, page, shown)
  return pagesById(endpoint)
    ? readById(endpoint, state, page, shown)
    : followCursor(endpoint, state, page, shown)
}

/**
 * Pages of a feed whose answers name the next page. A window is proven at its end, to the extent that all its pages can
 * have shown it. A window that breaks off with a full page proves nothing: smaller windows may end with a short one.
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
