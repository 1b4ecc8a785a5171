// The search for an order whose answer was lost, in lists that do not behave: the venue is a few lines on loopback, which
// takes the order and breaks off, and answers for its lists what the test says.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Params } from '../../connectors/endpoint.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import { validateParams } from '../../connectors/params.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { readWrites } from '../../pipeline/books/writes.ts'
import { findOrder } from '../../pipeline/calls/find-order.ts'
import { desk, journalText } from '../support/calls.ts'

const OPEN = '/api/v3/trade/unfilled-orders'
const HISTORY = '/api/v3/trade/history-orders'
const ORDER = ['symbol=BTCUSDT', 'side=buy', 'orderType=limit', 'force=gtc', 'price=1000', 'size=0.01']
const SECRET = 'api-secret-01'
const taxKey = { apiKey: 'tax-key-01', secret: 'tax-secret-01', passphrase: 'tax-phrase-01' }
const account = {
  name: 'desk',
  uid: '1001',
  kind: 'unified',
  roles: [],
  apiKey: 'api-key-01',
  secret: SECRET,
} as const

interface Page {
  readonly list: unknown
  readonly cursor: unknown
}

const NOTHING: Page = { list: [], cursor: null }
const order = (clientOid: unknown, more: object = {}) => ({
  orderId: '7',
  clientOid,
  orderStatus: 'live',
  ...more,
})

