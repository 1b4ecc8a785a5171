// A request that the venue refuses as wrong would be refused again tomorrow: its feed fails, the others go on, and the run
// shows the request. What was not had makes no run a good one.
import { describe, expect, test } from 'vitest'
import { closing } from '../../models/closing.ts'
import { readLanding } from '../../pipeline/books/books.ts'
import { engineSettings } from '../../pipeline/engine/settings.ts'
import { Skips } from '../../pipeline/sync/passed-over.ts'
import { askBooks, asNumber } from '../support/ask-ledger.ts'
import { fewAtOnce } from '../support/beside.ts'
import { daysAgo } from '../support/days-ago.ts'
import { command } from '../support/in-process.ts'
import { excluded, refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

fewAtOnce()

const TAX = '/api/v3/tax/records'
const ORDERS = '/api/v3/trade/history-orders'
const FUTURES = '/api/v2/tax/future-record'
const SINCE = daysAgo(5)

/** What the books have of the feeds that each run was told to read. */
async function feedsOfRuns(dir: string): Promise<unknown[][]> {
  const landing = (await readLanding(dir, engineSettings({})))!
  return closing(landing, async () =>
    (await landing.connection.runAndReadAll('select feeds from landing.runs order by seq')).getRows(),
  )
}

test.concurrent.each([
  ['40020', 'The venue refused a parameter', 'ParameterRefused'],
  ['40704', 'The venue refused the time range', 'TimeRangeRefused'],
])(
  'code %s: the run is incomplete and shows the request of each feed',
  async (code, words, name) => {
    const wrong = () => refused(code, 400)
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [TAX]: wrong, [ORDERS]: wrong })
    const feeds = '[tax.records, trade.orderHistory, tax.futuresRecords]'
    const dir = traderBooks(venue.baseUrl, `{ since: ${SINCE}, feeds: ${feeds} }`)

    const named = 'trade.orderHistory,tax.records,tax.futuresRecords'
    const synced = await command(['sync', '--feeds', named, '--dir', dir, '--json'])

    expect(synced.code).toBe(5)
    for (const [feed, path] of [
      ['tax.records', TAX],
      ['trade.orderHistory', ORDERS],
    ]) {
      expect(synced.stderr).toContain(`${words}: ${feed} for account trader.`)
      expect(synced.stderr).toContain(`GET ${path}?`)
    }
    expect(synced.stderr).toContain(`HTTP 400, code ${code}, refused`)
    expect(JSON.parse(synced.stdout)).toMatchObject({
      incomplete: true,
      failures: [
        { account: 'trader', class: name },
        { account: 'trader', class: name },
      ],
    })
    expect(venue.arrived).toContain(FUTURES)

    const asked = 'select outcome from runs union all select distinct status from coverage where feed = '
    expect(await askBooks(dir, [`${asked}'tax.records'`])).toEqual([
      [{ outcome: 'incomplete' }, { outcome: 'failed' }],
    ])
    // What a killed run left stays open until the same feeds have been read.
    expect(await feedsOfRuns(dir)).toEqual([['tax.futuresRecords, tax.records, trade.orderHistory']])
  },
  240_000,
)

const ORDER_LIST = '/api/v2/p2p/orderList'
const DAY = 86_400_000

/** What a sync ends with, how the feed stands by whole days back from now, and what answers further questions. */
async function had(dir: string, feed: string, ...questions: readonly string[]) {
  const synced = await syncOf(dir)
  const sql = `select account, status, floor(date_diff('minute', starts_at, now()) / 1440.0)::integer as first_day,
    floor(date_diff('minute', ends_at, now()) / 1440.0)::integer as last_day
    from coverage where feed = '${feed}' and partition in ('', 'USDT-FUTURES') and starts_at is not null order by starts_at desc`
  const [ranges = [], ...answers] = await askBooks(dir, [sql, ...questions])
  return { synced, ranges, answers }
}

/** Variants of one test, each an account of the same books: a night and a build for all of them cost what they cost for one. */
const NAMES = ['one', 'two', 'three', 'four']

/** Books with an account for each of these answers to `path`, and what was asked of it. */
async function booksOfEach(
  path: string,
  history: string,
  answers: readonly ((query: URLSearchParams) => unknown)[],
) {
  const asked = answers.map((): URLSearchParams[] => [])
  const answer = (query: URLSearchParams, nth: number): unknown => {
    asked[nth - 1]!.push(query)
    return answers[nth - 1]!(query)
  }
  const venue = await traderVenue({ ...TRADER, ...excluded(400), [path]: answer })
  return { asked, dir: traderBooks(venue.baseUrl, history, '', NAMES.slice(0, answers.length)) }
}

