// Something that answers whatever is asked, such as a cache that heeds no query: the same full page for every window.
import { describe, expect, test } from 'vitest'
import { type Answer, asCells, askBooks, askLedger } from '../support/ask-ledger.ts'
import { daysAgo } from '../support/days-ago.ts'
import { command } from '../support/in-process.ts'
import { excluded, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const PATH = '/api/v3/tax/records'
const PATH_FUTURES = '/api/v2/tax/future-record'

/** A night over these books, and what answers the questions about them. */
async function nightly(dir: string, ...questions: readonly string[]) {
  const { code, stderr } = await command(['nightly', '--dir', dir])
  return { code, stderr, answers: await askLedger(dir, questions) }
}

/** The same where the night ends with what it could not fetch, whatever the checks of a whole build find. */
async function incomplete(dir: string, ...questions: readonly string[]) {
  const { code, stderr } = await command(['sync', '--dir', dir])
  return { code, stderr, answers: await askBooks(dir, questions) }
}

/** The cells of the only row. */
const found = (answers: readonly Answer[][]): string => answers.flat().map(asCells).join('\n')

test('a venue that ignores the window is given up, with the range pending and the reason stated', async () => {
  const ts = Date.now() - 3_600_000
  const page = Array.from({ length: 500 }, (_, place) => ({
    ...{ id: String(900_000 - place), coin: 'USDT', spotTaxType: 'transfer_in', amount: '1', fee: '0' },
    ...{ balance: '1', ts: String(ts - place * 1_000) },
  }))
  const venue = await traderVenue({ ...TRADER, ...excluded(400), [PATH]: () => page })
  const since = daysAgo(5)
  const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [tax.records] }`)

  const { code, stderr } = await command(['sync', '--dir', dir])

  expect(code).toBe(5)
  expect(stderr).toContain('The venue ignores the requested times: tax.records.')
  expect(stderr).toContain('10 pages in a row without a row from their window')
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

  const fetched = async (answer: (cursor: string | null) => unknown, run = incomplete) => {
    const spotOnly = (query: URLSearchParams) =>
      query.get('category') === 'SPOT' ? answer(query.get('cursor')) : { list: [], cursor: null }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [ORDERS]: spotOnly })
    const since = daysAgo(5)
    const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [trade.orderHistory] }`)
    const sql =
      "select (select count(*) from orders), (select count(*) from coverage where partition = 'SPOT' and status = 'pending')"
    const { code, stderr, answers } = await run(dir, sql)
    return { code, stderr, found: found(answers), asked: venue.arrived.length }
  }

  test('whose cursor is repeated ends there, and what came with it is kept', async () => {
    const { code, stderr, found } = await fetched((cursor) => ({
      list: [order(cursor === null ? 2 : 1)],
      cursor: 'c1',
    }))
    expect(code).toBe(5)
    expect(stderr).toContain('The venue returned the same cursor twice: trade.orderHistory.')
    expect(found).toBe('2,1')
  }, 120_000)

  test('that gives no next page is divided until its pages are short; open orders, which cannot be, are unproven', async () => {
    const first = Date.now() - 86_400_000
    // 150 orders, ten minutes and some apart.
    const all = Array.from({ length: 150 }, (_, place) => {
      const time = String(first + place * 500_000)
      return { ...order(1_000 + place), createdTime: time, updatedTime: time }
    })
    const history = (query: URLSearchParams) => {
      const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
      const list = all.filter(({ createdTime }) => from <= Number(createdTime) && Number(createdTime) <= to)
      return { list: query.get('category') === 'SPOT' ? list.toReversed().slice(0, 100) : [], cursor: null }
    }
    const resting = page(5_000).map((one) => ({ ...one, orderStatus: 'live' }))
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      [ORDERS]: history,
      '/api/v3/trade/unfilled-orders': () => ({ list: resting, cursor: null }),
    })
    const since = daysAgo(5)
    const dir = traderBooks(
      venue.baseUrl,
      `{ since: ${since}, feeds: [trade.orderHistory, trade.openOrders] }`,
    )
    const { code, answers } = await nightly(
      dir,
      'select count(*) from orders',
      'select count(*) from open_orders where is_current',
      "select feed, status, code from coverage where feed like 'trade.%' and status not in ('complete', 'empty')",
    )
    expect(code).toBe(3)
    expect(answers.map((rows) => rows.map(asCells))).toEqual([
      ['150'],
      ['100'],
      ['trade.openOrders,unproven,no cursor'],
    ])
  }, 120_000)

  test('that has no times, and whose cursor is repeated, is kept too, and is not complete', async () => {
    const resting = (query: URLSearchParams) => ({
      list: [{ ...order(query.get('cursor') === null ? 2 : 1), orderStatus: 'live' }],
      cursor: 'c1',
    })
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v3/trade/unfilled-orders': resting,
    })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(40)}, feeds: [trade.openOrders] }`)
    const sql = `select order_id, is_current from open_orders
      union all select status, null from coverage where feed = 'trade.openOrders' order by 1`
    const { code, answers } = await incomplete(dir, sql)
    expect(code).toBe(5)
    expect(answers[0]?.map(asCells)).toEqual(['1,true', '2,true', 'pending,'])
  }, 120_000)

  test('continues over an empty page whose cursor continues, and nothing after it is lost', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      first: { list: [], cursor: 'a' },
      a: { list: page(900), cursor: 'b' },
      b: { list: [], cursor: 'c' },
      c: { list: [order(700)], cursor: null },
    }
    const { code, found } = await fetched((cursor) => answers[cursor ?? 'first'], nightly)
    expect([code, found]).toEqual([0, '101,0'])
  }, 120_000)

  test.each([
    ['the same page', () => page(900)],
    ['an empty page', () => []],
  ])(
    'with %s under ever new cursors is given up, with the range pending',
    async (_, list) => {
      let next = 0
      const { code, stderr, found, asked } = await fetched(() => {
        next += 1
        return { list: list(), cursor: `c${next}` }
      })
      expect(code).toBe(5)
      expect(stderr).toContain('10 pages in a row whose cursor returned no new row')
      expect(found).toMatch(/,1$/)
      expect(asked).toBeLessThan(200)
    },
    120_000,
  )
})

describe('a venue that returns rows outside the window', () => {
  const DAY = 86_400_000
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const record = (id: number, ts: number) => ({
    ...{ id: String(id), symbol: '', marginCoin: 'USDT', futureTaxType: 'trans_from_exchange' },
    ...{ amount: '1', fee: '0', ts: String(ts) },
  })
  /** Twelve rows of the last six days, newest first; neighbours half a minute apart in pairs. */
  const ROWS = Array.from({ length: 12 }, (_, place) =>
    record(9_000 - place, now - DAY - Math.floor(place / 2) * 7_500_000 - (place % 2) * 30_123),
  )
  /** After so many requests it refuses the key, so that a run without end ends. */
  const MOST = 1_000

  const fetched = async (
    answer: (start: number, end: number, cursor: string | null) => readonly unknown[],
    run = incomplete,
  ) => {
    let asked = 0
    const futures = (query: URLSearchParams) => {
      if (query.get('productType') !== 'USDT-FUTURES') return []
      asked += 1
      if (asked > MOST) return { code: '40006', status: 400 }
      return answer(Number(query.get('startTime')), Number(query.get('endTime')), query.get('idLessThan'))
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [PATH_FUTURES]: futures })
    const since = daysAgo(6)
    const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [tax.futuresRecords] }`)
    const sql =
      "select (select count(*) from futures_records), (select count(*) from coverage where partition = 'USDT-FUTURES' and status = 'pending')"
    const { code, stderr, answers } = await run(dir, sql)
    return { code, stderr, found: found(answers), asked }
  }

  const within = (start: number, end: number) =>
    ROWS.filter(({ ts }) => Number(ts) >= start && Number(ts) <= end)
  const behind = (rows: typeof ROWS, cursor: string | null) =>
    rows.filter(({ id }) => cursor === null || Number(id) < Number(cursor))

  test('such as one old row on every first page: all others arrive, and everything is complete', async () => {
    const old = record(1, now - 300 * DAY)
    const { code, found, asked } = await fetched(
      (start, end, cursor) =>
        cursor === null ? [old, ...within(start, end)] : behind(within(start, end), cursor),
      nightly,
    )
    expect([code, found]).toEqual([3, '12,0'])
    expect(asked).toBeLessThan(40)
  }, 120_000)

  test.each([
    [
      'as one old row on every page',
      (start: number, end: number, cursor: string | null) => [
        record(1, now - 300 * DAY),
        ...behind(within(start, end), cursor),
      ],
    ],
    [
      'by minutes, whatever the cursor',
      (start: number, end: number) =>
        within(Math.floor(start / 60_000) * 60_000, Math.ceil(end / 60_000) * 60_000),
    ],
    ['without times, whatever is asked', () => ROWS.map((row) => ({ ...row, ts: '' }))],
  ])(
    '%s: no row is lost, and what it leaves open is pending after few requests',
    async (_, answer) => {
      const { code, stderr, found, asked } = await fetched(answer)
      expect(code).toBe(5)
      expect(stderr).toContain('10 pages in a row without a row from their window')
      expect(found).toMatch(/^(12|0),[1-9]/)
      expect(asked).toBeLessThan(200)
    },
    120_000,
  )
})

