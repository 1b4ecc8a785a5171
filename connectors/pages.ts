// The pages of one list: what a page contains, and what requests the next one if the venue's own cursor, or a page
// number, leads on. Pure. Sources: interface document, part 1 (pagination); venue-facts, Paging.
import type { Endpoint } from './endpoint.ts'
import { lastId, type Page, readPage } from './envelope.ts'
import { EndlessCursor, MalformedAnswer, type Refusal, RepeatedCursor, WindowIgnored } from './errors.ts'

/** A position among the pages of one list. */
export interface Place {
  /** Requests the next page; null for the first. */
  readonly cursor: string | null
  /** The cursors used so far: a repeated cursor would go round for ever. */
  readonly cursors: readonly string[]
}

export const firstPage: Place = { cursor: null, cursors: [] }

/** The rows of an answer's `data` and its next cursor. Throws MalformedAnswer. */
export function extractPage(endpoint: Endpoint, data: unknown): Page {
  const page = readPage(endpoint, data)
  if (typeof page === 'string') throw new MalformedAnswer(refusalOf(endpoint, 'malformed answer', page))
  return page
}

/**
 * The position after a page; null at the end of the list. An empty page ends it too, unless its cursor leads on. Throws
 * RepeatedCursor.
 */
export function turnPage(endpoint: Endpoint, place: Place, page: Page): Place | null {
  const { kind } = endpoint.page
  const leadsOn = kind === 'cursor' && page.cursor !== null && !place.cursors.includes(page.cursor)
  if (kind === 'none' || (page.rows.length === 0 && !leadsOn)) return null
  const counts = kind === 'page-number'
  // A venue that ignores the page number sends the same page again, which its last row shows.
  const mark = counts ? lastId(endpoint, page.rows) : page.cursor
  if (mark === null) return null
  if (place.cursors.includes(mark))
    throw new RepeatedCursor(refusalOf(endpoint, 'repeated cursor', `${mark} came twice`))
  const cursor = counts ? String(Number(place.cursor ?? '1') + 1) : mark
  return { cursor, cursors: [...place.cursors, mark] }
}

/** Whether a page has as many rows as were requested, so that more may follow it. */
export const isFull = ({ page }: Endpoint, { rows }: Page): boolean =>
  page.kind !== 'none' && rows.length >= page.size

/** Whether a list ends with a full page: no next page was named, and yet more may follow. */
export const breaksOff = (endpoint: Endpoint, page: Page, next: Place | null): boolean =>
  next === null && isFull(endpoint, page)

/** A full page whose rows have no ids cannot be told from any other page. */
export function namelessPage(endpoint: Endpoint): MalformedAnswer {
  return new MalformedAnswer(refusalOf(endpoint, 'malformed answer', 'a full page on which no row has an id'))
}

/** A list that continued after this many pages, which is more than there can be. */
export const endlessList = (endpoint: Endpoint, pages: number): MalformedAnswer =>
  new MalformedAnswer(refusalOf(endpoint, 'malformed answer', `a list that continues after ${pages} pages`))

/** A list that ends with a full page, so that what is looked for may be beyond its end. */
export const brokenList = (endpoint: Endpoint): MalformedAnswer =>
  new MalformedAnswer(refusalOf(endpoint, 'list broken off', 'a full page that names no next page'))

/**
 * After this many pages without a row of their windows it is no longer just disorder: something answers regardless of
 * what is requested.
 */
export const MOST_BESIDE = 10

export const windowIgnored = (endpoint: Endpoint): WindowIgnored =>
  new WindowIgnored(
    refusalOf(endpoint, 'window ignored', `${MOST_BESIDE} pages in a row without a row from their window`),
  )

/**
 * Processes one page of a list after the other: the cursor that requested it, its number of rows and the mark of its
 * last row (`lastMark`). A cursor that continues without a new row would never end: throws EndlessCursor.
 */
export function watchPages(
  endpoint: Endpoint,
): (cursor: string | null, rows: number, last: string | null) => void {
  let idle = 0
  let before: string | null = null
  return (cursor, rows, last) => {
    const isTurned = endpoint.page.kind === 'cursor' && cursor !== null
    idle = isTurned && (rows === 0 || last === before) ? idle + 1 : 0
    before = last ?? before
    if (idle < MOST_BESIDE) return
    const message = `${MOST_BESIDE} pages in a row whose cursor returned no new row`
    throw new EndlessCursor(refusalOf(endpoint, 'repeated cursor', message))
  }
}

const refusalOf = (endpoint: Endpoint, code: string, message: string): Refusal => ({
  endpoint,
  account: '',
  code,
  status: null,
  message,
  request: { method: endpoint.method, path: endpoint.path },
  body: null,
})