/** Places an order whose answer is lost, with these lists; gives what came of the call and of the write. */
async function lost(lists: Readonly<Record<string, (cursor: string | null) => Page>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://venue')
    asked.push(pathname)
    if (request.method === 'POST') return request.socket.destroy()
    const list = lists[pathname]
    const data = list === undefined ? NOTHING : list(searchParams.get('cursor'))
    response.end(JSON.stringify({ code: '00000', msg: 'success', requestTime: Date.now(), data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const at = await desk({
    baseUrl,
    accounts: [{ ...account, roles: [], passphrase: 'api-phrase-01', taxKey }],
  })
  const made = await at.call('spot.placeOrder', ORDER, { write: true }).catch((error: unknown) => error)
  const books = await openBooks(at.dir, { clock: systemClock, command: 'test' })
  const [write] = await readWrites(books.landing.connection)
  await books.close()
  return { made, write, told: at.told, asked, journal: await journalText(at.dir) }
}

const OPEN_STILL = { name: 'OutcomeUnknown', exitCode: 5 }

test.each([
  ['the same page', () => [order('other')]],
  ['an empty page', () => []],
])(
  '%s under ever new cursors is given up: the write stays open, and the reason is reported',
  async (_, list) => {
    for (const path of [OPEN, HISTORY]) {
      let next = 0
      const endless = (): Page => {
        next += 1
        return { list: list(), cursor: `c${next}` }
      }
      const { made, write, told, asked } = await lost({ [path]: endless })
      expect(made).toMatchObject(OPEN_STILL)
      expect(write).toMatchObject({ outcome: 'unknown' })
      expect(told.join('\n')).toMatch(/^Order own-1 of write 1 could not be looked for: .*repeated cursor/m)
      expect(asked.length).toBeLessThan(20)
    }
  },
)

test('endless pages whose orders are all new are given up: there cannot be so many open orders, or orders since it was sent', async () => {
  let next = 0
  const endless = (): Page => {
    next += 1
    return { list: [order('other', { orderId: String(next) })], cursor: next > 3_000 ? null : `c${next}` }
  }
  const { made, write, told, asked } = await lost({ [OPEN]: endless })
  expect(made).toMatchObject(OPEN_STILL)
  expect(write).toMatchObject({ outcome: 'unknown' })
  expect(told.join('\n')).toMatch(/^Order own-1 of write 1 could not be looked for:/m)
  expect(asked.length).toBeLessThan(1_200)
}, 60_000)

const hundred = Array.from({ length: 100 }, (_, at) => order(`other-${at}`, { orderId: String(1_000 + at) }))
const BROKEN_OFF: Page = { list: hundred, cursor: null }

test.each([
  ['the open orders', OPEN, 'trade.openOrders'],
  ['the history', HISTORY, 'trade.orderHistory'],
])(
  'an order is not said to be in neither list if one of them ends early with a full page: %s',
  async (_, path, feed) => {
    const { made, write, told } = await lost({ [path]: () => BROKEN_OFF })
    expect(made).toMatchObject(OPEN_STILL)
    expect(write).toMatchObject({ outcome: 'unknown' })
    expect(told).toContain(
      `Order own-1 of write 1 could not be looked for: The venue’s answer cannot be read: ${feed}. (list broken off)`,
    )
  },
)

test('an order that was filled is found in the history although the list of open orders ends early', async () => {
  const { made, write } = await lost({
    [OPEN]: () => BROKEN_OFF,
    [HISTORY]: () => ({ list: [order('own-1', { orderStatus: 'filled' })], cursor: null }),
  })
  expect(made).toEqual({ orderId: '7', clientOid: 'own-1' })
  expect(write).toMatchObject({ outcome: 'done', code: 'found' })
})

const HOUR_MS = 3_600_000
const hoursAgo = (hours: number): string => String(Date.now() - hours * HOUR_MS)

test.each([
  ['seven hours ago', { createdTime: hoursAgo(7), orderStatus: 'live' }],
  ['an hour ago and filled in part', { createdTime: hoursAgo(1), orderStatus: 'partially_filled' }],
])(
  'an open order of the same clientOid, placed %s, is not mistaken for one that never arrived',
  async (_, older) => {
    const { made, write, told } = await lost({
      [OPEN]: () => ({ list: [order('own-1', older)], cursor: null }),
    })
    expect(made).toMatchObject(OPEN_STILL)
    expect(write).toMatchObject({ outcome: 'unknown' })
    expect(told).toContain(
      'Order own-1 of write 1 cannot be distinguished from order 7, which is older and has the same clientOid. Check both yourself.',
    )
  },
)

test('an unfilled order of the same clientOid is the same order for six hours', async () => {
  const older = order('own-1', { createdTime: hoursAgo(5), orderStatus: 'new' })
  const { write } = await lost({ [OPEN]: () => ({ list: [older], cursor: null }) })
  expect(write).toMatchObject({ outcome: 'done', code: 'found' })
})

test('an order after empty pages whose cursor continues is found', async () => {
  const pages: Readonly<Record<string, Page>> = {
    first: { list: null, cursor: 'a' },
    a: { list: [order('other')], cursor: 'b' },
    b: { list: [], cursor: 'c' },
    c: { list: [order('own-1')], cursor: '' },
  }
  const { made, write } = await lost({ [OPEN]: (cursor) => pages[cursor ?? 'first'] ?? NOTHING })
  expect(made).toEqual({ orderId: '7', clientOid: 'own-1' })
  expect(write).toMatchObject({ outcome: 'done', code: 'found' })
})

test('rows that are not orders are skipped', async () => {
  const list = [null, 5, 'own-1', ['own-1'], { clientOid: null }, order({ own: 1 }), order('own-1')]
  const { made } = await lost({ [HISTORY]: () => ({ list, cursor: null }) })
  expect(made).toEqual({ orderId: '7', clientOid: 'own-1' })
})

test('a secret of ours that the list repeats is neither shown nor journaled', async () => {
  const said = { orderId: SECRET, orderStatus: `live ${SECRET}` }
  const { made, write, told, journal } = await lost({
    [OPEN]: () => ({ list: [order('own-1', said)], cursor: null }),
  })
  expect(write).toMatchObject({ outcome: 'done', code: 'found' })
  for (const text of [JSON.stringify(made), JSON.stringify(write), told.join('\n'), journal])
    expect(text).not.toContain(SECRET)
})

describe('an order that was sent by a clock that was ahead', () => {
  // An hour ahead when it was sent; set right two minutes later.
  const [sentAt, now] = [1_767_229_200_000, 1_767_225_720_000]

  /** Looks for it where the history has this order, if it was created in the times that are asked for. */
  async function lookedFor(past: ReturnType<typeof order> & { readonly createdTime?: string }, offsetMs = 0) {
    const asked: Params[] = []
    const client: AccountClient = {
      async request(endpoint, params) {
        const sent = validateParams(endpoint, typeof params === 'function' ? params() : params)
        asked.push(sent)
        const created = Number(past.createdTime ?? now)
        const isIn = Number(sent.startTime) <= created && created <= Number(sent.endTime)
        const list = endpoint === orderHistory && isIn ? [past] : []
        const request = { method: endpoint.method, path: endpoint.path }
        const envelope = { data: { list, cursor: null }, requestTime: 1_000 }
        return { request, status: 200, body: Buffer.alloc(0), envelope, sentAt: 0 }
      },
    }
    const venue = { offsetMs, venueNow: () => now }
    const found = await findOrder(client, venue, { clientOid: 'own-1', symbol: 'BTCUSDT', sentAt })
    return { found, asked }
  }

  test('is still looked for, as far back as one request reaches: it may have been sent at any time', async () => {
    const { found, asked } = await lookedFor(order('own-1'))
    expect(found).toEqual({ feed: 'trade.orderHistory', orderId: '7', status: 'live', isOlder: false })
    // 30 days before now.
    expect(asked[1]).toMatchObject({ startTime: '1764633720000', endTime: '1767225720000' })
  })

  test('and was filled before the clock was set right is found, though it cannot be told from an older one', async () => {
    const { found } = await lookedFor({
      ...order('own-1', { orderStatus: 'filled' }),
      createdTime: '1767225600000',
    })
    expect(found).toEqual({ feed: 'trade.orderHistory', orderId: '7', status: 'filled', isOlder: true })
  })

  test('that is still ahead is told from an older one, because how far it is ahead is known', async () => {
    const past = { ...order('own-1', { orderStatus: 'filled' }), createdTime: '1767225600000' }
    const { found, asked } = await lookedFor(past, -3_600_000)
    expect(found).toEqual({ feed: 'trade.orderHistory', orderId: '7', status: 'filled', isOlder: false })
    // A minute before it was sent by the venue’s clock.
    expect(asked[1]).toMatchObject({ startTime: '1767225540000', endTime: '1767225720000' })
  })
})