test('a list whose rows have no ids is read to its end, however many pages it has', async () => {
  // 1,250 liquidations of the last three days: twelve full pages and one of fifty.
  const row = (place: number) => ({
    ...{ symbol: 'BTCUSDT', side: 'buy', price: String(50_000 + place), amount: '0.1' },
    ts: String(Date.now() - 3_600_000 - place * 1_000),
  })
  const liquidations = (query: URLSearchParams) => {
    if (query.get('category') !== 'USDT-FUTURES') return { list: [], cursor: null }
    const from = Number(query.get('cursor') ?? 0)
    const list = Array.from({ length: Math.min(100, 1_250 - from) }, (_, place) => row(from + place))
    return { list, cursor: from + 100 < 1_250 ? String(from + 100) : null }
  }
  const venue = await traderVenue({
    ...TRADER,
    ...excluded(400),
    '/api/v3/market/liquidations': liquidations,
  })
  const dir = traderBooks(venue.baseUrl, '{ feeds: [market.liquidations] }')

  const sql =
    "select (select count(*) from liquidations), (select count(*) from coverage where feed = 'market.liquidations' and status = 'pending')"
  const { code, stderr, answers } = await nightly(dir, sql)

  expect(stderr).not.toContain('returned no new row')
  expect([code, found(answers)]).toEqual([0, '1250,0'])
}, 120_000)
