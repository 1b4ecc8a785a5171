// A venue of many accounts, in a separate process so that its work is not counted with anything else: a page
// for every request, and for each account a count of requests that came earlier than the budget allows.
// Accounts whose key begins with `fails` fail, each in one of the possible ways, and are not counted. Run by
// `fork`; it reports its port, and at the end its counts.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { INTERVAL_MS, rowsOf } from './dense-venue.ts'

/** What the venue has counted. */
export interface Counted {
  readonly requests: number
  /** Requests that came within the interval after the account's last. */
  readonly early: number
  /** Milliseconds from the first request of a feed to the last. */
  readonly tookMs: number
}

/** About twenty records a week: this benchmark counts requests, and `landing` counts rows. */
const SPACING_MS = 8 * 3_600_000
const last = new Map<string, number>()
let [requests, early, first, latest] = [0, 0, 0, 0]

type Fail = (response: ServerResponse) => void

const refuse =
  (status: number, code: string): Fail =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code, msg: 'refused', requestTime: Date.now(), data: null }))

/** Every way in which a venue can fail. */
const FAILURES: readonly Fail[] = [
  refuse(400, '40006'),
  refuse(400, '40009'),
  refuse(400, '40018'),
  refuse(400, '40014'),
  refuse(400, '40008'),
  refuse(400, '99999'),
  refuse(429, '429'),
  refuse(502, '40725'),
  (response) => void response.end('<html>maintenance</html>'),
  (response) => void response.socket?.destroy(),
  (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"code":', () => response.socket?.destroy())
  },
  // Never answers.
  () => undefined,
]

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://venue')
  const account = String(request.headers['access-key'])
  const [, way] = /^fails-(\d+)$/.exec(account) ?? []
  if (way !== undefined) {
    FAILURES[Number(way) % FAILURES.length]?.(response)
    return
  }
  const answer = (data: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: '00000', msg: 'success', requestTime: Date.now(), data }))
  }
  if (url.pathname === '/api/v3/account/settings') return answer({ uid: account, accountMode: 'unified' })
  const now = performance.now()
  if (requests === 0) first = now
  latest = now
  requests += 1
  if (now - (last.get(account) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) early += 1
  last.set(account, now)
  answer(rowsOf(url.searchParams, SPACING_MS))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on('message', () => {
  const counted: Counted = { requests, early, tookMs: latest - first }
  process.send?.(counted, () => process.exit(0))
})
