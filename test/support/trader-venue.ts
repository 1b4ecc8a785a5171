// A venue on loopback whose only account is an ordinary trader: it answers what any account may request, and refuses the rest
// with the real venue's codes. It is a few lines of fixed answers, so that no sandbox code is involved.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { endpoints } from '../../connectors/catalogue.ts'
import { whenTestEnds } from './beside.ts'
import { temporaryFolder } from './cli.ts'

/** A refusal by the venue: code and message, under whatever status the test chose. */
export interface Refused {
  readonly code: string
  readonly status: number
}

/**
 * What an endpoint answers: the `data` of a success, or a refusal. The query is the request's; `nth` is the account that
 * signed it, counted from one: the first where nobody did.
 */
export type Answers = Readonly<Record<string, (query: URLSearchParams, nth: number) => unknown>>

export const refused = (code: string, status: number): Refused => ({ code, status })

const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'code' in answer && 'status' in answer

const noOrders = { list: [], cursor: '' }

/** What a unified account without rows answers at the endpoints open to any account. */
export const TRADER: Answers = {
  '/api/v3/account/settings': (_, nth) => ({
    uid: `${1000 + nth}`,
    accountMode: 'unified',
    assetMode: 'multi_assets',
  }),
  '/api/v3/trade/unfilled-orders': () => noOrders,
  '/api/v3/trade/history-orders': () => noOrders,
  '/api/v3/tax/records': () => [],
  '/api/v2/tax/future-record': () => [],
  '/api/v2/tax/p2p-record': () => [],
  '/api/v2/mix/position/all-position': () => [],
  '/api/v2/mix/market/contracts': () => [],
  '/api/v3/market/liquidations': () => noOrders,
}

/** By path, the code with which the venue refuses an endpoint that requires a different kind of account. */
const EXCLUDED: Readonly<Record<string, string>> = {
  '/api/v2/p2p/merchantInfo': '60039',
  '/api/v2/p2p/orderList': '40054',
  '/api/v2/broker/customer-list': '70102',
  '/api/v2/broker/customer-kyc-result': '70231',
  '/api/v2/mix/account/sub-account-assets': '40029',
  '/api/v3/ins-loan/ltv-convert': '40099',
}

/** Endpoints that are not for traders, refused with this status. */
export const excluded = (status: number): Answers =>
  Object.fromEntries(Object.entries(EXCLUDED).map(([path, code]) => [path, () => refused(code, status)]))

export interface TraderVenue {
  readonly baseUrl: string
  /** Paths without their query, in the order of their arrival. */
  readonly arrived: string[]
  /** The answers to the next requests. */
  answers: Answers
}

/** Starts it; it is closed when the test ends. A path without an answer is HTTP 404. */
export async function traderVenue(answers: Answers): Promise<TraderVenue> {
  const arrived: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://venue')
    arrived.push(url.pathname)
    request.resume()
    request.on('end', () => {
      const nth = Number(/-key-(\d+)$/.exec(String(request.headers['access-key']))?.[1] ?? 1)
      const answer = venue.answers[url.pathname]?.(url.searchParams, nth) ?? refused('40404', 404)
      const requestTime = Date.now()
      const [status, body] = isRefused(answer)
        ? [answer.status, { code: answer.code, msg: 'refused', requestTime, data: null }]
        : [200, { code: '00000', msg: 'success', requestTime, data: answer }]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenTestEnds(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const venue: TraderVenue = { baseUrl, arrived, answers }
  return venue
}

/**
 * A folder of books configured for it, with both keys and budgets that never delay; `venue` is an additional line. With
 * more accounts than one, each has keys of its own.
 */
export function traderBooks(
  baseUrl: string,
  history: string,
  venue = '',
  accounts: readonly string[] = ['trader'],
): string {
  const dir = temporaryFolder()
  mkdirSync(dir, { recursive: true })
  const budgets = endpoints.map(({ name }) => `    ${name}: { count: 50, per_ms: 1 }`)
  writeFileSync(
    join(dir, 'tieout.yaml'),
    [
      'venue:',
      `  base_url: ${baseUrl}`,
      '  ip_budget: { count: 100, per_ms: 1 }',
      '  budgets:',
      ...budgets,
      venue,
      `history: ${history}`,
      `accounts: { ${accounts.map((name) => `${name}: { credentials: file }`).join(', ')} }`,
      '',
    ].join('\n'),
  )
  const credentials = accounts.map((name, place) => {
    const nth = String(place + 1).padStart(2, '0')
    const keys = `key: "api-key-${nth}", secret: "api-secret-${nth}", passphrase: "api-phrase-${nth}"`
    const tax = `tax_key: "tax-key-${nth}", tax_secret: "tax-secret-${nth}", tax_passphrase: "tax-phrase-${nth}"`
    return `${name}: { ${keys}, ${tax} }\n`
  })
  writeFileSync(join(dir, 'credentials.yaml'), credentials.join(''), { mode: 0o600 })
  return dir
}
