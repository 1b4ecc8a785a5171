import { afterEach, describe, expect, test } from 'vitest'
import { Feed } from '../../sandbox/core/feed.ts'
import { Ids } from '../../sandbox/core/ids.ts'
import { PAGED_ENDPOINTS, readPaging, USUAL_WAYS, WAYS, type Way } from '../../sandbox/core/paging.ts'
import { Random } from '../../sandbox/core/random.ts'
import { ENDPOINTS } from '../../sandbox/endpoints/index.ts'
import { type Credential, type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { accountOf, DAY_MS, FUTURES, get, heldClock, NOW, P2P, type Row, readFeed, TAX } from './client.ts'

/** Rows from 1 to `count`, each in an instant of its own. */
function numbered(count: number): Feed<string> {
  const feed = new Feed<string>()
  for (let id = 1; id <= count; id++) feed.append(String(id), id * 10, String(id))
  return feed
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, step) => String(from < to ? from + step : from - step))

/** Pages of 500 as a client reads them that takes the last id for the cursor, until a page is short or a third came. */
function walk(feed: Feed<string>, way: Way): string[][] {
  const pages: string[][] = []
  let cursor: string | undefined
  while (pages.length < 3) {
    const page = feed.page({ way, fromMs: 10, toMs: 12_000, cursor, limit: 500 })
    pages.push(page)
    if (page.length < 500) break
    cursor = page.at(-1)
  }
  return pages
}

describe('a window of 1,200 rows', () => {
  test('newest first: each page continues below the last id of the one before', () => {
    expect(walk(numbered(1_200), 'newest-first')).toEqual([range(1_200, 701), range(700, 201), range(200, 1)])
  })

  test('oldest first and forward: each page continues after the last row of the one before', () => {
    expect(walk(numbered(1_200), 'oldest-first-forward')).toEqual([
      range(1, 500),
      range(501, 1_000),
      range(1_001, 1_200),
    ])
  })

  test('oldest first and literal: the second page returns only known rows, and is short', () => {
    expect(walk(numbered(1_200), 'oldest-first-literal')).toEqual([range(1, 500), range(1, 499)])
  })
})

/** Five instants; the middle one holds five rows whose ids tell nothing of their order. */
function disordered(): Feed<string> {
  const feed = new Feed<string>()
  const rows: [id: string, ts: number][] = [
    ['11', 1],
    ['12', 2],
    ['27', 3],
    ['21', 3],
    ['29', 3],
    ['23', 3],
    ['25', 3],
    ['31', 4],
    ['32', 5],
  ]
  for (const [id, ts] of rows) feed.append(id, ts, id)
  return feed
}

