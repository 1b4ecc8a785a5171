// A client of the tests' own, so that the sandbox is witnessed by something that is neither it nor tieout.

import { createHmac } from 'node:crypto'
import type { Credential, Sandbox, SandboxAccount } from '../../sandbox/index.ts'

export interface Answer {
  status: number
  code: string
  msg: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  data: any
  headers: Headers
}

/** The wall clock does not matter to these tests, except that a signature must be fresh by it. */
export const NOW = new Date('2026-03-01T12:00:00Z')
export const DAY_MS = 86_400_000

export interface Held {
  monotonicMs: () => number
  advance: (ms: number) => void
}

/** A clock that stands still until the test moves it. */
export function heldClock(): Held {
  let elapsedMs = 0
  return {
    monotonicMs: () => elapsedMs,
    advance: (ms) => {
      elapsedMs += ms
    },
  }
}

export function sign(secret: string, timestamp: string, method: string, target: string, body = ''): string {
  return createHmac('sha256', secret)
    .update(timestamp + method + target + body)
    .digest('base64')
}

export async function send(
  sandbox: Pick<Sandbox, 'baseUrl'>,
  credential: Credential,
  method: 'GET' | 'POST',
  path: string,
  params: Record<string, unknown> | unknown[] = {},
  override: Record<string, string> = {},
): Promise<Answer> {
  const query = method === 'GET' ? new URLSearchParams(params as Record<string, string>).toString() : ''
  const target = query === '' ? path : `${path}?${query}`
  const body = method === 'POST' ? JSON.stringify(params) : ''
  const timestamp = override['ACCESS-TIMESTAMP'] ?? String(Date.now())
  const response = await fetch(sandbox.baseUrl + target, {
    method,
    headers: {
      'ACCESS-KEY': credential.apiKey,
      'ACCESS-SIGN': sign(credential.secret, timestamp, method, target, body),
      'ACCESS-PASSPHRASE': credential.passphrase,
      'ACCESS-TIMESTAMP': timestamp,
      locale: 'en-US',
      'Content-Type': 'application/json',
      ...override,
    },
    ...(method === 'POST' ? { body } : {}),
  })
  const envelope = (await response.json()) as Omit<Answer, 'status' | 'headers'>
  return { ...envelope, status: response.status, headers: response.headers }
}

export async function get(
  sandbox: Sandbox,
  credential: Credential,
  path: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  return send(sandbox, credential, 'GET', path, params)
}

export async function post(
  sandbox: Sandbox,
  credential: Credential,
  path: string,
  body: Record<string, unknown> | unknown[],
): Promise<Answer> {
  return send(sandbox, credential, 'POST', path, body)
}

export const PARTITIONS: Record<string, string>[] = [
  { bizType: 'SPOT' },
  { bizType: 'MARGIN' },
  { bizType: 'MARGIN', marginType: 'isolated' },
  { bizType: 'USDT-FUTURES' },
  { bizType: 'COIN-FUTURES' },
  { bizType: 'USDC-FUTURES' },
  { bizType: 'OTHER' },
]

// biome-ignore lint/suspicious/noExplicitAny: rows of every feed.
export type Row = any

/** Every row of a feed, window by window and page by page; throws when an id comes twice within a window. */
export async function readFeed(
  sandbox: Sandbox,
  credential: Credential,
  feed: {
    path: string
    cursor: 'cursor' | 'idLessThan'
    id: string
    spanDays: number
    limit: number
    rows?: (data: Row) => Row[]
  },
  params: Record<string, string>,
  fromMs: number,
  toMs: number,
): Promise<Row[]> {
  const all: Row[] = []
  for (let start = fromMs; start < toMs; start += feed.spanDays * DAY_MS) {
    const end = Math.min(start + feed.spanDays * DAY_MS - 1, toMs)
    let cursor: string | undefined
    for (;;) {
      const answer = await get(sandbox, credential, feed.path, {
        ...params,
        startTime: String(start),
        endTime: String(end),
        limit: String(feed.limit),
        ...(cursor === undefined ? {} : { [feed.cursor]: cursor }),
      })
      if (answer.code !== '00000') throw new Error(`${answer.code} ${answer.msg}`)
      const rows = feed.rows ? feed.rows(answer.data) : (answer.data as Row[])
      all.push(...rows)
      if (rows.length < feed.limit) break
      cursor = rows.at(-1)[feed.id]
    }
  }
  const ids = new Set(all.map((row) => row[feed.id]))
  if (ids.size !== all.length) throw new Error('a record came twice')
  return all
}

export const TAX = {
  path: '/api/v3/tax/records',
  cursor: 'cursor',
  id: 'id',
  spanDays: 7,
  limit: 500,
} as const
export const FUTURES = {
  path: '/api/v2/tax/future-record',
  cursor: 'idLessThan',
  id: 'id',
  spanDays: 30,
  limit: 500,
} as const
export const P2P = { ...FUTURES, path: '/api/v2/tax/p2p-record' } as const

export function accountOf(sandbox: Sandbox, kind: 'parent' | 'classic' | 'broker' | 'sub'): SandboxAccount {
  return sandbox.accounts.find((account) =>
    kind === 'classic' ? account.kind === 'classic' : account.roles.includes(kind as never),
  )!
}
