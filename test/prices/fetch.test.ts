// Prices out of the box: what the books need is asked of the configured sources over real HTTP, and only that; kept in the
// journal; and a source that fails takes nothing with it. Figures by hand.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openVenue } from '../../connectors/client.ts'
import { EcbClient } from '../../connectors/prices/ecb.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import type { NightlyBuild } from '../../pipeline/books/night.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { Explanation } from '../../pipeline/evidence/explain.ts'
import type { Step } from '../../pipeline/evidence/step.ts'
import type { PricesMeta } from '../../pipeline/journal/frame.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { fetchPrices, noteAsking, type PriceSources } from '../../pipeline/prices/fetch.ts'
import { explained } from '../evidence/explain-books.ts'
import { ImportedBooks } from '../support/imports.ts'

const HOUR_MS = 3_600_000

const PAIRS = ['BGB/USDT', 'USDT/EUR', 'ETH/USDT']

/** What the sources say: pairs, the closing price of an hour, euro rates by day; and what they were asked. */
const world = {
  asked: [] as string[],
  headers: [] as IncomingHttpHeaders[],
  pairs: PAIRS as readonly string[],
  close: (symbol: string, closesAt: number): string => {
    if (symbol === 'USDTEUR') return '0.9'
    return `2.${String(new Date(closesAt).getUTCHours()).padStart(2, '0')}`
  },
  /** What becomes of the candles of an answer. */
  candles: (_symbol: string, candles: string[][]): string[][] => candles,
  rates: { CAD: '1.5', USD: '1.25' } as Record<string, string>,
  rateOf: (series: string, _day: string): string => world.rates[series] ?? '',
  ecbStatus: (_from: string): number => 200,
  ecbIsEmpty: false,
  ecbIsSite: false,
  /** Why the list of pairs is refused, if it is. */
  pairsRefused: null as string | null,
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
      if (world.pairsRefused !== null)
        return say(400, JSON.stringify({ code: world.pairsRefused, msg: 'no', requestTime: 0, data: null }))
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
      const candles = opens
        .reverse()
        .map((at) => [String(at), '1', '9', '0.1', world.close(symbol, at + unit), '5', '5', '5'])
      return answer(unit === HOUR_MS ? world.candles(symbol, candles) : candles)
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
      lines.push(
        `${key},${world.rateOf(series ?? '', new Date(day).toISOString().slice(0, 10))},"a, comment"`,
      )
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

const VALUES = ['main.valuations', 'main.prices', 'main.quarantine', 'checks.price_sources']

/** `only` as of `ImportedBooks`. */
const configured = (only?: readonly string[]): ImportedBooks =>
  new ImportedBooks(
    {
      reports: { ...emptyConfig.reports, currency: 'EUR' },
      prices: {
        ...emptyConfig.prices,
        sources: {
          candles: { url, budget: { count: 100, per_ms: 1 } },
          ecb: { url: `${url}/service`, budget: { count: 100, per_ms: 1 } },
        },
      },
    },
    { only },
  )

/** Instead of the values alone, these or, without `only`, all tables are built for this test. */
function building(only?: readonly string[]): void {
  books.close()
  books = configured(only)
}

beforeEach(() => {
  world.asked.length = 0
  world.headers.length = 0
  world.ecbStatus = () => 200
  world.ecbIsEmpty = false
  world.ecbIsSite = false
  world.onPairs = () => undefined
  world.pairs = PAIRS
  world.pairsRefused = null
  world.candles = (_, candles) => candles
  world.rateOf = (series) => world.rates[series] ?? ''
  books = configured(VALUES)
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

/**
 * The same without a build: fetching for needs that are stated here, such as `('BGB', 'hour', '2026-01-05', '2026-01-05')`.
 * The tables are those of a build on a server, brought to a database in which nothing has landed.
 */
async function elsewhere(reporting: string, needs: string) {
  const folder = await openBooks(books.dir, { clock: systemClock, command: 'build' })
  const instance = await DuckDBInstance.create(':memory:')
  const tables = await instance.connect()
  const stop = new AbortController()
  const { signal } = stop
  const clock = systemClock
  const budget = { count: 100, perMs: 1 }
  const ecb = new EcbClient({ url: `${url}/service`, clock, signal, budget })
  const candles = openVenue({
    ...{ profile: defaultProfile, baseUrl: url, clock, random: () => 0, quietSince: 0 },
    budgets: { 'prices.pairs': budget, 'prices.candles': budget },
  })
  onTestFinished(async () => {
    await Promise.all([ecb.close(), candles.close()])
    tables.closeSync()
    instance.closeSync()
    await folder.close()
  })
  await tables.run(`attach ':memory:' as landing; attach ':memory:' as staging;
    create table landing.price_pages (source varchar, asset varchar, currency varchar, unit varchar,
      starts_at timestamptz, ends_at timestamptz);
    create table staging.reporting as select '${reporting}' as currency;
    create table staging.quote_ranks (coin varchar, rank integer);
    create table staging.price_needs (coin varchar, unit varchar, first_day date, last_day date);
    insert into staging.price_needs values ${needs}`)
  const options = (sources: Partial<PriceSources>) => ({
    sources: { candles: null, ecb: null, ...sources },
    secrets: ['a, comment'],
    ...{ journal: folder.journal, landing: folder.landing, clock, signal, run: 'r1' },
  })
  const fetched = (now: string, sources: Partial<PriceSources>) =>
    fetchPrices(tables, { ...options(sources), now: () => Date.parse(now) })
  /** What the journal has of answers, or of what was not one. */
  const journaled = async (isAnswer: boolean) => {
    const found: { meta: PricesMeta; text: string }[] = []
    for await (const { meta, body } of folder.journal.read())
      if (meta.kind === 'prices' && (meta.status !== null) === isAnswer)
        found.push({ meta, text: Buffer.from(body ?? []).toString() })
    return found
  }
  return { folder, tables, stop, ecb, candles, options, fetched, journaled }
}

describe('prices from the configured sources', () => {
  it('value what nothing else does: with the candle that closed last, and with the rate of the day', async () => {
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

  it('are requested for the days and coins that the books need, and for nothing else, without any key', () => {
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

  it('are requested once: a second night sends nothing for them, a new day only that day', async () => {
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

  it('are requested by the day while an imported account only holds a coin, and each day then has its value', async () => {
    building(['main.daily_valuation'])
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

  it('of more hours than an answer holds come in as many answers, without a gap and without an hour twice', async () => {
    const days = Array.from({ length: 10 }, (_, day) => String(5 + day).padStart(2, '0'))
    await books.trades(...days.map((day) => `r${day},2026-01-${day}T10:30:00Z,main,income,BGB,10,,,,`))
    const { prices } = await books.fetchPrices()
    // Of 199 hours from midnight, and of the 41 after them.
    expect(world.asked.filter((one) => one.startsWith('BGBUSDT 1h')).toSorted()).toEqual([
      'BGBUSDT 1h until 2026-01-13T06:00:00.000Z',
      'BGBUSDT 1h until 2026-01-14T23:00:00.000Z',
    ])
    // The pairs; and for each of both: two answers by the hour, and one by the day.
    expect(prices).toMatchObject({ requests: 7, problems: [] })
    expect(
      await books.query(
        `select count(*), count(distinct priced_at), min(priced_at), max(priced_at) from prices
         where source = 'candles' and coin = 'BGB' and priced_at < '2026-01-14 23:30:00+00'
           and epoch_ms(priced_at) % 3600000 = 0`,
      ),
    ).toEqual([[240, 240, '2026-01-05T00:00:00.000Z', '2026-01-14T23:00:00.000Z']])
    world.asked.length = 0
    await books.fetchPrices()
    expect(world.asked).toEqual(['pairs'])
  })

  it('of the last minute are not requested: a candle that has just closed may change, and the day is not over', async () => {
    // These books are built at midnight after this day, when the day before it has its close.
    await books.trades('r1,2026-02-28T23:30:00Z,main,income,BGB,10,,,,')
    await books.fetchPrices()
    expect(world.asked.toSorted()).toEqual([
      'BGBUSDT 1Dutc until 2026-02-28T00:00:00.000Z',
      'BGBUSDT 1h until 2026-02-28T23:00:00.000Z',
      'USDTEUR 1Dutc until 2026-02-28T00:00:00.000Z',
      'USDTEUR 1h until 2026-02-28T23:00:00.000Z',
      'pairs',
    ])
    // What closed at eleven.
    expect((await valuations())[0]?.[1]).toBe('20.07')
  })

  it('are known from what has landed, wherever the tables of the build are', async () => {
    const { tables, ecb, fetched, journaled } = await elsewhere(
      'EUR',
      "('BGB', 'day', '2026-01-06', '2026-01-06'), ('CAD', 'day', '2026-01-06', '2026-01-08')",
    )
    // The rate of a day is proven a minute after its end, and until then requested again.
    expect((await fetched('2026-01-07T00:00:59Z', { ecb })).prices).toBe(5)
    expect(await fetched('2026-01-07T00:00:59Z', { ecb })).toMatchObject({ prices: 0, requests: 0 })
    expect(world.asked).toEqual(['CAD from 2026-01-01 to 2026-01-05'])
    expect((await fetched('2026-01-07T00:01:00Z', { ecb })).prices).toBe(1)
    expect((await fetched('2026-02-01T00:00:00Z', { ecb })).prices).toBe(2)
    expect(world.asked.slice(1)).toEqual([
      'CAD from 2026-01-06 to 2026-01-06',
      'CAD from 2026-01-07 to 2026-01-08',
    ])
    const nothing = { prices: 0, requests: 0, problems: [] }
    expect(await fetched('2026-02-01T00:00:00Z', { ecb })).toEqual({ ...nothing, unreachable: ['BGB'] })
    // A secret that an answer repeats does not enter the journal, once for each of its days.
    expect(
      (await journaled(true)).map(({ meta, text }) => [
        meta.covers?.end,
        meta.redacted,
        text.includes('comment'),
      ]),
    ).toEqual([
      [Date.parse('2026-01-05T23:59:59.999Z'), 5, false],
      [Date.parse('2026-01-06T23:59:59.999Z'), 1, false],
      [Date.parse('2026-01-08T23:59:59.999Z'), 2, false],
    ])
    await tables.run('delete from staging.price_needs')
    expect(await fetched('2026-02-01T00:00:00Z', { ecb })).toEqual({ ...nothing, unreachable: [] })
  })

  it('of an hour are requested when it has closed, and of three answers none is missing and none counts twice', async () => {
    const { folder, tables, candles, fetched } = await elsewhere(
      'USDT',
      "('BGB', 'hour', '2026-01-05', '2026-01-05'), ('CAD', 'day', '2026-01-05', '2026-01-05')",
    )
    const hours = async (now: string) => {
      world.asked.length = 0
      const { prices, unreachable } = await fetched(now, { candles })
      expect(unreachable).toEqual(['CAD'])
      return [prices, ...world.asked.slice(1).map((one) => one.replace('BGBUSDT 1h until ', ''))]
    }
    expect(await hours('2026-01-05T10:45:00Z')).toEqual([11, '2026-01-05T10:00:00.000Z'])
    expect(await hours('2026-01-05T11:00:59Z')).toEqual([0])
    expect(await hours('2026-01-05T11:01:30Z')).toEqual([1, '2026-01-05T11:00:00.000Z'])
    expect(await hours('2026-01-05T11:02:00Z')).toEqual([0])
    await tables.run("update staging.price_needs set first_day = '2026-01-06', last_day = '2026-01-23'")
    expect(await hours('2026-02-01T00:00:00Z')).toEqual([
      // 18 days: 199 hours, 199 and 34.
      ...[432, '2026-01-14T06:00:00.000Z', '2026-01-22T13:00:00.000Z', '2026-01-23T23:00:00.000Z'],
    ])
    const landed = await folder.landing.connection.runAndReadAll(
      `select count(*), count(distinct priced_at), (select sum(row_count)::bigint from landing.price_pages)
       from landing.fetched_prices`,
    )
    expect(landed.getRows()).toEqual([[444n, 444n, 444n]])
    await tables.run('delete from staging.price_needs')
    expect((await fetched('2026-02-01T00:00:00Z', { candles })).requests).toBe(0)
  })

  it('are those over the quote coin of the first rank, if several lead to the reporting currency', async () => {
    const { tables, candles, fetched } = await elsewhere('EUR', "('BGB', 'hour', '2026-01-05', '2026-01-05')")
    await tables.run("insert into staging.quote_ranks values ('BTC', 2), ('USDT', 1)")
    world.pairs = ['BGB/BTC', 'BTC/EUR', 'BGB/USDT', 'USDT/EUR']
    await fetched('2026-02-01T00:00:00Z', { candles })
    expect(world.asked.map((one) => one.split(' ')[0]).toSorted()).toEqual(['BGBUSDT', 'USDTEUR', 'pairs'])
  })

  it('are in the journal: rebuilt from it the ledger is the same, and nothing is requested', async () => {
    building()
    await books.trades(REWARD, BOUGHT)
    const { path } = await books.fetchPrices()
    const before = await tableHashes(path)
    world.asked.length = 0
    await books.rebuild()
    expect(await tableHashes(path)).toEqual(before)
    expect(world.asked).toEqual([])
  })

  it('are not requested if the user has imported valid ones', async () => {
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

  it('are never requested if no source is configured', async () => {
    books.close()
    books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'EUR' } }, { only: VALUES })
    await books.trades(REWARD)
    expect((await books.fetchPrices()).prices).toBeNull()
    expect(world.asked).toEqual([])
  })
})

describe('tieout explain', () => {
  it('continues from a value to the candle and the rate that were received', async () => {
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
  it('is named in the journal with what was asked of it and its status, where it gave one', async () => {
    const { ecb, candles, options, fetched, journaled } = await elsewhere(
      'EUR',
      "('CAD', 'day', '2026-01-06', '2026-01-06')",
    )
    world.pairsRefused = '40404'
    world.ecbStatus = () => 404
    await noteAsking(options({ ecb }))
    await fetched('2026-02-01T00:00:00Z', { candles, ecb })
    const told = [...(await journaled(false)), ...(await journaled(true))]
    expect(
      told.map(({ meta: { source, asset, request, status, problem } }) => [
        ...[source, asset, request.path, status, problem],
      ]),
    ).toEqual([
      ['ecb', 'every coin', '', null, 'a run ended before it had asked for them'],
      ['ecb', 'EUR', 'data/EXR', null, 'HTTP status 404 for every day; check prices.sources.ecb.url'],
      ['candles', 'every coin', '', null, null],
      ['candles', 'pairs', '/api/v2/spot/public/symbols', 400, 'code 40404'],
    ])
  })

  it('has not failed if the run is stopped while it answers', async () => {
    const { stop, ecb, fetched, journaled } = await elsewhere(
      'EUR',
      "('CAD', 'day', '2026-01-06', '2026-01-06')",
    )
    world.ecbStatus = () => {
      stop.abort()
      return 200
    }
    expect(await fetched('2026-02-01T00:00:00Z', { ecb })).toMatchObject({ problems: [] })
    expect([...(await journaled(false)), ...(await journaled(true))]).toEqual([])
  })

  it('leaves its prices pending with a warning; the books are published with the others, and the next night continues', async () => {
    building()
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
        'The price source ecb did not deliver 1 series (EUR in CAD): HTTP status 503. They are pending and requested again ' +
        'in the next nightly run; import prices to do without it.',
    })
    world.ecbStatus = () => 200
    const next = await books.fetchPrices()
    expect(next.openBreaks.filter(({ checkName }) => checkName === 'price_sources')).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['18.9', '200'])
  })

  it.each([
    ['no service of the ECB', 'HTTP status 404 for every day; check prices.sources.ecb.url', 404, false],
    ['an empty answer of success', 'an empty answer', 200, true],
  ])('because there is %s does not prove that a day has no rate', async (_, problem, status, isEmpty) => {
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

  it('because another site is at the address, which answers some requests with a page, proves no day either', async () => {
    await books.trades(BOUGHT)
    world.ecbStatus = (from) => (from > '2026' ? 404 : 200)
    world.ecbIsSite = true
    expect((await books.fetchPrices()).prices?.problems).toContain(
      'ecb of EUR in CAD: HTTP status 404 for every day; check prices.sources.ecb.url',
    )
    world.ecbStatus = () => 200
    expect((await books.fetchPrices()).prices?.problems).toContain(
      'ecb of EUR in CAD: the answer lacks a column of reference rates',
    )
    world.ecbIsSite = false
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['200'])
  })

  it('has not failed if the ECB has no rate for these days, which are not requested again', async () => {
    await books.trades(BOUGHT)
    world.ecbStatus = (from) => (from > '2026' ? 404 : 200)
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect(await valuations()).toMatchObject([['CAD', null, null, null]])
    world.asked.length = 0
    expect((await books.fetchPrices()).prices?.problems).toEqual([])
    expect(world.asked.filter((one) => one.includes(' from '))).toEqual([])
  })

  it('is not forgotten if a run is stopped while it requests: a build without requests reports what was not reached', async () => {
    await books.trades(REWARD, BOUGHT)
    const stop = new AbortController()
    world.onPairs = () => stop.abort()
    await expect(books.fetchPrices(stop.signal)).rejects.toMatchObject({ exitCode: 5 })
    const warnings = ({ openBreaks }: NightlyBuild) =>
      openBreaks.flatMap(({ checkName, explanation }) => (checkName === 'price_sources' ? [explanation] : []))
    expect(warnings(await books.rebuild({ rebuild: false }))).toEqual([
      'The price source candles did not deliver 1 series (every coin in every currency): a run ended before it had asked for ' +
        'them. They are pending and requested again in the next nightly run; import prices to do without it.',
    ])
    world.onPairs = () => undefined
    expect(warnings(await books.fetchPrices())).toEqual([])
  })

  it('and has no list of pairs is pending as a whole: what it can price is unknown, and the other source goes on', async () => {
    await books.trades(REWARD, BOUGHT)
    world.pairsRefused = '40404'
    const { prices } = await books.fetchPrices()
    expect(prices).toMatchObject({
      problems: ['candles of pairs in all coins: code 40404'],
      unreachable: [],
      requests: 2,
    })
    expect((await valuations()).map(([, value]) => value)).toEqual([null, '200'])
    world.pairsRefused = null
    world.asked.length = 0
    expect((await books.fetchPrices()).prices).toMatchObject({
      problems: [],
      unreachable: ['BTC'],
      requests: 5,
    })
    expect(world.asked.filter((one) => one.startsWith('CAD'))).toEqual([])
    expect((await valuations()).map(([, value]) => value)).toEqual(['18.9', '200'])
  })

  it('with an answer that is not a list of prices is pending too, and its words are kept', async () => {
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

describe('what is among the prices of an answer and is not a price', () => {
  const at = (time: string): number => Date.parse(`2026-01-05T${time}:00Z`)
  /** Puts something in the place of the candles of BGB that close then. */
  const among = (changes: Record<string, (candle: string[]) => string[][]>) => {
    const byTime = new Map(Object.entries(changes).map(([time, change]) => [`${at(time) - HOUR_MS}`, change]))
    world.candles = (symbol, candles) =>
      symbol === 'BGBUSDT' ? candles.flatMap((one) => byTime.get(one[0] ?? '')?.(one) ?? [one]) : candles
  }
  const closing = (close: string) => (candle: string[]) => [candle.with(4, close)]
  const hours = async (): Promise<unknown[]> =>
    (
      await books.query(
        `select strftime(timezone('UTC', priced_at::timestamptz), '%H') from prices
         where source = 'candles' and coin = 'BGB' and priced_at between '2026-01-05' and '2026-01-05 23:00:00' order by priced_at`,
      )
    ).flat()
  const all = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
  const warnings = ({ openBreaks }: NightlyBuild) =>
    openBreaks.flatMap(({ checkName, explanation }) => (checkName === 'price_sources' ? [explanation] : []))
  const asked = () => world.asked.filter((one) => one !== 'pairs').toSorted()

  it('is quarantined and reported, and only its times are requested again; all other prices count', async () => {
    building([...VALUES, 'checks.quarantined_rows'])
    await books.trades(REWARD)
    among({
      '10:00': closing('0'),
      '12:00': closing('-2'),
      '13:00': closing(''),
      '14:00': closing('2.0000000000000000001'),
      // Two prices of one time: nobody can tell which.
      '15:00': (candle) => [candle, candle.with(4, '3')],
      // One price, said twice.
      '18:00': (candle) => [candle, candle.with(4, '2.180')],
      // Out of order: every candle says its time itself.
      '20:00': () => [],
      '22:00': (candle) => [candle, [`${at('20:00') - HOUR_MS}`, '1', '9', '0.1', '2.20', '5', '5', '5']],
    })
    const first = await books.fetchPrices()
    expect(await hours()).toEqual(all.filter((hour) => !['10', '12', '13', '14', '15'].includes(hour)))
    // The candle before: 10 × 2.09 × 0.9
    expect((await valuations())[0]?.[1]).toBe('18.81')
    const quarantined = await books.query(
      'select account, feed, partition, field, reason, raw from quarantine order by page_row',
    )
    const one = (time: string, close: string, reason: string) => [
      ...[null, 'prices.candles', 'BGB/USDT 1h', 'close', reason],
      `["${at(time) - HOUR_MS}","1","9","0.1","${close}","5","5","5"]`,
    ]
    const expected = 'expected a decimal above zero with at most 20 digits and 18 decimals'
    expect(quarantined).toEqual([
      one('10:00', '0', expected),
      one('12:00', '-2', expected),
      one('13:00', '', expected),
      one('14:00', '2.0000000000000000001', expected),
      one('15:00', '2.15', 'expected one price of a time, found several'),
      one('15:00', '3', 'expected one price of a time, found several'),
    ])
    expect(warnings(first)).toEqual([
      expect.stringMatching(
        /^The price source candles sent values that are not prices in 1 series \(BGB in USDT\): row \d+ of an answer, close, expected a decimal above zero with at most 20 digits and 18 decimals, and 5 more\. They are in the table quarantine; /,
      ),
    ])
    expect(first.openBreaks.filter(({ checkName }) => checkName === 'quarantined_rows')).toEqual([])

    // As long as it stays so, nothing else is asked for, and nothing is lost by asking.
    world.asked.length = 0
    expect(warnings(await books.fetchPrices())).toHaveLength(1)
    expect(asked()).toEqual([
      'BGBUSDT 1h until 2026-01-05T10:00:00.000Z',
      'BGBUSDT 1h until 2026-01-05T15:00:00.000Z',
    ])
    expect(await books.query('select count(*) from quarantine')).toEqual([[6]])

    world.candles = (_, candles) => candles
    const { path, ...mended } = await books.fetchPrices()
    expect([warnings(mended as NightlyBuild), await hours()]).toEqual([[], all])
    expect((await valuations())[0]?.[1]).toBe('18.9')
    world.asked.length = 0
    await books.fetchPrices()
    expect(asked()).toEqual([])
    const before = await tableHashes(path)
    await books.rebuild()
    expect(await tableHashes(path)).toEqual(before)
  })

  it('is told of with the number of others; beside the prices of all times it is no problem', async () => {
    const { tables, candles, fetched } = await elsewhere(
      'USDT',
      "('BGB', 'hour', '2026-01-05', '2026-01-05')",
    )
    const problems = async () => (await fetched('2026-02-01T00:00:00Z', { candles })).problems
    world.candles = (_, all) => all.toSpliced(190, 0, ['soon', '1', '9', '0.1', '2', '5', '5', '5'])
    expect(await problems()).toEqual([])
    await tables.run("update staging.price_needs set first_day = '2026-01-06', last_day = '2026-01-06'")
    world.candles = (_, all) =>
      all.map((one, place) => (place === 185 || place === 187 ? one.with(4, '0') : one))
    expect(await problems()).toEqual([
      'candles of BGB in USDT: row 185 of an answer, close, expected a decimal above zero with at most 20 digits and 18 decimals, and 1 more',
    ])
  })

  it('leaves open the time between its neighbours if its own time cannot be read', async () => {
    await books.trades(REWARD)
    among({ '10:00': (candle) => [candle.with(0, '2026-01-05')] })
    await books.fetchPrices()
    expect(await hours()).toEqual(all.filter((hour) => hour !== '10'))
    expect(await books.query('select field, reason from quarantine')).toEqual([
      ['time', 'expected a time in milliseconds'],
    ])
    world.candles = (_, candles) => candles
    world.asked.length = 0
    await books.fetchPrices()
    // The candles beside it border on what is not known.
    expect(asked()).toEqual(['BGBUSDT 1h until 2026-01-05T11:00:00.000Z'])
    expect(await hours()).toEqual(all)
  })

  it('does not matter if its time was not requested', async () => {
    await books.trades(REWARD)
    among({ '01:00': closing('2.01') })
    const wanted = world.candles
    world.candles = (symbol, candles) =>
      wanted(symbol, candles).map((one) => (Number(one[0]) < at('00:00') - HOUR_MS ? one.with(4, '0') : one))
    expect(warnings(await books.fetchPrices())).toEqual([])
    expect(await hours()).toEqual(all)
  })

  it('can also be a daily rate', async () => {
    await books.trades(BOUGHT)
    world.rateOf = (_, day) => (day === '2026-01-06' ? '-1.5' : '1.25')
    const first = await books.fetchPrices()
    // By the rate of the day before: 300 / 1.25
    expect((await valuations()).map(([, value]) => value)).toEqual(['240'])
    expect(warnings(first)).toHaveLength(1)
    expect(await books.query('select feed, partition, field, raw from quarantine')).toEqual([
      [
        ...['prices.ecb', 'EUR/CAD 1d', 'OBS_VALUE'],
        'EXR.D.CAD.EUR.SP00.A,D,CAD,EUR,SP00,A,2026-01-06,-1.5,"a, comment"',
      ],
    ])
    world.rateOf = () => '1.5'
    world.asked.length = 0
    expect(warnings(await books.fetchPrices())).toEqual([])
    expect(asked()).toEqual(['CAD from 2026-01-06 to 2026-01-06'])
    expect((await valuations()).map(([, value]) => value)).toEqual(['200'])
  })
})
