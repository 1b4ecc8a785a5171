// Rows that cannot be what they say: without an identity, with amounts of no coin, or of a time that nobody asked for.
// They are quarantined whole, named by a break, and their neighbours land. The feeds are declared as they are in production.
import { describe, expect, test } from 'vitest'
import { endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import { columnName } from '../../models/record.ts'
import { landingFeeds, landingRecords } from '../../pipeline/books/books.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { landJournal, rebuildLanding } from '../../pipeline/landing/land-journal.ts'
import type { Landing } from '../../pipeline/landing/landing.ts'
import { buildLedger } from '../../pipeline/ledger/build.ts'
import { statedRecords } from '../document/index.ts'
import type { StatedRecord } from '../document/stated.ts'
import { HeldClock } from '../support/venue.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { rawPage } from './frames.ts'

const REAL = { records: landingRecords, feeds: landingFeeds }
const T = Date.UTC(2026, 0, 3)
const DAY = 86_400_000
const WINDOW = { start: T - DAY, end: T + DAY }

const isKeyed = (feed: string): boolean => findEndpoint(feed)!.item!.key.length > 0

/** What the document requires of a row, at a time within the window. */
function required(feed: string, record: StatedRecord): Record<string, unknown> {
  const time = findEndpoint(feed)!.window?.time ?? ''
  return Object.fromEntries(
    record.required.map((name) => [name, name === time ? String(T) : record.fields[name]?.sent]),
  )
}

/** By feed, a row as it should be: what is required, or with more fields than that; without the spaces that would hide in a comparison of texts. */
const GOOD: Readonly<Record<string, Record<string, unknown>>> = {
  ...Object.fromEntries(
    statedRecords.flatMap(([name, , record]) => (isKeyed(name) ? [[name, required(name, record)]] : [])),
  ),
  'broker.subaccountEmail': { subUid: '7' },
  'broker.customers': { uid: '7', registerTime: String(T) },
  'broker.customerKyc': { uid: '7' },
  'trade.openOrders': { orderId: '7', createdTime: String(T) },
  'trade.orderHistory': { orderId: '7', createdTime: String(T), updatedTime: String(T) },
  'futures.positions': { marginCoin: 'USDT', symbol: 'BTCUSDT', holdSide: 'long' },
  'futures.subaccountAssets': { userId: '7' },
  'account.settings': { uid: '7' },
  'futures.contracts': { symbol: 'BTCUSDT' },
  'tax.records': { id: '7', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '1', ts: String(T) },
  'tax.futuresRecords': {
    id: '7',
    marginCoin: 'USDT',
    futureTaxType: 'OPEN_LONG',
    amount: '1',
    ts: String(T),
  },
  'p2p.merchant': { merchantId: '7' },
  'p2p.orders': { orderId: '7', coin: 'USDT', count: '1', cTime: String(T), uTime: String(T) },
}

/** A page of a feed whose rows are given as JSON texts, asked for by the window in its path. */
function pageOf(seq: number, feed: string, rows: readonly string[], asked: typeof WINDOW | null = WINDOW) {
  const endpoint = findEndpoint(feed)!
  const list = `[${rows.join(',')}]`
  const data =
    endpoint.rows === 'object'
      ? (rows[0] ?? 'null')
      : endpoint.rows === ''
        ? list
        : `{"${endpoint.rows}":${list}}`
  const query = asked === null ? '' : `?limit=100&startTime=${asked.start}&endTime=${asked.end}`
  return rawPage(seq, `{"code":"00000","msg":"success","data":${data}}`, {
    feed,
    partition: '',
    request: { method: 'GET', path: `${endpoint.path}${query}` },
  })
}

const quarantined = (landing: Landing) =>
  ask(landing, 'select feed, page_row, field, reason, raw from landing.quarantine order by page_id, page_row')

const landed = (landing: Landing, feed: string, field: string) => {
  const { table } = findEndpoint(feed)!.item!
  return ask(landing, `select ${columnName(field)} from landing.${table} order by page_id, page_row`)
}

/** The row as JSON with one field written as it stands here; undefined leaves it out. */
function rowWith(feed: string, field: string, lexeme: string | undefined): string {
  const { [field]: _, ...rest } = GOOD[feed]!
  const text = JSON.stringify(rest)
  return lexeme === undefined ? text : `{"${field}":${lexeme}${text === '{}' ? '' : ','}${text.slice(1)}`
}

const VALUE = 'expected a value'
const IDENTITY = 'expected a text or an integer'

const impossible: readonly (readonly [string | undefined, string])[] = [
  [undefined, VALUE],
  ['null', VALUE],
  ['""', VALUE],
  ['" "', VALUE],
  ['true', IDENTITY],
  ['1.5', IDENTITY],
  // Arrives as its digits, since a float would spell it otherwise.
  ['1.50', IDENTITY],
  ['12e3', IDENTITY],
  ['{}', IDENTITY],
  ['["7"]', IDENTITY],
]

const identities = endpoints.flatMap(({ name, item }) =>
  (item?.key ?? []).map((field) => [name, field] as const),
)

describe('an identity', () => {
  test('is declared for every record that lands except two, to which the venue gives none', () => {
    const without = endpoints
      .filter(({ item }) => item !== null && item.key.length === 0)
      .map(({ name }) => name)
    expect(without).toEqual(['loan.ltv', 'market.liquidations'])
    expect(new Set(identities.map(([name]) => name))).toEqual(new Set(Object.keys(GOOD)))
  })

  test.each(identities)(
    'that is invalid, of %s in %s, quarantines the whole row, and its neighbours land',
    async (feed, field) => {
      const landing = await landingIn(await emptyFolder(), REAL)
      const bad = impossible.map(([lexeme, reason]) => [rowWith(feed, field, lexeme), reason] as const)
      const isObject = findEndpoint(feed)!.rows === 'object'
      const good = JSON.stringify(GOOD[feed])
      const pages = isObject
        ? [...bad.map(([row]) => [row]), [good]]
        : [[good, ...bad.map(([row]) => row), good]]
      await landing.land(pages.map((rows, place) => pageOf(place + 1, feed, rows)))
      const personal = Object.values(findEndpoint(feed)!.item!.fields).some((one) => one.personal)
      expect(await quarantined(landing)).toEqual(
        bad.map(([row, reason], place) => [
          feed,
          isObject ? 0 : place + 1,
          field,
          reason,
          // Where a record has personal fields only those that are not are shown; the identity is one of them.
          personal ? expect.any(String) : row,
        ]),
      )
      expect(await landed(landing, feed, field)).toEqual(
        Array.from({ length: isObject ? 1 : 2 }, () => [GOOD[feed]![field]]),
      )
    },
  )

  test('is a text or an integer, however it is written: 12 and "12" are one', async () => {
    const landing = await landingIn(await emptyFolder(), REAL)
    const ids = ['"0"', '0', '12', '"12"', '1375573238088888369', '"1.5"', '"a-1"']
    await landing.land([
      pageOf(
        1,
        'tax.records',
        ids.map((id) => rowWith('tax.records', 'id', id)),
      ),
    ])
    expect(await quarantined(landing)).toEqual([])
    expect((await landed(landing, 'tax.records', 'id')).flat()).toEqual([
      '0',
      '0',
      '12',
      '12',
      '1375573238088888369',
      '1.5',
      'a-1',
    ])
  })
})

describe('the coin of the amounts', () => {
  test.each([
    ['tax.records', 'coin'],
    ['tax.futuresRecords', 'marginCoin'],
    ['tax.p2pRecords', 'coin'],
    ['p2p.orders', 'coin'],
  ])('of %s that is empty, in %s, quarantines the row, and its neighbours land', async (feed, field) => {
    const landing = await landingIn(await emptyFolder(), REAL)
    const good = JSON.stringify(GOOD[feed])
    const bad = [undefined, 'null', '""', '" "'].map((lexeme) => rowWith(feed, field, lexeme))
    await landing.land([pageOf(1, feed, [good, ...bad, good])])
    expect((await quarantined(landing)).map((line) => line.slice(1, 4))).toEqual(
      [1, 2, 3, 4].map((row) => [row, field, VALUE]),
    )
    expect(await landed(landing, feed, field)).toEqual([['USDT'], ['USDT']])
  })

  test('is not required of a record that has no coin of its own', async () => {
    const landing = await landingIn(await emptyFolder(), REAL)
    await landing.land([
      pageOf(1, 'trade.orderHistory', [
        rowWith('trade.orderHistory', 'feeDetail', '[{"feeCoin":"","fee":""}]'),
      ]),
      pageOf(2, 'tax.futuresRecords', [rowWith('tax.futuresRecords', 'symbol', '""')]),
      pageOf(3, 'tax.records', [rowWith('tax.records', 'type', '""')]),
    ])
    expect(await quarantined(landing)).toEqual([])
  })
})

describe('a time', () => {
  const EARLY = 'expected Unix milliseconds, found a time before 2009'
  const OUTSIDE = 'expected a time within the window that was asked for'
  const at = (feed: string, fields: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ ...GOOD[feed], ...fields })

  test.each(['tax.records', 'tax.futuresRecords', 'tax.p2pRecords'])(
    'of %s lies within the requested window, give or take a second',
    async (feed) => {
      const landing = await landingIn(await emptyFolder(), REAL)
      const { start, end } = WINDOW
      const times = [start - 1_001, start - 1_000, start, end, end + 1_000, end + 1_001, T / 1_000, 0]
      await landing.land([
        pageOf(
          1,
          feed,
          times.map((ts) => at(feed, { ts: String(ts) })),
        ),
      ])
      expect((await quarantined(landing)).map((line) => line.slice(1, 4))).toEqual([
        [0, 'ts', OUTSIDE],
        [5, 'ts', OUTSIDE],
        [6, 'ts', EARLY],
        [7, 'ts', EARLY],
      ])
      const { table } = findEndpoint(feed)!.item!
      expect(
        (await ask(landing, `select epoch_ms(ts) from landing.${table} order by page_row`))
          .flat()
          .map(Number),
      ).toEqual([start - 1_000, start, end, end + 1_000])
    },
  )

  test.each([
    ['trade.orderHistory', 'createdTime', 'updatedTime'],
    ['p2p.orders', 'cTime', 'uTime'],
  ])(
    'of %s: the venue may filter by either, so a life that touches the window lands',
    async (feed, created, updated) => {
      const landing = await landingIn(await emptyFolder(), REAL)
      const { start, end } = WINDOW
      const life = (from: unknown, to: unknown) => at(feed, { [created]: from, [updated]: to })
      const good = [
        life(start - 400 * DAY, T),
        life(T, end + DAY),
        life(start - DAY, end + DAY),
        life(T, null),
        life(T, '0'),
        life(start - DAY, start - 1_000),
        life(end + 1_000, end + DAY),
      ]
      const bad = [
        life(start - DAY, start - 1_001),
        life(end + 1_001, end + DAY),
        life(start - DAY, '0'),
        life(T / 1_000, T / 1_000),
        life(T / 1_000, T),
        life(T, T / 1_000),
      ]
      await landing.land([pageOf(1, feed, [...good, ...bad])])
      expect((await quarantined(landing)).map((line) => line.slice(1, 4))).toEqual([
        [7, created, OUTSIDE],
        [8, created, OUTSIDE],
        [9, created, OUTSIDE],
        [10, created, EARLY],
        [11, created, EARLY],
        [12, updated, EARLY],
      ])
      expect(await landed(landing, feed, 'orderId')).toHaveLength(good.length)
    },
  )

  test('of a customer may be long before the window, since it is unknown what the venue filters by; but not in 1970', async () => {
    const landing = await landingIn(await emptyFolder(), REAL)
    const rows = [T - 900 * DAY, T, T / 1_000].map((registerTime) => at('broker.customers', { registerTime }))
    await landing.land([pageOf(1, 'broker.customers', rows)])
    expect((await quarantined(landing)).map((line) => line.slice(1, 4))).toEqual([[2, 'registerTime', EARLY]])
  })

  test('is compared with the times in the request or, without them, with the window of its walk', async () => {
    const landing = await landingIn(await emptyFolder(), REAL)
    const row = (id: string, ts: number) => at('tax.records', { id, ts: String(ts) })
    const rows = [row('1', WINDOW.start), row('2', WINDOW.start + 5_000)]
    const page = pageOf(1, 'tax.records', rows, { start: WINDOW.start + 5_000, end: WINDOW.end })
    const bare = pageOf(2, 'tax.records', rows, null)
    await landing.land([
      { ...page, meta: { ...page.meta, window: WINDOW } as never },
      { ...bare, meta: { ...bare.meta, window: { ...WINDOW, start: WINDOW.start + 5_000 } } as never },
      pageOf(3, 'tax.records', [row('3', 5 * T)], null),
    ])
    expect((await quarantined(landing)).map((line) => line.slice(0, 4))).toEqual([
      ['tax.records', 0, 'ts', OUTSIDE],
      ['tax.records', 0, 'ts', OUTSIDE],
    ])
    expect((await landed(landing, 'tax.records', 'id')).flat()).toEqual(['2', '2', '3'])
  })
})

