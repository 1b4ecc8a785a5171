// A venue with a dense year of one feed behind one budget: a request a second, counted as a strict sliding
// window. The backfill benchmark uses it in real time, a test on a clock that the test controls.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Endpoint } from '../connectors/endpoint.ts'

const DAY_MS = 86_400_000
const PAGE = 500
const SPAN_MS = 7 * DAY_MS
/** The minimum interval that the feed's budget requires between two requests. */
export const INTERVAL_MS = 1_000

/** Rows of each partition are evenly spaced: about 400 a week, so that most windows fit one page. */
const SPACING_MS = Math.floor(SPAN_MS / 400)

/** Newest first, like the venue: the rows of a window below a cursor. */
function stampsOf(start: number, end: number, cursor: number | null, spacingMs: number): number[] {
  const top =
    cursor === null ? Math.floor(end / spacingMs) : Math.min(Math.floor(end / spacingMs), cursor - 1)
  const bottom = Math.ceil(start / spacingMs)
  const count = Math.min(PAGE, Math.max(0, top - bottom + 1))
  return Array.from({ length: count }, (_, place) => (top - place) * spacingMs)
}

/** The rows that answer a request for the feed, with this many milliseconds between them. */
export function rowsOf(query: URLSearchParams, spacingMs: number = SPACING_MS): Record<string, string>[] {
  const cursor = query.get('cursor')
  const stamps = stampsOf(
    Number(query.get('startTime')),
    Number(query.get('endTime')),
    cursor === null ? null : Number(cursor.slice(1)),
    spacingMs,
  )
  const line = `${query.get('bizType')}${query.get('marginType') ?? ''}`
  const digit = String(1 + ([...line].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 9))
  return stamps.map((ts) => ({
    id: `${digit}${ts / spacingMs}`,
    coin: 'USDT',
    type: 'TRANSFER_IN',
    amount: '1',
    fee: '0',
    balance: '1',
    ts: String(ts),
  }))
}

export interface DenseVenue {
  readonly baseUrl: string
  /** When each request for the feed arrived, by the given clock. */
  readonly arrivals: number[]
  refused: number
  close(): void
}

/** `monotonic` times the arrivals, `wall` is the time stated in answers; both in milliseconds. */
export async function startDenseVenue(monotonic: () => number, wall: () => number): Promise<DenseVenue> {
  const arrivals: number[] = []
  const answer = (response: ServerResponse, status: number, code: string, data: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ code, msg: code === '00000' ? 'success' : 'refused', requestTime: wall(), data }),
    )
  }
  const venue: DenseVenue = { baseUrl: '', arrivals, refused: 0, close: () => void server.close() }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://venue')
    if (url.pathname === '/api/v3/account/settings')
      return answer(response, 200, '00000', { uid: '1', accountMode: 'unified' })
    const now = monotonic()
    if (now - (arrivals.at(-1) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) {
      venue.refused += 1
      return answer(response, 429, '429', null)
    }
    arrivals.push(now)
    answer(response, 200, '00000', rowsOf(url.searchParams))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(venue, { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Requests of a reader that knows the data: whole windows, and a page for each 500 rows in them. */
export function leastRequests(endpoint: Endpoint, days: number): number {
  const windows = Math.ceil((days * DAY_MS) / SPAN_MS)
  return endpoint.partitions.length * windows * Math.max(1, Math.ceil(SPAN_MS / SPACING_MS / PAGE))
}