describe('ids without order within an instant', () => {
  const page = (way: Way, cursor?: string) => disordered().page({ way, fromMs: 2, toMs: 4, cursor, limit: 3 })

  test('newest first: rows of the instant with a larger id than the cursor cannot be reached', () => {
    expect(page('unordered')).toEqual(['31', '25', '23'])
    expect(page('unordered', '23')).toEqual(['21', '12'])
  })

  test('oldest first: rows of the instant with a smaller id than the cursor cannot be reached', () => {
    expect(page('unordered-forward')).toEqual(['12', '27', '21'])
    expect(page('unordered-forward', '21')).toEqual(['27', '29', '23'])
    expect(page('unordered-forward', '29')).toEqual(['31'])
  })

  test('every page equals what going through all rows one by one would give', () => {
    const random = new Random(1, 'disorder')
    const feed = new Feed<{ id: number; ts: number }>()
    const all: { id: number; ts: number }[] = []
    for (let ts = 0; ts < 300; ts += random.int(0, 3)) {
      // About its time, and by chance within it; the last digits keep the ids apart.
      all.push({ id: (ts + random.int(0, 20)) * 10_000 + all.length, ts })
    }
    for (const row of all) feed.append(String(row.id), row.ts, row)
    for (let turn = 0; turn < 400; turn++) {
      const way = random.pick(WAYS)
      const [fromMs, toMs] = [random.int(0, 150), random.int(100, 300)]
      const cursor = random.pick(all).id
      const asksForSmaller = way !== 'oldest-first-forward' && way !== 'unordered-forward'
      const asked = all.filter(
        ({ id, ts }) => ts >= fromMs && ts <= toMs && (asksForSmaller ? id < cursor : id > cursor),
      )
      const expected = way === 'newest-first' || way === 'unordered' ? asked.reverse() : asked
      expect(feed.page({ way, fromMs, toMs, cursor: String(cursor), limit: 40 })).toEqual(
        expected.slice(0, 40),
      )
    }
  })

  test('are unique, of about the right second, and the same for the same seed', () => {
    const draw = () => {
      const [ids, random] = [new Ids(), new Random(7, 'ids')]
      return Array.from({ length: 2_000 }, (_, at) => ids.scattered(NOW.getTime() + at, random))
    }
    const ids = draw()
    expect(draw()).toEqual(ids)
    expect(new Set(ids).size).toBe(2_000)
    expect(ids.toSorted()).not.toEqual(ids)
    const early = new Ids().next(NOW.getTime())
    const late = new Ids().next(NOW.getTime() + 3_000)
    expect(ids.every((id) => BigInt(id) > BigInt(early) && BigInt(id) < BigInt(late))).toBe(true)
  })
})

describe('the switch', () => {
  test('names the endpoints that page by an id, and the defaults are those of the contract', () => {
    const paged = ENDPOINTS.filter(({ paging }) => paging !== undefined).map(({ name }) => name)
    expect([...PAGED_ENDPOINTS].sort()).toEqual(paged.sort())
    // What an endpoint that is added later does is its own affair.
    expect(USUAL_WAYS).toMatchObject({
      'broker.customerKyc': 'newest-first',
      'trade.openOrders': 'newest-first',
      'trade.orderHistory': 'newest-first',
      'market.liquidations': 'newest-first',
      'tax.records': 'newest-first',
      'tax.futuresRecords': 'oldest-first-forward',
      'tax.p2pRecords': 'oldest-first-forward',
      'p2p.orders': 'newest-first',
    })
  })

  test('a way on its own applies to the feeds of money, a named endpoint is an exception to it', () => {
    expect(readPaging('p2p.orders=newest-first, unordered')).toEqual({
      ...USUAL_WAYS,
      'tax.records': 'unordered',
      'tax.futuresRecords': 'unordered',
      'tax.p2pRecords': 'unordered',
      'p2p.orders': 'newest-first',
    })
    expect(readPaging({ 'trade.orderHistory': 'oldest-first-literal' })).toEqual({
      ...USUAL_WAYS,
      'trade.orderHistory': 'oldest-first-literal',
    })
  })

  test('seeded draws a way for each feed, the same for the same seed', () => {
    const drawn = Array.from({ length: 30 }, (_, seed) => readPaging('seeded', seed))
    expect(readPaging('seeded', 3)).toEqual(drawn[3])
    for (const feed of ['tax.records', 'tax.futuresRecords', 'tax.p2pRecords', 'p2p.orders'] as const) {
      expect(new Set(drawn.map((ways) => ways[feed]))).toEqual(new Set(WAYS))
    }
  })

  test.each([
    ['newest', /Unknown way of paging "newest". Known ways: newest-first, .*, seeded\./],
    ['tax.futures=unordered', /Unknown endpoint "tax.futures" to page. Known endpoints: .*tax.records/],
  ])('is refused with %s', async (paging, message) => {
    await expect(startSandbox({ now: NOW, days: 1, paging })).rejects.toThrow(message)
  })
})

const BURST_MS = NOW.getTime() - 36.5 * 3_600_000
const running: Sandbox[] = []
afterEach(() => Promise.all(running.splice(0).map((sandbox) => sandbox.close())))