test('a break names what is quarantined, no entry is made from it, and a rebuild gives the same', async () => {
  const dir = await emptyFolder()
  const clock = new HeldClock()
  const journal = await openJournal(dir, { mode: 'append', clock })
  const landing = await landingIn(dir, REAL)
  const bad = [
    rowWith('tax.records', 'id', '""'),
    rowWith('tax.records', 'coin', '""'),
    rowWith('tax.records', 'ts', String(T / 1_000)),
    rowWith('tax.records', 'ts', String(T + 2 * DAY)),
  ]
  const frame = pageOf(1, 'tax.records', [JSON.stringify(GOOD['tax.records']), ...bad])
  await journal.append({ ...frame.meta, covers: WINDOW } as never, frame.body ?? undefined)
  await landJournal(journal, landing)
  const before = await landing.contentHashes()
  const result = await buildLedger({
    dir,
    landing,
    now: new Date(T + 2 * DAY),
    clock,
    config: { accounts: [], publishPersonalData: false },
  })
  const named = result.openBreaks.filter(({ checkName }) => checkName === 'quarantined_rows')
  expect(named.map(({ severity, explanation }) => `${severity}: ${explanation}`).toSorted()).toEqual([
    'warning: 1 row of tax.records was quarantined because of the field coin: expected a value. It is in the table quarantine and in no balance.',
    'warning: 1 row of tax.records was quarantined because of the field id: expected a value. It is in the table quarantine and in no balance.',
    'warning: 1 row of tax.records was quarantined because of the field ts: expected Unix milliseconds, found a time before 2009. It is in the table quarantine and in no balance.',
    'warning: 1 row of tax.records was quarantined because of the field ts: expected a time within the window that was asked for. It is in the table quarantine and in no balance.',
  ])
  expect((await quarantined(landing)).map((line) => line[4])).toEqual(bad)
  await landing.close()

  await rebuildLanding(dir, journal, { ...REAL })
  const rebuilt = await landingIn(dir, REAL)
  expect(await rebuilt.contentHashes()).toEqual(before)
  await journal.close()
}, 60_000)