/** Of some rows those of the account of this variant. */
const ofNth = <Row extends { readonly account?: unknown }>(rows: readonly Row[] | undefined, nth: number) =>
  (rows ?? []).filter(({ account }) => account === NAMES[nth])

/** The failures that a sync has named for the account of this variant. */
const failuresOf = ({ stdout }: { readonly stdout: string }, nth: number) =>
  ofNth(JSON.parse(stdout).failures as { account: string; class: string }[], nth)

/** The first call makes it, for all. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const syncOf = (dir: string) => command(['sync', '--dir', dir, '--json'])

const PENDING_MINUTES =
  "select sum(date_diff('millisecond', starts_at, ends_at)) / 60000.0 from coverage where status = 'pending'"

const countOf = (table: string): string => `select count(*) from ${table}`

test.concurrent('a refused range that reaches up to now is not history that has expired at the venue', async () => {
  const history = `{ since: ${daysAgo(100)}, feeds: [p2p.orders] }`
  const wrong = () => refused('40704', 400)
  const refusing = await traderVenue({ ...TRADER, ...excluded(400), [ORDER_LIST]: wrong })

  const { synced, ranges } = await had(traderBooks(refusing.baseUrl, history), 'p2p.orders')

  expect(synced.code).toBe(5)
  expect(synced.stderr).toContain('The venue refused the time range: p2p.orders for account trader.')
  expect(ranges).toMatchObject([{ status: 'failed', first_day: 100, last_day: 0 }])

  // It takes seven days at once, as one client found, where the document says ninety.
  const days = (query: URLSearchParams) =>
    (Number(query.get('endTime')) - Number(query.get('startTime'))) / DAY
  const list = (query: URLSearchParams) =>
    days(query) > 7 ? refused('40704', 400) : { orderList: [], minOrderId: '' }
  const venue = await traderVenue({ ...TRADER, ...excluded(400), [ORDER_LIST]: list })
  for (const span of ['', '  span_days: { p2p.orders: 7 }']) {
    const narrow = await had(traderBooks(venue.baseUrl, history, span), 'p2p.orders')
    expect(narrow.synced.code).toBe(0)
    expect(narrow.synced.stderr.includes('lower venue.span_days')).toBe(span === '')
    expect(narrow.ranges).toMatchObject([{ status: 'empty', first_day: 100, last_day: 0 }])
  }
}, 240_000)

/** A venue that refuses futures records that begin more than so many days ago, to the millisecond. */
const reachesBack = (days: number) => (query: URLSearchParams) =>
  Number(query.get('startTime')) < Date.now() - days * DAY ? refused('40704', 400) : []

const REACHES = [70, 90]
const reachNights = once(async () => {
  const history = `{ since: ${daysAgo(120)}, feeds: [tax.futuresRecords] }`
  const { asked, dir } = await booksOfEach(FUTURES, history, REACHES.map(reachesBack))
  const first = await had(dir, 'tax.futuresRecords')
  const before = asked.map(({ length }) => length)
  return { first, before, again: await had(dir, 'tax.futuresRecords'), asked }
})

test.concurrent.each([
  // Windows of thirty days from now on backwards: the third one begins too early by twenty days, or by the moment that has
  // passed since the run began. What the venue still has of it comes, but for less than an hour.
  [70, 69],
  [90, 89],
])(
  'for a feed whose reach of %i days is not documented, only what is beyond it has expired',
  async (reach, last_day) => {
    const nth = REACHES.indexOf(reach)
    const { first, before, again, asked } = await reachNights()
    const ranges = ofNth(first.ranges, nth)

    expect(first.synced.code).toBe(0)
    expect(ranges.slice(0, 2)).toMatchObject([
      { status: 'empty', first_day: last_day, last_day: 0 },
      { status: 'lost', first_day: 120, last_day },
    ])
    // What is said to be lost is asked for once a night, and not looked into again.
    expect(ofNth(again.ranges, nth).slice(0, 2)).toMatchObject(ranges.slice(0, 2))
    // For each of the three product lines the last day, and the range that is lost.
    expect(asked[nth]!.length - before[nth]!).toBe(6)
  },
  240_000,
)

/** 250 orders of one product line, back from ten days ago, in pages of a hundred; every cursor is answered with `odd`. */
function ordersWithoutCursors(everyMs: number, odd: unknown) {
  const all = Array.from({ length: 250 }, (_, place) => {
    const at = `${Date.now() - 10 * DAY - place * everyMs}`
    return { orderId: `${9_000 - place}`, createdTime: at, updatedTime: at, orderStatus: 'filled' }
  })
  let cursors = 0
  const list = (query: URLSearchParams) => {
    if (query.get('category') !== 'USDT-FUTURES') return { list: [], cursor: '' }
    if (query.get('cursor') !== null) {
      cursors += 1
      return odd
    }
    const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
    const found = all.filter(({ createdTime }) => from <= Number(createdTime) && Number(createdTime) <= to)
    return { list: found.slice(0, 100), cursor: found.length > 100 ? found[99]!.orderId : '' }
  }
  return { list, cursors: () => cursors }
}