async function start(paging: string | undefined, faults: string): Promise<Sandbox> {
  const clock = heldClock()
  const monotonicMs = () => {
    clock.advance(0.01)
    return clock.monotonicMs()
  }
  const sandbox = await startSandbox({
    now: NOW,
    days: 5,
    speed: 1e6,
    monotonicMs,
    faults,
    ...(paging && { paging }),
  })
  running.push(sandbox)
  return sandbox
}

interface Walked {
  path: string
  cursor: string
  id: string
  rows?: (data: Row) => Row[]
}

/** The ids of each page of an endpoint, at most five pages, the last id of each being the cursor of the next. */
async function pagesOf(
  sandbox: Sandbox,
  credential: Credential,
  { path, cursor: name, id, rows = (data) => data }: Walked,
  params: Record<string, string>,
): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: Record<string, string> = {}
  while (pages.length < 5) {
    const answer = await get(sandbox, credential, path, { ...params, ...cursor })
    expect(answer.code).toBe('00000')
    const page = rows(answer.data).map((row: Row) => row[id] as string)
    pages.push(page)
    if (page.length < Number(params.limit ?? 500)) break
    cursor = { [name]: page.at(-1)! }
  }
  return pages
}

const instant = { startTime: String(BURST_MS), endTime: String(BURST_MS) }
const asNumbers = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1)

describe('a burst of 1,200 futures records in one millisecond', () => {
  const burst = 'burst=tax.futuresRecords:1200'
  const read = async (paging: string | undefined) => {
    const sandbox = await start(paging, burst)
    return pagesOf(sandbox, accountOf(sandbox, 'classic'), FUTURES, instant)
  }

  test('is read completely by its cursor, oldest first and forward, as 4.20 is without a switch', async () => {
    const pages = await read(undefined)
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 200])
    expect(pages.flat()).toEqual(pages.flat().toSorted(asNumbers))
    expect(new Set(pages.flat()).size).toBe(1_200)
  })

  test('is read completely by its cursor, newest first', async () => {
    const pages = await read('tax.futuresRecords=newest-first')
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 200])
    expect(pages.flat()).toEqual(pages.flat().toSorted(asNumbers).reverse())
    expect(new Set(pages.flat()).size).toBe(1_200)
  })

  test('is never read beyond its first page when it is oldest first and literal', async () => {
    const pages = await read('tax.futuresRecords=oldest-first-literal')
    expect(pages.map(({ length }) => length)).toEqual([500, 499])
    expect(pages[1]).toEqual(pages[0]!.slice(0, -1))
  })

  test.each(['unordered', 'unordered-forward'])(
    'has rows that cannot be reached when it is %s',
    async (way) => {
      const pages = await read(`tax.futuresRecords=${way}`)
      expect(pages[0]).toHaveLength(500)
      const reached = new Set(pages.flat())
      expect(reached.size).toBeGreaterThan(500)
      expect(reached.size).toBeLessThan(1_200)
      // What the second page holds lies beyond the cursor as a number, whatever its place in the list.
      const last = BigInt(pages[0]!.at(-1)!)
      const isBeyond = (id: string) => (way === 'unordered' ? BigInt(id) < last : BigInt(id) > last)
      expect(pages[1]!.every(isBeyond)).toBe(true)
      expect(pages[1]!.some((id) => pages[0]!.includes(id))).toBe(true)
    },
  )
})

const listed = { spanDays: 1, id: 'orderId' } as const
const FEEDS_OF: Record<
  string,
  { of: Parameters<typeof readFeed>[2]; account: 'parent' | 'classic'; params: object }
> = {
  'tax.records': { of: TAX, account: 'parent', params: { bizType: 'SPOT' } },
  'tax.futuresRecords': { of: FUTURES, account: 'parent', params: {} },
  'tax.p2pRecords': { of: P2P, account: 'classic', params: {} },
  'trade.orderHistory': {
    of: {
      ...listed,
      path: '/api/v3/trade/history-orders',
      cursor: 'cursor',
      limit: 100,
      rows: (data) => data.list,
    },
    account: 'parent',
    params: { category: 'SPOT' },
  },
  'p2p.orders': {
    of: {
      ...listed,
      path: '/api/v2/p2p/orderList',
      cursor: 'idLessThan',
      limit: 500,
      rows: (data) => data.orderList,
    },
    account: 'parent',
    params: {},
  },
}

