// Prices out of the box: what the books need is asked of the configured sources over real HTTP, and only that; kept in the
// journal; and a source that fails takes nothing with it. Figures by hand.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EcbClient } from '../../connectors/prices/ecb.ts'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import type { NightlyBuild } from '../../pipeline/books/night.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { Explanation } from '../../pipeline/evidence/explain.ts'
import type { Step } from '../../pipeline/evidence/step.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { fetchPrices } from '../../pipeline/prices/fetch.ts'
import { explained } from '../evidence/explain-books.ts'
import { ImportedBooks } from '../support/imports.ts'

const HOUR_MS = 3_600_000

/** What the sources say: pairs, the closing price of an hour, euro rates by day; and what they were asked. */
const world = {
  asked: [] as string[],
  headers: [] as IncomingHttpHeaders[],
  pairs: ['BGB/USDT', 'USDT/EUR', 'ETH/USDT'],
  close: (symbol: string, closesAt: number): string => {
    if (symbol === 'USDTEUR') return '0.9'
    return `2.${String(new Date(closesAt).getUTCHours()).padStart(2, '0')}`
  },
  rates: { CAD: '1.5', USD: '1.25' } as Record<string, string>,
  ecbStatus: (_from: string): number => 200,
  ecbIsEmpty: false,
  ecbIsSite: false,
  /** Called when the pairs are asked for. */
  onPairs: (): void => undefined,
}