const LINES = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES']

/** A record of the first product line so many days ago. */
const record = (days: number) => ({
  id: `${days}`,
  symbol: 'BTCUSDT',
  marginCoin: 'USDT',
  futureTaxType: 'open_long',
  amount: '0',
  fee: '0',
  ts: `${Date.now() - days * DAY}`,
})

describe.concurrent('a window without a recognisable answer', () => {
  const poison = Date.now() - 40 * DAY
  const skippedNights = async (odd: readonly (() => unknown)[]) => {
    const rows = [record(2), record(50), record(90)]
    const between = (query: URLSearchParams, at: number) =>
      Number(query.get('startTime')) <= at && at <= Number(query.get('endTime'))
    const answer = (query: URLSearchParams) =>
      query.get('productType') !== LINES[0] || query.get('idLessThan') !== null
        ? []
        : rows.filter(({ ts }) => between(query, Number(ts)))
    // The hour that is left is asked for as often as anything else: that the venue cannot now may pass at once.
    let isFirst = true
    const wasUnwell = odd.map(() => false)
    const futures = (nth: number) => (query: URLSearchParams) => {
      if (query.get('productType') !== LINES[0] || !between(query, poison)) return answer(query)
      if (isFirst) return odd[nth]!()
      if (wasUnwell[nth] === true) return answer(query)
      wasUnwell[nth] = true
      return refused('40015', 500)
    }
    const history = `{ since: ${daysAgo(120)}, feeds: [tax.futuresRecords] }`
    const each = odd.map((_, nth) => futures(nth))
    const { asked, dir } = await booksOfEach(FUTURES, history, each)
    const ids = 'select account, id from futures_records order by 1, 2'
    const pending = PENDING_MINUTES.replace('select', 'select account,')
    const first = await had(dir, 'tax.futuresRecords', `${pending} group by account`, ids)
    const lines = asked.map((queries) => new Set(queries.map((query) => query.get('productType'))))
    isFirst = false
    const again = await had(dir, 'tax.futuresRecords', ids)
    return { first, lines, again, wasUnwell }
  }
  const ODD = [
    () => refused('99999', 400),
    () => ({ records: 'none' }),
    () => refused('40015', 500),
    () => refused('gateway', 504),
  ]
  // Beside an account that is answered, one that is not could not tell that the venue is out of reach.
  const answeredNights = once(() => skippedNights(ODD.slice(0, 3)))
  const unansweredNights = once(() => skippedNights(ODD.slice(3)))

  test.each([
    ['a code that nobody knows', answeredNights, 0],
    ['a success of another form', answeredNights, 1],
    ['that it cannot now, night after night', answeredNights, 2],
    ['no answer of its own, night after night', unansweredNights, 0],
  ])(
    'is skipped, and only it is requested again: %s',
    async (_, nights, nth) => {
      const { first, lines, again, wasUnwell } = await nights()
      const all = [{ id: '2' }, { id: '50' }, { id: '90' }]

      expect(first.synced.code).toBe(5)
      expect(first.synced.stderr).toContain(`tax.futuresRecords for account ${NAMES[nth]}`)
      expect(ofNth(first.ranges, nth)).toMatchObject([
        { status: 'complete', last_day: 0 },
        { status: 'pending' },
        { status: 'complete', first_day: 120 },
      ])
      const [pending] = ofNth(first.answers[0], nth)
      expect(
        Object.values(pending ?? {})
          .map(Number)
          .at(-1),
      ).toBeLessThanOrEqual(60)
      expect(ofNth(first.answers[1], nth)).toMatchObject(all)
      expect(lines[nth]).toEqual(new Set(LINES))

      expect([again.synced.code, wasUnwell[nth]]).toEqual([0, true])
      expect(ofNth(again.ranges, nth)).toMatchObject([{ status: 'complete', first_day: 120, last_day: 0 }])
      expect(ofNth(again.answers[0], nth)).toMatchObject(all)
    },
    240_000,
  )

  test('is divided even if others beside it are refused: everything else arrives, including the other product lines', async () => {
    const bad = [35, 65, 95].map((days) => Date.now() - days * DAY)
    const rows = [2, 34, 50, 80, 110].map(record)
    const asked: string[] = []
    const futures = (query: URLSearchParams) => {
      const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
      asked.push(query.get('productType') ?? '')
      if (query.get('productType') !== LINES[0] || query.get('idLessThan') !== null) return []
      if (bad.some((at) => from <= at && at <= to)) return refused('99999', 400)
      return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: futures })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(120)}, feeds: [tax.futuresRecords] }`)

    const first = await had(dir, 'tax.futuresRecords', PENDING_MINUTES, countOf('futures_records'))
    expect(first.synced.code).toBe(5)
    expect(first.ranges.map(({ status }) => status)).toEqual([
      ...['complete', 'pending', 'complete', 'pending', 'complete', 'pending', 'complete'],
    ])
    expect(asNumber(first.answers[0])).toBeLessThanOrEqual(3 * 60)
    expect(asNumber(first.answers[1])).toBe(5)
    expect(new Set(asked)).toEqual(new Set(LINES))

    // What is left is three windows of an hour at most, and they keep no other product line from being read.
    asked.length = 0
    expect((await syncOf(dir)).code).toBe(5)
    expect(asked.filter((line) => line === LINES[0]).length).toBeLessThanOrEqual(2 + 3 * 3)
    expect(new Set(asked)).toEqual(new Set(LINES))
  }, 240_000)

  const halvedNights = async (odd: readonly unknown[]) => {
    const orders = odd.map((one) => ordersWithoutCursors(4 * 3_600_000, one))
    const history = `{ since: ${daysAgo(70)}, feeds: [trade.orderHistory] }`
    const lists = orders.map(({ list }) => list)
    const { dir } = await booksOfEach(ORDERS, history, lists)
    const count = 'select account, count(*) as count from orders group by account'
    const first = await had(dir, 'trade.orderHistory', count)
    const before = orders.map(({ cursors }) => cursors())
    const again = await syncOf(dir)
    return { first, before, again, after: orders.map(({ cursors }) => cursors()) }
  }
  const refusedCursors = once(() =>
    halvedNights([refused('99999', 400), refused('40017', 400), refused('40704', 400)]),
  )
  const unansweredCursors = once(() => halvedNights([refused('gateway', 503)]))

  test.each([
    ['a code that nobody knows', refusedCursors, 0, 'UnknownRefusal'],
    ['a parameter refused', refusedCursors, 1, 'ParameterRefused'],
    ['a time refused', refusedCursors, 2, 'TimeRangeRefused'],
    ['no answer of its own', unansweredCursors, 0, 'PassingFailure'],
  ])(
    'arrives in halves that need no second page, if second pages never arrive: %s',
    async (_, nights, nth, name) => {
      const { first, before, again, after } = await nights()

      expect(ofNth(first.answers[0], nth)).toEqual([{ account: NAMES[nth], count: '250' }])
      expect(ofNth(first.ranges, nth)).toMatchObject([{ status: 'complete', first_day: 70, last_day: 0 }])
      expect(first.synced.code).toBe(0)
      expect(failuresOf(first.synced, nth)).toMatchObject([{ class: name }])

      // Nothing is begun any more that would be asked for again.
      expect(again.code).toBe(0)
      expect(after[nth]).toBe(before[nth])
    },
    240_000,
  )

  test('is divided below an hour if its first page is full and second pages never arrive', async () => {
    // An order every ten seconds: two and a half pages within an hour.
    const { list, cursors } = ordersWithoutCursors(10_000, refused('40017', 400))
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [ORDERS]: list })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(70)}, feeds: [trade.orderHistory] }`)

    const { synced, ranges, answers } = await had(dir, 'trade.orderHistory', countOf('orders'))

    expect(asNumber(answers[0])).toBe(250)
    expect(ranges).toMatchObject([{ status: 'complete', first_day: 70, last_day: 0 }])
    expect(synced.code).toBe(0)
    // Thirty days to fifteen minutes are twelve halvings; of each length, one or two windows hold more than a page.
    expect(cursors()).toBeLessThanOrEqual(2 * 12)
  }, 240_000)

  test.each([
    ['40704', 5],
    ['40020', 5],
    // What a key may not read is a break that names the permission, and the run has read everything that it could.
    ['40014', 0],
  ])(
    'that is refused outright ends its product line alone if pages of the feed have arrived: code %s',
    async (code, exit) => {
      const asked: string[] = []
      const at = Date.now() - DAY
      const deposit = { coin: 'USDT', type: 'deposit', amount: '1', fee: '0', balance: '1', ts: `${at}` }
      const records = (query: URLSearchParams) => {
        const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
        const line = query.get('bizType') ?? ''
        asked.push(line)
        if (line === 'SPOT' && from < Date.now() - 20 * DAY) return refused(code, 400)
        if (query.get('cursor') !== null || at < from || to < at) return []
        return line === 'SPOT' || line === 'OTHER' ? [{ ...deposit, id: line === 'SPOT' ? '1' : '2' }] : []
      }
      const venue = await traderVenue({ ...TRADER, ...excluded(400), [TAX]: records })
      const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(30)}, feeds: [tax.records] }`)

      const failed = "select count(distinct partition) from coverage where status = 'failed'"
      const { synced, answers } = await had(dir, 'tax.records', countOf('tax_records'), failed)

      expect(asNumber(answers[0])).toBe(2)
      expect(new Set(asked)).toEqual(
        new Set(['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'OTHER']),
      )
      expect(asNumber(answers[1])).toBe(1)
      expect(synced.code).toBe(exit)
    },
    240_000,
  )

  test.each([
    ['a part of an hour', 30 * 60_000],
    ['an instant', 0],
  ])(
    'has what its first page leaves open requested for itself, be it too small for halves: %s',
    async (_, leftMs) => {
      // One instant of the first window has no second page; the newest record, further on, is the end of a page.
      const bad = Date.now() - 20 * DAY
      const rows = [20, 10].map(record)
      const asked: string[] = []
      const futures = (query: URLSearchParams) => {
        const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
        if (query.get('productType') !== LINES[0]) return []
        if (rows.length === 2) rows.push({ ...record(0), ts: `${to - leftMs}` })
        asked.push(`${from} ${to} ${query.get('idLessThan')}`)
        if (query.get('idLessThan') !== null) return from <= bad && bad <= to ? refused('99999', 400) : []
        return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
      }
      rows[0]!.ts = `${bad}`
      const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: futures })
      const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(25)}, feeds: [tax.futuresRecords] }`)

      const count = countOf('futures_records')
      const { synced, ranges, answers } = await had(dir, 'tax.futuresRecords', count)

      expect(asNumber(answers[0])).toBe(3)
      expect(ranges).toMatchObject([{ status: 'complete', first_day: 25, last_day: 0 }])
      expect(synced.code).toBe(0)
      // The window, its second page in three tries, and what that page leaves open, with its end.
      expect(asked).toHaveLength(1 + 3 + 2)
    },
    240_000,
  )

  test('with nothing after its first page keeps no other from being read, night after night', async () => {
    // A record every other day, so that behind each of them the list has to be asked whether it has ended.
    const rows = Array.from({ length: 30 }, (_, place) => ({
      id: `${9_000 - place}`,
      coin: 'USDT',
      type: 'deposit',
      amount: '1',
      fee: '0',
      balance: `${100 - place}`,
      ts: `${Date.now() - (2 + place * 2) * DAY}`,
    }))
    const asked: string[] = []
    let cursors = 0
    const records = (query: URLSearchParams) => {
      asked.push(query.get('bizType') ?? '')
      if (query.get('bizType') !== 'SPOT') return []
      if (query.get('cursor') !== null) {
        cursors += 1
        return refused('gateway', 503)
      }
      const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
      return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [TAX]: records })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(65)}, feeds: [tax.records] }`)

    const first = await had(dir, 'tax.records', countOf('tax_records'), PENDING_MINUTES)
    expect(first.synced.code).toBe(5)
    expect(first.synced.stderr).toContain('tax.records for account trader')
    expect(asNumber(first.answers[0])).toBe(30)
    expect(new Set(asked)).toEqual(
      new Set(['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'OTHER']),
    )
    // What is not known is whether more follows the oldest record.
    expect(asNumber(first.answers[1])).toBeLessThanOrEqual(2 * 60)
    // Five tries for each of the first windows, and one for each part.
    expect(cursors).toBeLessThanOrEqual(25)

    cursors = 0
    rows.unshift({ ...rows[0]!, id: '9001', balance: '101', ts: `${Date.now()}` })
    const again = await had(dir, 'tax.records', countOf('tax_records'))
    expect(again.synced.code).toBe(5)
    expect(asNumber(again.answers[0])).toBe(31)
    expect(cursors).toBeLessThanOrEqual(25)
  }, 240_000)

  test.each([
    ['no answer of its own', refused('gateway', 503)],
    ['a parameter refused', refused('40017', 400)],
  ])(
    'may be the rest of a list without times: those of the other product lines are read: %s',
    async (_, odd) => {
      const asked: string[] = []
      const list = (query: URLSearchParams) => {
        asked.push(query.get('category') ?? '')
        if (query.get('category') !== LINES[0]) return { list: [], cursor: '' }
        return query.get('cursor') === null ? { list: [], cursor: 'on' } : odd
      }
      const venue = await traderVenue({ ...TRADER, ...excluded(400), '/api/v3/market/liquidations': list })
      const dir = traderBooks(venue.baseUrl, `{ since: ${SINCE}, feeds: [market.liquidations] }`)

      const { code, stderr } = await command(['sync', '--dir', dir])

      expect(code).toBe(5)
      expect(stderr).toContain('market.liquidations for account trader')
      expect(new Set(asked)).toEqual(new Set(LINES))
    },
    120_000,
  )

  test.each([
    ['that it cannot now', refused('40015', 500)],
    ['no answer of its own', refused('gateway', 504)],
  ])(
    'may be the first of a feed: what is older and the other product lines are read: %s',
    async (_, odd) => {
      // The newest ten days are answered in parts of less than a week only, as by a gateway that does not wait longer.
      const rows = [2, 8, 50, 80].map(record)
      const asked: string[] = []
      const futures = (query: URLSearchParams) => {
        const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
        asked.push(query.get('productType') ?? '')
        if (query.get('productType') !== LINES[0]) return []
        if (to > Date.now() - 10 * DAY && to - from > 6 * DAY) return odd
        if (query.get('idLessThan') !== null) return []
        return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
      }
      const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: futures })
      const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(85)}, feeds: [tax.futuresRecords] }`)

      const count = countOf('futures_records')
      const { synced, ranges, answers } = await had(dir, 'tax.futuresRecords', count)

      expect(asNumber(answers[0])).toBe(4)
      expect(ranges).toMatchObject([{ status: 'complete', first_day: 85, last_day: 0 }])
      expect(new Set(asked)).toEqual(new Set(LINES))
      expect(synced.code).toBe(0)
    },
    240_000,
  )

  test('ends its partition where nine in a row have no answer, and its feed where as many more follow', () => {
    const skips = new Skips()
    skips.had(false)
    const inARow = Array.from({ length: 18 }, () => {
      skips.unanswered()
      return [skips.another(0), skips.goesOn]
    })
    expect(inARow.slice(0, 8)).toEqual(Array(8).fill([true, true]))
    expect(inARow.slice(8, 17)).toEqual(Array(9).fill([false, true]))
    expect(inARow[17]).toEqual([false, false])
    skips.had(false)
    expect([skips.another(0), skips.goesOn]).toEqual([true, true])
  })

  test('may be the first list without times: those of two more product lines are read, and then no other', () => {
    const skips = new Skips()
    const inARow = [1, 2, 3].map(() => {
      skips.unanswered()
      return skips.goesOn
    })
    expect(inARow).toEqual([true, true, false])
    // What the venue refuses outright would be refused for the others too.
    expect(new Skips().goesOn).toBe(false)
  })

  test('ends the run where three in a row have none and nothing else is answered', async () => {
    const asked = new Set<string>()
    const futures = (query: URLSearchParams) => {
      asked.add(`${query.get('productType')} ${query.get('endTime')}`)
      return refused('gateway', 502)
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: futures })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(200)}, feeds: [tax.futuresRecords] }`)

    const { synced, ranges } = await had(dir, 'tax.futuresRecords')

    expect(synced.code).toBe(5)
    expect(ranges).toMatchObject([{ status: 'pending', first_day: 200, last_day: 0 }])
    // Three windows, each of them five times.
    expect([asked.size, venue.arrived.filter((path) => path === FUTURES).length]).toEqual([3, 15])
  }, 240_000)

  test('counts as the feed’s problem if three in a row are refused, and both halves of each: the rest is not requested', async () => {
    const asked: string[] = []
    const refuse = (query: URLSearchParams) => {
      asked.push(`${query.get('productType')} ${query.get('endTime')}`)
      return refused('99999', 400)
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: refuse })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(120)}, feeds: [tax.futuresRecords] }`)

    const { synced, ranges } = await had(dir, 'tax.futuresRecords')

    expect(synced.code).toBe(5)
    expect(ranges).toMatchObject([{ status: 'pending', first_day: 120, last_day: 0 }])
    // Three windows, each of them three times, and their halves once.
    expect([asked.length, new Set(asked).size]).toEqual([15, 6])
    expect(venue.arrived.filter((path) => path === FUTURES)).toHaveLength(15)
  }, 240_000)

  test.each([
    ['a code that nobody knows', refused('99999', 400)],
    ['a parameter refused', refused('40017', 400)],
    ['a time refused', refused('40704', 400)],
    ['that it cannot now, night after night', refused('40015', 500)],
    ['no answer of its own', refused('gateway', 503)],
  ])(
    'may be only the cursor that an earlier run kept of it: it starts over: %s',
    async (_, atLast) => {
      let named = 'old'
      const asked = new Set<string>()
      const list = (query: URLSearchParams) => {
        if (query.get('category') !== 'USDT-FUTURES') return { list: [], cursor: '' }
        asked.add(`${query.get('startTime')} ${query.get('endTime')}`)
        // Too many requests say nothing of the window, which would have it divided: it stays begun.
        if (query.get('cursor') === 'old') return named === 'old' ? refused('429', 429) : atLast
        const at = (Number(query.get('startTime')) + Number(query.get('endTime'))) / 2
        const orderId = `${query.get('cursor') ?? 'first'} ${Math.round(at / DAY)}`
        const cursor = query.get('cursor') === null ? named : ''
        return { list: [{ orderId, createdTime: `${Math.round(at)}`, orderStatus: 'filled' }], cursor }
      }
      const venue = await traderVenue({ ...TRADER, ...excluded(400), [ORDERS]: list })
      const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(70)}, feeds: [trade.orderHistory] }`)

      const first = await had(dir, 'trade.orderHistory')
      expect(first.synced.code).toBe(5)
      expect(new Set(first.ranges.map(({ status }) => status))).toEqual(new Set(['pending']))

      named = 'new'
      asked.clear()
      const again = await had(dir, 'trade.orderHistory')
      expect(again.synced.code).toBe(0)
      expect(again.ranges).toMatchObject([{ status: 'complete', first_day: 70, last_day: 0 }])
      // The window as a whole, what came since, and the two behind it: nothing was divided.
      expect(asked.size).toBe(4)
    },
    240_000,
  )

  test('is reported for each feed that has one, including the settings', async () => {
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v3/account/settings': () => refused('99997', 400),
      [TAX]: () => refused('99998', 400),
      [FUTURES]: () => refused('99999', 400),
    })
    const dir = traderBooks(venue.baseUrl, `{ since: ${SINCE}, feeds: [tax.records, tax.futuresRecords] }`)
    const { code, stderr } = await command(['sync', '--dir', dir])
    expect(code).toBe(5)
    for (const [feed, told] of [
      ['account.settings', '99997'],
      ['tax.records', '99998'],
      ['tax.futuresRecords', '99999'],
    ]) {
      expect(stderr).toContain(`${feed} for account trader.`)
      expect(stderr).toContain(`code ${told}`)
    }
  }, 120_000)
})

describe.concurrent('a window refused for its times', () => {
  const deposit = (days: number) => ({
    id: `${10_000 - Math.round(days * 100)}`,
    coin: 'USDT',
    type: 'deposit',
    amount: '1',
    fee: '0',
    balance: '1',
    ts: `${Math.round(Date.now() - days * DAY)}`,
  })

  /** SPOT records of so many days ago, from a venue that answers some of the windows with a refusal: for each code an account. */
  async function spotBooks(
    ages: readonly number[],
    codes: readonly string[],
    isRefused: (from: number, to: number) => boolean,
  ) {
    const rows = ages.map(deposit)
    const records = (code: string) => (query: URLSearchParams) => {
      const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
      if (query.get('bizType') !== 'SPOT' || query.get('cursor') !== null) return []
      if (isRefused(from, to)) return refused(code, 400)
      return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
    }
    const history = `{ since: ${daysAgo(60)}, feeds: [tax.records] }`
    const { asked, dir } = await booksOfEach(TAX, history, codes.map(records))
    const night = async () => {
      for (const queries of asked) queries.length = 0
      const spot = "feed = 'tax.records' and partition = 'SPOT' and status = 'failed'"
      const count = 'select account, count(*) as count from tax_records group by account'
      const missing = `select account, sum(date_diff('minute', starts_at, ends_at)) as count from coverage
        where ${spot} group by account`
      const { synced, answers } = await had(dir, 'tax.records', count, missing)
      const counted = (place: number, nth: number) => Number(ofNth(answers[place], nth)[0]?.count ?? 0)
      return codes.map((_, nth) => {
        const lines = asked[nth]!.map((query) => query.get('bizType'))
        return {
          exit: synced.code,
          failures: failuresOf(synced, nth).length,
          stderr: synced.stderr,
          rows: counted(0, nth),
          missing: counted(1, nth),
          requests: lines.filter((line) => line === 'SPOT').length,
          lines: new Set(lines).size,
        }
      })
    }
    return { night }
  }

  const CODES = ['40704', '40020']

  test('is requested in halves if the venue takes less at once, be it the first of its feed', async () => {
    const { night } = await spotBooks([1, 6, 30, 59], ['40704'], (from, to) => to - from > 2 * DAY)

    const first = (await night())[0]!

    expect(first).toMatchObject({ exit: 0, rows: 4, missing: 0, lines: 6 })
    expect(first.stderr).toContain('lower venue.span_days')
  }, 240_000)

  const reachedNights = once(async () => {
    // The newest part of a window that begins before what it still has.
    const reach = 30 * DAY
    const { night } = await spotBooks([1, 29.5, 50], CODES, (from) => from < Date.now() - reach)
    return [await night(), await night()] as const
  })

  test.each(CODES)(
    'has all that the venue still has of it, and what is behind is requested a few times: code %s',
    async (code) => {
      const [first, again] = (await reachedNights()).map((night) => night[CODES.indexOf(code)]!)
      expect(first).toMatchObject({ exit: 5, failures: 1, rows: 2, lines: 6 })
      expect(first!.missing / 1_440).toBeGreaterThan(29)
      expect(first!.missing / 1_440).toBeLessThan(31.1)
      // Five windows, both halves of each of eight lengths of the last, what is behind in a few parts, and the ends of pages.
      expect(first!.requests).toBeLessThanOrEqual(35)

      expect(again).toMatchObject({ exit: 5, failures: 1, rows: 2, lines: 6 })
      expect(again!.requests).toBeLessThanOrEqual(15)
    },
    240_000,
  )

  const hourNights = once(async () => {
    const bad = Date.now() - 20 * DAY
    const { night } = await spotBooks([1, 19, 21, 50], CODES, (from, to) => from <= bad && bad <= to)
    return [await night(), await night()] as const
  })

  test.each(CODES)(
    'is requested again by the hour that is refused, and what is behind arrives: code %s',
    async (code) => {
      const [first, again] = (await hourNights()).map((night) => night[CODES.indexOf(code)]!)
      expect(first).toMatchObject({ exit: 5, failures: 1, rows: 4, lines: 6 })
      expect(first!.missing).toBeGreaterThan(0)
      expect(first!.missing).toBeLessThanOrEqual(60)

      expect(again).toMatchObject({ exit: 5, failures: 1, rows: 4, lines: 6 })
      expect(again!.missing).toBe(first!.missing)
      // The last day, the end of its page, and the hour.
      expect(again!.requests).toBeLessThanOrEqual(3)
    },
    240_000,
  )

  test('is not history that has expired if what is behind it arrives, where the reach is not documented', async () => {
    const bad = Date.now() - 40 * DAY
    const rows = [2, 39, 41, 90, 118].map(record)
    const futures = (query: URLSearchParams) => {
      const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
      if (query.get('productType') !== LINES[0] || query.get('idLessThan') !== null) return []
      if (from <= bad && bad <= to) return refused('40704', 400)
      return rows.filter(({ ts }) => from <= Number(ts) && Number(ts) <= to)
    }
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [FUTURES]: futures })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(120)}, feeds: [tax.futuresRecords] }`)

    for (const night of [1, 2]) {
      const count = countOf('futures_records')
      const { synced, ranges, answers } = await had(dir, 'tax.futuresRecords', count)
      expect([night, synced.code, asNumber(answers[0])]).toEqual([night, 5, 5])
      expect(ranges).toMatchObject([
        { status: 'complete', last_day: 0 },
        { status: 'failed', first_day: 40, last_day: 39 },
        { status: 'complete', first_day: 120 },
      ])
    }
  }, 240_000)

  const costs = once(async () => {
    const { night } = await spotBooks([], ['40704', '40020', '40014'], () => true)
    return await night()
  })

  test.each([
    // A week in eight lengths, three parts of less than an hour, and what the third is the newer half of.
    ['40704', 12, 0],
    // No page shows that the request is right but for its times.
    ['40020', 1, 1],
    ['40014', 1, 2],
  ])(
    'costs a few requests if the whole feed is: code %s',
    async (_, most, nth) => {
      const { requests, lines, missing } = (await costs())[nth]!

      expect(requests).toBeLessThanOrEqual(most)
      expect([lines, Math.floor(missing / 1_440)]).toEqual([1, 60])
    },
    240_000,
  )
})

