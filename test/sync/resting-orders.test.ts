// Orders that rest for longer than what a night reads again: closed, they stand in the history by the time at which they were
// created or ended, and whichever it is, the night after they have left the list of open orders has them.
import { expect, test } from 'vitest'
import { askBooks } from '../support/ask-ledger.ts'
import { command } from '../support/in-process.ts'
import { excluded, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const DAY_MS = 86_400_000

const orderOf = (orderId: string, orderStatus: string, createdTime: number, updatedTime: number) => ({
  ...{ orderId, clientOid: orderId, category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
  ...{ price: '1', qty: '1', orderStatus, feeDetail: [] },
  ...{ createdTime: String(createdTime), updatedTime: String(updatedTime) },
})

type Order = ReturnType<typeof orderOf>

/** What 4.11 answers, by the time of creation, to a query of the spot line. */
const historyOf = (orders: readonly Order[], windows: [number, number][]) => (query: URLSearchParams) => {
  const [start, end] = [Number(query.get('startTime')), Number(query.get('endTime'))]
  if (query.get('category') !== 'SPOT') return { list: [], cursor: '' }
  windows.push([start, end])
  const list = query.has('cursor')
    ? []
    : orders.filter(({ createdTime }) => Number(createdTime) >= start && Number(createdTime) <= end)
  return { list, cursor: '' }
}

const ordersIn = (dir: string) =>
  askBooks(dir, ['select order_id, order_status from orders order by order_id'])

test('an order that was open for weeks is found in the night after it closed, and is not looked for afterwards', async () => {
  const created = Date.now() - 40 * DAY_MS
  const resting = orderOf('11', 'live', created, created)
  const stays = orderOf('12', 'live', created - DAY_MS, created - DAY_MS)
  const windows: [number, number][] = []
  const open = (...list: Order[]) => ({ '/api/v3/trade/unfilled-orders': () => ({ list, cursor: '' }) })
  const history = (...list: Order[]) => ({ '/api/v3/trade/history-orders': historyOf(list, windows) })
  const venue = await traderVenue({ ...TRADER, ...excluded(400), ...open(resting, stays), ...history() })
  const since = new Date(created - 10 * DAY_MS).toISOString().slice(0, 10)
  const dir = traderBooks(venue.baseUrl, `{ since: ${since} }`)
  const night = async (): Promise<number> => {
    windows.length = 0
    expect((await command(['sync', '--dir', dir])).code).toBe(0)
    return Math.min(...windows.map(([start]) => start))
  }

  expect(await night()).toBeLessThan(created)
  // Both still rest: only the usual days are read again.
  expect(await night()).toBeGreaterThan(Date.now() - 8 * DAY_MS)

  const filled = orderOf('11', 'filled', created, Date.now())
  venue.answers = { ...TRADER, ...excluded(400), ...open(stays), ...history(filled) }
  expect(await night()).toBeLessThanOrEqual(created)
  expect(await ordersIn(dir)).toEqual([[{ order_id: '11', order_status: 'filled' }]])

  // Found or not, it has been looked for since it left.
  expect(await night()).toBeGreaterThan(Date.now() - 8 * DAY_MS)
}, 240_000)
