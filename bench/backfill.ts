// A dense year of one account, fetched at the documented rate of one request a second, against the least time that
// the budget allows for the requests a perfect reader needs. The venue here counts a strict sliding window.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints, findEndpoint } from '../connectors/catalogue.ts'
import type { Endpoint } from '../connectors/endpoint.ts'
import { defaultProfile } from '../connectors/profile.ts'
import { openVenue } from '../connectors/venue.ts'
import { systemClock } from '../models/clock.ts'
import { openBooks } from '../pipeline/books.ts'
import { emptyConfig } from '../pipeline/config.ts'
import { SETTINGS_FEED } from '../pipeline/sync/account.ts'
import { sync } from '../pipeline/sync/sync.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 366 * DAY_MS
const PAGE = 500
const SPAN_MS = 7 * DAY_MS

/** Rows of each partition stand at equal distances: about 400 a week, so that most windows fit one page. */
const SPACING_MS = Math.floor(SPAN_MS / 400)

/** Newest first, like the venue: the rows of a window below a cursor. */
function rowsOf(start: number, end: number, cursor: number | null): { ts: number }[] {
  const top =
    cursor === null ? Math.floor(end / SPACING_MS) : Math.min(Math.floor(end / SPACING_MS), cursor - 1)
  const bottom = Math.ceil(start / SPACING_MS)
  const count = Math.min(PAGE, Math.max(0, top - bottom + 1))
  return Array.from({ length: count }, (_, place) => ({ ts: (top - place) * SPACING_MS }))
}

interface DenseVenue {
  readonly baseUrl: string
  readonly arrivals: number[]
  refused: number
  close(): void
}

async function startDenseVenue(): Promise<DenseVenue> {
  const arrivals: number[] = []
  const answer = (response: ServerResponse, status: number, code: string, data: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ code, msg: code === '00000' ? 'success' : 'refused', requestTime: Date.now(), data }),
    )
  }
  const venue: DenseVenue = { baseUrl: '', arrivals, refused: 0, close: () => server.close() }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://venue')
    if (url.pathname === '/api/v3/account/settings')
      return answer(response, 200, '00000', { uid: '1', accountMode: 'unified' })
    const now = performance.now()
    if (now - (arrivals.at(-1) ?? Number.NEGATIVE_INFINITY) < 1_000) {
      venue.refused += 1
      return answer(response, 429, '429', null)
    }
    arrivals.push(now)
    const query = url.searchParams
    const cursor = query.get('cursor')
    const rows = rowsOf(
      Number(query.get('startTime')),
      Number(query.get('endTime')),
      cursor === null ? null : Number(cursor.slice(1)),
    )
    const line = `${query.get('bizType')}${query.get('marginType') ?? ''}`
    const digit = String(1 + ([...line].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 9))
    answer(
      response,
      200,
      '00000',
      rows.map(({ ts }) => ({
        id: `${digit}${ts / SPACING_MS}`,
        coin: 'USDT',
        type: 'TRANSFER_IN',
        amount: '1',
        fee: '0',
        balance: '1',
        ts: String(ts),
      })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(venue, { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Requests of a reader that knows the data: whole windows, and a page for each 500 rows of them. */
function leastRequests(endpoint: Endpoint): number {
  const windows = Math.ceil(YEAR_MS / SPAN_MS)
  return endpoint.partitions.length * windows * Math.max(1, Math.ceil(SPAN_MS / SPACING_MS / PAGE))
}

export async function run(): Promise<void> {
  const endpoint = findEndpoint('tax.records') as Endpoint
  const settings = findEndpoint(SETTINGS_FEED) as Endpoint
  const dir = mkdtempSync(join(tmpdir(), 'tieout-backfill-'))
  const dense = await startDenseVenue()
  const books = await openBooks(dir, { clock: systemClock, command: 'bench' })
  const credentials = { key: 'k', secret: 's'.repeat(20), passphrase: 'p'.repeat(20) }
  const venue = openVenue({
    profile: defaultProfile,
    baseUrl: dense.baseUrl,
    clock: systemClock,
    random: Math.random,
  })
  try {
    await sync({
      journal: books.journal,
      landing: books.landing,
      venue,
      venueName: defaultProfile.name,
      config: emptyConfig,
      accounts: [{ name: 'dense', api: credentials, tax: credentials }],
      feeds: endpoints.filter((one) => one === endpoint || one === settings),
      settings,
      clock: systemClock,
      now: () => Date.now(),
      signal: new AbortController().signal,
      command: 'bench',
      progress: () => undefined,
    })
  } finally {
    await venue.close()
    await books.close()
    dense.close()
    rmSync(dir, { recursive: true, force: true })
  }
  const { arrivals, refused } = dense
  const took = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000
  const least = leastRequests(endpoint) - 1
  process.stdout.write(
    `${arrivals.length} requests in ${took.toFixed(1)} s, ${refused} refused; ` +
      `a perfect reader needs ${least + 1} requests, ${least} s: ratio ${(took / least).toFixed(3)}\n`,
  )
}