let server: Server
let url: string

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    world.headers.push(request.headers)
    const say = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain' })
      response.end(body)
    }
    const answer = (data: unknown): void =>
      say(200, JSON.stringify({ code: '00000', msg: 'success', requestTime: Date.now(), data }))
    if (pathname.endsWith('/public/symbols')) {
      world.asked.push('pairs')
      world.onPairs()
      return answer(
        world.pairs.map((pair) => {
          const [baseCoin, quoteCoin] = pair.split('/')
          return { symbol: `${baseCoin}${quoteCoin}`, baseCoin, quoteCoin, status: 'online' }
        }),
      )
    }
    if (pathname.endsWith('/history-candles')) {
      const symbol = searchParams.get('symbol') ?? ''
      const unit = searchParams.get('granularity') === '1h' ? HOUR_MS : 24 * HOUR_MS
      const end = Number(searchParams.get('endTime'))
      world.asked.push(`${symbol} ${searchParams.get('granularity')} until ${new Date(end).toISOString()}`)
      // As inclusive as a venue may be: a candle that opens at the end comes too.
      const last = Math.floor(end / unit) * unit
      const opens = Array.from(
        { length: Number(searchParams.get('limit')) },
        (_, index) => last - index * unit,
      )
      return answer(
        opens
          .reverse()
          .map((at) => [String(at), '1', '9', '0.1', world.close(symbol, at + unit), '5', '5', '5']),
      )
    }
    const series = /^\/service\/data\/EXR\/D\.([A-Z]{3})\.EUR\.SP00\.A$/.exec(pathname)?.[1]
    const [from, to] = [searchParams.get('startPeriod'), searchParams.get('endPeriod')]
    world.asked.push(`${series} from ${from} to ${to}`)
    const status = world.ecbStatus(from ?? '')
    if (status !== 200 || world.ecbIsEmpty) return say(status, world.ecbIsEmpty ? '' : 'out of order')
    if (world.ecbIsSite) return say(200, '<!doctype html><title>Welcome</title>')
    const lines = ['KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_COM']
    for (let day = Date.parse(from ?? ''); day <= Date.parse(to ?? ''); day += 24 * HOUR_MS) {
      const key = `EXR.D.${series}.EUR.SP00.A,D,${series},EUR,SP00,A,${new Date(day).toISOString().slice(0, 10)}`
      lines.push(`${key},${world.rates[series ?? '']},"a, comment"`)
    }
    say(200, `${lines.join('\r\n')}\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
})

let books: ImportedBooks

const configured = (): ImportedBooks =>
  new ImportedBooks({
    reports: { ...emptyConfig.reports, currency: 'EUR' },
    prices: {
      ...emptyConfig.prices,
      sources: {
        candles: { url, budget: { count: 100, per_ms: 1 } },
        ecb: { url: `${url}/service`, budget: { count: 100, per_ms: 1 } },
      },
    },
  })

beforeEach(() => {
  world.asked.length = 0
  world.headers.length = 0
  world.ecbStatus = () => 200
  world.ecbIsEmpty = false
  world.ecbIsSite = false
  world.onPairs = () => undefined
  books = configured()
})

afterEach(() => books.close())

const REWARD = 'r1,2026-01-05T10:30:00Z,main,income,BGB,10,,,,'
const BOUGHT = 'b1,2026-01-06T12:00:00Z,main,buy,BTC,1,CAD,300,0,'

const deep = (one: Step): Step[] => [one, ...one.steps.flatMap(deep)]

const valuations = (of = books) =>
  of.query(
    `select coin, value, path, sources from valuations
     where coin in ('BGB', 'CAD') and entry_id not like 'day/%' order by valued_at`,
  )

/** Books of both, with the prices that they need, and what was asked of the sources for them; tests read them. */
let fetched: ImportedBooks
let night: NightlyBuild
const asked: string[] = []
const sent: IncomingHttpHeaders[] = []
beforeAll(async () => {
  world.asked.length = 0
  world.headers.length = 0
  fetched = configured()
  await fetched.trades(REWARD, BOUGHT)
  night = await fetched.fetchPrices()
  asked.push(...world.asked)
  sent.push(...world.headers)
})
afterAll(() => fetched.close())

describe('prices from the configured sources', () => {
  it('value what nothing else does: by the candle that closed last, and by the rate of the day', async () => {
    const { prices } = night
    // 10 × 2.10 × 0.9, and 300 / 1.5
    expect(await valuations(fetched)).toEqual([
      ['BGB', '18.9', 'BGB > USDT > EUR', 'candles > candles'],
      ['CAD', '200', 'CAD > EUR', 'ecb'],
    ])
    expect(prices).toMatchObject({ requests: 6, problems: [], unreachable: ['BTC'] })
    expect(
      await fetched.query(
        `select coin, currency, count(*), min(priced_at), max(priced_at) from prices where source <> 'trades' group by 1, 2 order by 1`,
      ),
    ).toEqual([
      ['BGB', 'USDT', 27, '2026-01-04T23:59:59.999Z', '2026-01-06T23:59:59.999Z'],
      ['EUR', 'CAD', 6, '2026-01-01T00:00:00.000Z', '2026-01-06T00:00:00.000Z'],
      ['USDT', 'EUR', 27, '2026-01-04T23:59:59.999Z', '2026-01-06T23:59:59.999Z'],
    ])
  })

  it('are asked for on the days and of the coins that the books need, and for nothing else, without any key', () => {
    expect(asked.toSorted()).toEqual([
      'BGBUSDT 1Dutc until 2026-01-07T00:00:00.000Z',
      'BGBUSDT 1h until 2026-01-05T23:00:00.000Z',
      'CAD from 2026-01-01 to 2026-01-06',
      'USDTEUR 1Dutc until 2026-01-07T00:00:00.000Z',
      'USDTEUR 1h until 2026-01-05T23:00:00.000Z',
      'pairs',
    ])
    expect(sent).toHaveLength(asked.length)
    for (const headers of sent)
      expect(Object.keys(headers).filter((name) => /access|auth|key|cookie/.test(name))).toEqual([])
  })

  it('are asked for once: a second night sends nothing for them, a new day only that day', async () => {
    await books.trades(REWARD)
    await books.fetchPrices()
    world.asked.length = 0
    expect((await books.fetchPrices()).prices).toMatchObject({ prices: 0 })
    expect(world.asked).toEqual(['pairs'])
    await books.trades(REWARD, 'r2,2026-01-06T00:10:00Z,main,income,BGB,1,,,,')
    await books.fetchPrices()
    expect(world.asked.filter((one) => one.startsWith('BGB')).toSorted()).toEqual([
      'BGBUSDT 1Dutc until 2026-01-07T00:00:00.000Z',
      'BGBUSDT 1h until 2026-01-06T23:00:00.000Z',
    ])
    // Closed at midnight: 2.00 × 0.9
    expect((await valuations()).at(-1)?.[1]).toBe('1.8')
  })

  it('are asked for by the day while an imported account only holds a coin, and each day then has its value', async () => {
    await books.trades(
      't1:in,2026-01-05T10:30:00Z,cold,transfer_in,BGB,10,,,,',
      't1:out,2026-01-05T10:00:00Z,main,transfer_out,BGB,10,,,,',
      'b0,2026-01-05T09:00:00Z,main,buy,BGB,10,EUR,20,,',
      's1,2026-01-20T12:00:00Z,cold,sell,BGB,10,EUR,30,,',
      'b2,2026-01-25T12:00:00Z,cold,buy,BGB,1,EUR,2,,',
    )
    // A price of one's own that counts at the end of a day spares that day, where it is in the reporting currency.
    await books.import(
      'prices',
      'time,asset,currency,price\n2026-01-10T20:00:00Z,BGB,EUR,3\n2026-01-12T20:00:00Z,BGB,USDT,3\n',
    )
    const unvalued = () =>
      books.query(
        'select coin, count(*), count(value) from daily_valuation group by coin, currency order by coin',
      )
    await books.fetchPrices()
    expect(world.asked.filter((one) => one.startsWith('BGBUSDT 1D'))).toEqual([
      'BGBUSDT 1Dutc until 2026-01-10T00:00:00.000Z',
      'BGBUSDT 1Dutc until 2026-01-20T00:00:00.000Z',
      'BGBUSDT 1Dutc until 2026-01-26T00:00:00.000Z',
    ])
    // Held to the 19th, and again on the 25th; the night of the 20th holds nothing.
    expect(await unvalued()).toEqual([['BGB', 16, 16]])
    // By the close of the day itself, and not of the one before.
    expect(
      await books.query(
        "select day, priced_at from daily_valuation where day in ('2026-01-06', '2026-01-15', '2026-01-25') order by day",
      ),
    ).toEqual([
      ['2026-01-06', '2026-01-06T23:59:59.999Z'],
      ['2026-01-15', '2026-01-15T23:59:59.999Z'],
      ['2026-01-25', '2026-01-25T23:59:59.999Z'],
    ])
    world.asked.length = 0
    await books.fetchPrices()
    expect(world.asked).toEqual(['pairs'])
  })

  it('are known from what has landed, wherever the tables of the build stand', async () => {
    const folder = await openBooks(books.dir, { clock: systemClock, command: 'build' })
    const instance = await DuckDBInstance.create(':memory:')
    const elsewhere = await instance.connect()
    const { signal } = new AbortController()
    const ecb = new EcbClient({
      url: `${url}/service`,
      clock: systemClock,
      signal,
      budget: { count: 100, perMs: 1 },
    })
    try {
      // Tables of a build on a server, which are brought to a database in which nothing has landed.
      await elsewhere.run(`attach ':memory:' as landing; attach ':memory:' as staging;
        create table landing.price_pages (source varchar, asset varchar, currency varchar, unit varchar,
          starts_at timestamptz, ends_at timestamptz);
        create table staging.reporting as select 'EUR' as currency;
        create table staging.quote_ranks (coin varchar, rank integer);
        create table staging.price_needs as
          select 'CAD' as coin, 'day' as unit, date '2026-01-06' as first_day, date '2026-01-08' as last_day`)
      const fetched = () =>
        fetchPrices(elsewhere, {
          sources: { candles: null, ecb },
          secrets: [],
          ...{ journal: folder.journal, landing: folder.landing, clock: systemClock, signal, run: 'r1' },
          now: () => Date.parse('2026-02-01T00:00:00Z'),
        })
      expect((await fetched()).prices).toBeGreaterThan(0)
      expect(await fetched()).toMatchObject({ prices: 0, requests: 0 })
    } finally {
      await ecb.close()
      elsewhere.closeSync()
      instance.closeSync()
      await folder.close()
    }
  })

  it('stand in the journal: made again from it the ledger is the same, and nobody is asked', async () => {
    await books.trades(REWARD, BOUGHT)
    const { path } = await books.fetchPrices()
    const before = await tableHashes(path)
    world.asked.length = 0
    await books.rebuild()
    expect(await tableHashes(path)).toEqual(before)
    expect(world.asked).toEqual([])
  })

  it('are not asked for where the user has imported what counts', async () => {
    await books.trades(REWARD, BOUGHT)
    await books.import(
      'prices',
      'time,asset,currency,price\n2026-01-05T10:00:00Z,BGB,EUR,3\n2026-01-06T10:00:00Z,BGB,EUR,4\n',
    )
    await books.import('prices', 'Date,CAD,\n2026-01-05,1.2,\n', 'eurofxref-hist.csv')
    const { prices } = await books.fetchPrices()
    expect(world.asked).toEqual(['pairs'])
    expect(prices).toMatchObject({ prices: 0, problems: [] })
    expect((await valuations()).map(([, value]) => value)).toEqual(['30', '250'])
  })

  it('are never asked for where no source is configured', async () => {
    books.close()
    books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'EUR' } })
    await books.trades(REWARD)
    expect((await books.fetchPrices()).prices).toBeNull()
    expect(world.asked).toEqual([])
  })
})

describe('tieout explain', () => {
  it('goes on from a value to the candle and the rate that were received', async () => {
    const reward = await explained(fetched.dir, 'r1')
    const price = (one: Explanation, at: number) => {
      const step = one.steps.flatMap(deep).filter(({ what }) => what === 'price')[at]
      return one.frames.get(step?.place?.frame ?? 0)?.rowAt(step?.place?.row ?? 0)?.text
    }
    expect(price(reward, 0)).toBe(
      `["${Date.parse('2026-01-05T09:00:00Z')}","1","9","0.1","2.10","5","5","5"]`,
    )
    expect(price(reward, 1)).toContain('"0.9"')
    const bought = await explained(fetched.dir, 'b1')
    expect(price(bought, 0)).toBe('EXR.D.CAD.EUR.SP00.A,D,CAD,EUR,SP00,A,2026-01-06,1.5,"a, comment"')
  })
})

describe('a source that fails', () => {
  it('leaves its prices pending with a warning; the books are published with the others, and the next night goes on', async () => {
    await books.trades(REWARD, BOUGHT)
    world.ecbStatus = () => 503
    const night = await books.fetchPrices()
    expect(night.published).toBe(true)
    expect(night.prices?.problems).toEqual(['ecb of EUR in CAD: HTTP status 503'])
    expect((await valuations()).map(([, value]) => value)).toEqual(['18.9', null])
    const [warning] = night.openBreaks.filter(({ checkName }) => checkName === 'price_sources')
    expect(warning).toMatchObject({
      severity: 'warning',
      explanation:
        'The price source ecb did not give 1 series (EUR in CAD): HTTP status 503. They are pending and asked for again ' +
        'the next night; import prices to go without it.',
    })
    world.ecbStatus = () => 200
    const next = await books.fetchPrices()
    expect(next.openBreaks.filter(({ checkName }) => checkName === 'price_sources')).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['18.9', '200'])
  })

  it.each([
    ['no service of the ECB', 'HTTP status 404 for every day; look at prices.sources.ecb.url', 404, false],
    ['an empty answer of success', 'an empty answer', 200, true],
  ])('because there is %s proves no day to be without a rate', async (_, problem, status, isEmpty) => {
    await books.trades(BOUGHT)
    world.ecbStatus = () => status
    world.ecbIsEmpty = isEmpty
    const night = await books.fetchPrices()
    expect(night.prices?.problems).toContain(`ecb of EUR in CAD: ${problem}`)
    expect(await valuations()).toMatchObject([['CAD', null, null, null]])
    world.ecbStatus = () => 200
    world.ecbIsEmpty = false
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['200'])
  })

  it('because another site stands at the address, which answers some questions with a page, proves no day either', async () => {
    await books.trades(BOUGHT)
    world.ecbStatus = (from) => (from > '2026' ? 404 : 200)
    world.ecbIsSite = true
    expect((await books.fetchPrices()).prices?.problems).toContain(
      'ecb of EUR in CAD: HTTP status 404 for every day; look at prices.sources.ecb.url',
    )
    world.ecbStatus = () => 200
    expect((await books.fetchPrices()).prices?.problems).toContain(
      'ecb of EUR in CAD: the answer lacks a column of reference rates',
    )
    world.ecbIsSite = false
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['200'])
  })

  it('is none where the ECB has no rate of these days, and it is not asked for them again', async () => {
    await books.trades(BOUGHT)
    world.ecbStatus = (from) => (from > '2026' ? 404 : 200)
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect(await valuations()).toMatchObject([['CAD', null, null, null]])
    world.asked.length = 0
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect(world.asked.filter((one) => one.includes(' from '))).toEqual([])
  })

  it('is not forgotten by a run that is stopped while it asks: a build without asking says what was not come to', async () => {
    await books.trades(REWARD, BOUGHT)
    const stop = new AbortController()
    world.onPairs = () => stop.abort()
    await expect(books.fetchPrices(stop.signal)).rejects.toMatchObject({ exitCode: 5 })
    const warnings = ({ openBreaks }: NightlyBuild) =>
      openBreaks.flatMap(({ checkName, explanation }) => (checkName === 'price_sources' ? [explanation] : []))
    expect(warnings(await books.rebuild({ rebuild: false }))).toEqual([
      'The price source candles did not give 1 series (every coin in every currency): a run ended before it had asked for ' +
        'them. They are pending and asked for again the next night; import prices to go without it.',
    ])
    world.onPairs = () => undefined
    expect(warnings(await books.fetchPrices())).toEqual([])
  })

  it('with an answer that is no price list is pending too, and its words are kept', async () => {
    await books.trades(REWARD)
    const close = world.close
    world.close = () => 'n/a'
    const { prices, published } = await books.fetchPrices()
    world.close = close
    expect(published).toBe(true)
    // Each by the hour and by the day.
    expect(prices?.problems.toSorted()).toEqual([
      'candles of BGB in USDT: candle 0 is none',
      'candles of BGB in USDT: candle 0 is none',
      'candles of USDT in EUR: candle 0 is none',
      'candles of USDT in EUR: candle 0 is none',
    ])
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect((await valuations())[0]?.[1]).toBe('18.9')
  })
})
