// What one page becomes in the journal: what it claims, how its list continues, and what is stated to be missing.
import { describe, expect, it } from 'vitest'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { p2pRecords } from '../../connectors/endpoints/tax.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { RepeatedCursor } from '../../connectors/errors.ts'
import { firstPage } from '../../connectors/pages.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { beginWalk, resumeWalk } from '../../connectors/walk.ts'
import type { SyncContext } from '../../pipeline/sync/context.ts'
import { type Asking, fetchPage } from '../../pipeline/sync/page.ts'
import { START } from '../support/venue.ts'

const DAY = 86_400_000
/** What the venue still has of these feeds begins a minute later than six days ago. */
const OLDEST = START - 6 * DAY + 60_000

interface Recorded {
  readonly kind: string
  readonly covers?: unknown
  readonly next?: unknown
  readonly status?: unknown
  readonly code?: unknown
  readonly range?: unknown
}

/** Fetches a page whose answer has this `data`; returns what was asked for, what was recorded, and the failure. */
async function fetched(endpoint: Endpoint, step: Asking, data: unknown) {
  const recorded: Recorded[] = []
  let sent: Params = {}
  const context = {
    ...{ run: 'r1', secrets: [], outcome: { answered: 0, givenUp: 0 }, signal: new AbortController().signal },
    clock: { wall: () => START, monotonic: () => 0 },
    venue: { venueAt: (monotonic: number) => START + monotonic },
    config: { history: {}, venue: { retention_days: { [endpoint.name]: 6 } } },
    recorder: { record: async (meta: Recorded) => void recorded.push(meta) },
  } as unknown as SyncContext
  const client: AccountClient = {
    async request(_, params) {
      sent = typeof params === 'function' ? params() : params
      const request = { method: 'GET', path: endpoint.path } as const
      return {
        request,
        status: 200,
        body: Buffer.alloc(0),
        envelope: { data, requestTime: START },
        sentAt: -5,
      }
    },
  }
  const { partitions } = endpoint
  const failure = await fetchPage(context, 'main', client, endpoint, partitions[0]!, step).then(
    () => null,
    (error: unknown) => error,
  )
  const [page, ...statements] = recorded
  return { sent, page, statements, failure }
}

describe('a page of a window', () => {
  it('claims nothing after the moment at which it was sent', async () => {
    const { page } = await fetched(
      p2pRecords,
      beginWalk(p2pRecords, { start: START - DAY, end: START + 50 }),
      [],
    )
    expect(page?.covers).toEqual({ start: START - DAY, end: START - 5 })
  })

  it('is asked for from what the venue still has; the two minutes at that edge are no gap', async () => {
    const start = OLDEST - 120_000
    const { sent, page, statements } = await fetched(
      p2pRecords,
      beginWalk(p2pRecords, { start, end: START - DAY }),
      [],
    )
    expect(sent.startTime).toBe(String(OLDEST))
    expect(page?.covers).toEqual({ start, end: START - DAY })
    expect(statements).toEqual([])
  })

  it('claims only what the venue still has, and states that the rest is lost', async () => {
    const start = OLDEST - 120_001
    const { page, statements } = await fetched(
      p2pRecords,
      beginWalk(p2pRecords, { start, end: START - DAY }),
      [],
    )
    expect(page?.covers).toEqual({ start: OLDEST, end: START - DAY })
    expect(statements).toMatchObject([{ kind: 'statement', status: 'lost', range: { start, end: OLDEST } }])
  })
})

describe('a page behind the first', () => {
  const window = { start: OLDEST - DAY, end: START - DAY }
  const order = { orderId: '5', createdTime: String(START - 2 * DAY) }

  it('states what was lost in the meantime once it ends the window', async () => {
    const step = resumeWalk(window, window, '7')
    const more = await fetched(orderHistory, step, { list: [order], cursor: '8' })
    expect([more.page?.next, more.page?.covers, more.statements]).toEqual(['8', undefined, []])
    const last = await fetched(orderHistory, step, { list: [order], cursor: null })
    expect([last.page?.next, last.page?.covers]).toEqual([null, { start: OLDEST, end: START - DAY }])
    expect(last.statements).toMatchObject([{ status: 'lost', range: { start: window.start, end: OLDEST } }])
  })

  it('names no cursor of another window for the one that has ended', async () => {
    const long = beginWalk(orderHistory, { start: START - 40 * DAY, end: START - DAY })
    const { page } = await fetched(orderHistory, long, { list: [order], cursor: '' })
    expect(page).toMatchObject({ next: null })
  })

  it('that repeats a cursor is kept, claims nothing, and fails', async () => {
    const { page, failure } = await fetched(orderHistory, resumeWalk(window, window, '7'), {
      list: [order],
      cursor: '7',
    })
    expect(failure).toBeInstanceOf(RepeatedCursor)
    expect([page?.kind, page?.covers]).toEqual(['page', undefined])
  })
})

describe('a page of a list without times', () => {
  const list = Array.from({ length: 100 }, (_, nth) => ({ orderId: String(nth) }))

  it('that is full and names no next one is the end, of which it is stated that more may follow', async () => {
    const { page, statements } = await fetched(openOrders, firstPage, { list, cursor: null })
    expect(page?.next).toBeNull()
    expect(statements).toMatchObject([{ status: 'unproven', code: 'no cursor' }])
    expect((await fetched(openOrders, firstPage, { list: list.slice(1), cursor: null })).statements).toEqual(
      [],
    )
  })

  it('that repeats a cursor does not end it', async () => {
    const step = { cursor: '7', cursors: ['7'] }
    const { page, failure } = await fetched(openOrders, step, { list, cursor: '7' })
    expect(failure).toBeInstanceOf(RepeatedCursor)
    expect(page?.next).toBe('7')
  })
})
