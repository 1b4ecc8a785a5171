// A feed of an account: who reads it, what it asks of the books, and how it ends if one of its partitions fails.
import { expect, it } from 'vitest'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { PermissionRefused } from '../../connectors/errors.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import type { SyncContext } from '../../pipeline/sync/context.ts'
import { asksFor, type Knowledge, planFeedPartition, syncFeed } from '../../pipeline/sync/feed.ts'
import { START } from '../support/venue.ts'

const DAY = 86_400_000
const config = { history: {}, venue: { retention_days: {} } } as unknown as SyncContext['config']

/** Of books that have nothing yet; `log` notes that they were asked. */
const nothing = (log: string[] = []): Knowledge => ({
  covered: async () => {
    log.push('books asked')
    return []
  },
  wanted: async () => ({ from: null, lost: [] }),
  unfinished: async () => [],
  oldestUnsettled: async () => null,
  oldestThatLeft: async () => null,
})

it('public data is read by the first account alone', () => {
  const open: Endpoint = { ...openOrders, public: true }
  expect([asksFor(open, 0), asksFor(open, 1), asksFor(openOrders, 1)]).toEqual([true, false, true])
})

it('what the venue still has is counted back from its own time, if this machine’s clock is ahead', async () => {
  const given = { config, since: undefined, landing: nothing(), now: () => START + 10 * DAY }
  const planned = async (venueNow: number | null) =>
    (
      await planFeedPartition({ ...given, venueNow }, 'main', orderHistory, orderHistory.partitions[0]!)
    ).needs.at(-1)?.start
  // 90 days, without the minute that a request may take.
  expect(await planned(START)).toBe(START - 90 * DAY + 60_000)
  expect(await planned(null)).toBe(START - 80 * DAY + 60_000)
})

it('a partition that fails is how the feed ends, though the ones after it are read; the books are asked after landing', async () => {
  const log: string[] = []
  const [spot, margin, futures] = ['SPOT', 'MARGIN', 'USDT-FUTURES'].map((label) => ({
    label,
    params: { category: label },
  }))
  const feed: Endpoint = { ...openOrders, partitions: [spot!, margin!, futures!] }
  const asked = { method: feed.method, path: feed.path }
  const client: AccountClient = {
    async request(_endpoint, given) {
      const { category } = typeof given === 'function' ? given() : given
      log.push(String(category))
      if (category === 'MARGIN')
        throw new PermissionRefused({
          ...{ endpoint: feed, account: 'main', code: '40014', status: 400, message: 'no', body: null },
          request: asked,
        })
      const envelope = { data: { list: [], cursor: null }, requestTime: 1 }
      return { request: asked, status: 200, body: Buffer.alloc(0), envelope, sentAt: 0 }
    },
  }
  const context = {
    ...{ run: 'a run', config, since: undefined, landing: nothing(log), now: () => START },
    venue: { venueAt: () => null },
    recorder: { flush: async () => void log.push('landed'), record: async () => undefined },
    clock: { monotonic: () => 0, wall: () => START },
    signal: new AbortController().signal,
    progress: () => undefined,
    outcome: { refusals: [], failures: [], incomplete: false, answered: 0, givenUp: 0 },
  } as unknown as SyncContext

  expect(await syncFeed(context, 'main', client, feed)).toBe('failed')
  expect(log).toEqual([
    'landed',
    ...['books asked', 'books asked', 'books asked'],
    ...['SPOT', 'MARGIN', 'USDT-FUTURES'],
  ])
})