test.each(Object.keys(FEEDS_OF))(
  'a burst of %s has as many rows as requested, and the truth counts them',
  async (feed) => {
    const { of, account, params } = FEEDS_OF[feed]!
    const [plain, sandbox] = [await start(undefined, ''), await start(undefined, `burst=${feed}:1201`)]
    const { uid, taxKey, ...key } = accountOf(sandbox, account)
    const credential = feed === 'tax.records' ? taxKey : key
    const rows = await readFeed(sandbox, credential, of, { ...params }, BURST_MS, BURST_MS + 1)
    expect(rows).toHaveLength(1_201)
    const records = (one: Sandbox) =>
      one.truth().accounts.find((counted) => counted.uid === uid)!.records as Record<string, number>
    expect(records(sandbox)[feed]! - records(plain)[feed]!).toBe(1_201)
  },
)

test('a burst that an account cannot pay for is refused', async () => {
  const options = { now: NOW, days: 0.025, faults: 'burst=tax.futuresRecords:1200' }
  await expect(startSandbox(options)).rejects.toThrow(
    'burst=tax.futuresRecords:1200: the classic account cannot pay for so many fills. Take fewer rows or a longer history.',
  )
})

test('the smallest id is the cursor of merchant orders in every way of paging', async () => {
  for (const paging of WAYS) {
    const sandbox = await start(`p2p.orders=${paging}`, '')
    const { data } = await get(sandbox, accountOf(sandbox, 'parent'), '/api/v2/p2p/orderList', { limit: '4' })
    const ids = data.orderList.map(({ orderId }: Row) => orderId)
    expect(ids).toHaveLength(4)
    expect(data.minOrderId).toBe(ids.toSorted(asNumbers)[0])
  }
})

test('the books, the truth and the rows are the same in every way of paging; only ids differ, and only if unordered', async () => {
  const usual = await start(undefined, '')
  const content = async (sandbox: Sandbox) => {
    const rows = await readFeed(
      sandbox,
      accountOf(sandbox, 'classic'),
      { ...FUTURES, spanDays: 1 },
      {},
      NOW.getTime() - 5 * DAY_MS,
      NOW.getTime(),
    )
    return {
      ids: rows.map(({ id }) => id).sort(),
      rows: rows.map(({ id: _, ...row }) => JSON.stringify(row)).sort(),
    }
  }
  const expected = await content(usual)
  for (const way of WAYS) {
    const sandbox = await start(way, '')
    expect(sandbox.truth()).toEqual(usual.truth())
    const { ids, rows } = await content(sandbox)
    expect(rows).toEqual(expected.rows)
    if (way.startsWith('unordered')) expect(ids).not.toEqual(expected.ids)
    else expect(ids).toEqual(expected.ids)
  }
})

test('ids are unique over the whole sandbox even if some are unordered', async () => {
  const sandbox = await start('unordered', 'burst=tax.futuresRecords:600')
  const fromMs = NOW.getTime() - 5 * DAY_MS
  const ids: string[] = []
  for (const account of sandbox.accounts) {
    const hour = { ...FUTURES, spanDays: 1 }
    ids.push(
      ...(await readFeed(sandbox, account, { ...hour, path: P2P.path }, {}, fromMs, NOW.getTime())).map(
        ({ id }) => id,
      ),
    )
    if (account.kind === 'unified') {
      const tax = { ...TAX, spanDays: 0.25 }
      ids.push(
        ...(await readFeed(sandbox, account.taxKey, tax, { bizType: 'SPOT' }, fromMs, NOW.getTime())).map(
          ({ id }) => id,
        ),
      )
    }
  }
  expect(new Set(ids).size).toBe(ids.length)
})
