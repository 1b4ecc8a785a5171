// Something that answers whatever is asked, such as a cache that heeds no query: the same full page for every window.
import { describe, expect, test } from 'vitest'
import { command } from '../support/in-process.ts'
import { excluded, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const PATH = '/api/v3/tax/records'

test('a venue that ignores the window is given up, with the range pending and the reason said', async () => {
  const ts = Date.now() - 3_600_000
  const page = Array.from({ length: 500 }, (_, place) => ({
    ...{ id: String(900_000 - place), coin: 'USDT', spotTaxType: 'transfer_in', amount: '1', fee: '0' },
    ...{ balance: '1', ts: String(ts - place * 1_000) },
  }))
  const venue = await traderVenue({ ...TRADER, ...excluded(400), [PATH]: () => page })
  const since = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
  const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [tax.records] }`)

  const { code, stderr } = await command(['sync', '--dir', dir])

  expect(code).toBe(5)
  expect(stderr).toContain('The venue ignores the times that it is asked for: tax.records.')
  expect(stderr).toContain('10 full pages in a row without a row of their window')
  const asked = venue.arrived.filter((path) => path === PATH).length
  expect(asked).toBeLessThan(100)
}, 120_000)

describe('a list of orders', () => {
  const ORDERS = '/api/v3/trade/history-orders'
  const at = String(Date.now() - 3_600_000)
  const order = (id: number) => ({
    ...{ orderId: String(id), category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderStatus: 'filled' },
    ...{ cumExecQty: '0', createdTime: at, updatedTime: at },
  })
  const page = (from: number) => Array.from({ length: 100 }, (_, place) => order(from - place))

  const fetched = async (answer: (cursor: string | null) => unknown) => {
    const answers = { ...TRADER, ...excluded(400) }
    const spotOnly = (query: URLSearchParams) =>
      query.get('category') === 'SPOT' ? answer(query.get('cursor')) : { list: [], cursor: null }
    const venue = await traderVenue({ ...answers, [ORDERS]: spotOnly })
    const since = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
    const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [trade.orderHistory] }`)
    const { code, stderr } = await command(['nightly', '--dir', dir])
    const sql =
      "select (select count(*) from orders), (select count(*) from coverage where partition = 'SPOT' and status = 'pending')"
    const { stdout } = await command(['sql', sql, '--dir', dir, '--format', 'csv'])
    return { code, stderr, found: stdout.trim().split('\n').at(-1), asked: venue.arrived.length }
  }

  test('goes on over an empty page whose cursor leads on, and nothing behind it is lost', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      first: { list: [], cursor: 'a' },
      a: { list: page(900), cursor: 'b' },
      b: { list: [], cursor: 'c' },
      c: { list: [order(700)], cursor: null },
    }
    const { code, found } = await fetched((cursor) => answers[cursor ?? 'first'])
    expect([code, found]).toEqual([0, '101,0'])
  }, 120_000)

  test.each([
    ['the same page', () => page(900)],
    ['an empty page', () => []],
  ])(
    'with %s under new cursors for ever is given up, with the range pending',
    async (_, list) => {
      let next = 0
      const { code, stderr, found, asked } = await fetched(() => {
        next += 1
        return { list: list(), cursor: `c${next}` }
      })
      expect(code).toBe(5)
      expect(stderr).toContain('10 pages in a row whose cursor led to no new row')
      expect(found).toMatch(/,1$/)
      expect(asked).toBeLessThan(200)
    },
    120_000,
  )
})