describe.concurrent('a key that the venue does not know (40006) is sent once in a night', () => {
  const SIGNED_BY_THE_API_KEY = [
    '/api/v3/account/settings',
    '/api/v3/trade/unfilled-orders',
    ORDERS,
    FUTURES,
    '/api/v2/tax/p2p-record',
    '/api/v2/mix/position/all-position',
    ORDER_LIST,
  ]

  /** How often each path was requested in a run over all feeds, in which these are refused, and how that ends. */
  async function run(...paths: readonly string[]) {
    const unknown = Object.fromEntries(paths.map((path) => [path, () => refused('40006', 400)]))
    const venue = await traderVenue({ ...TRADER, ...excluded(400), ...unknown })
    const { code } = await command(['sync', '--dir', traderBooks(venue.baseUrl, `{ since: ${SINCE} }`)])
    expect(code).toBe(4)
    return (path: string) => venue.arrived.filter((each) => each === path).length
  }

  test('the tax key, which signs 4.19 alone, keeps nothing else from being read', async () => {
    const times = await run(TAX)
    expect(times(TAX)).toBe(1)
    for (const path of SIGNED_BY_THE_API_KEY) expect([path, times(path) > 0]).toEqual([path, true])
  }, 120_000)

  test('the API key, which 4.14 tries, keeps what the tax key signs from nothing', async () => {
    const times = await run(...SIGNED_BY_THE_API_KEY)
    expect(SIGNED_BY_THE_API_KEY.map(times)).toEqual([1, 0, 0, 0, 0, 0, 0])
    // Its six product lines.
    expect(times(TAX)).toBeGreaterThanOrEqual(6)
  }, 120_000)
})
