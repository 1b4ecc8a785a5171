// Fetches the prices that the books need, and only those: what the models list as needed, over the series
// that lead to the reporting currency, minus what earlier answers proved complete. Every answer with prices
// is journaled, then landed. A source that does not answer never fails the run: what it did not deliver is
// pending, and reported by the check price_sources.
import type { DuckDBConnection } from '@duckdb/node-api'
import { Stopped, VenueError } from '../../connectors/errors.ts'
import {
  CANDLE_UNITS,
  CANDLES_MAX,
  readPairs,
  type SpotPair,
  spotCandles,
  spotPairs,
} from '../../connectors/prices/candles.ts'
import { type EcbClient, EcbFailure } from '../../connectors/prices/ecb.ts'
import { redactSecrets } from '../../connectors/secrets.ts'
import type { Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import { clamp, difference, type Range } from '../../models/ranges.ts'
import { type NoPrice, readFetchedPrices } from '../imports/fetched-prices.ts'
import type { Journal, PricesMeta } from '../journal/frame.ts'
import { landJournal } from '../landing/land-journal.ts'
import type { Landing } from '../landing/landing.ts'
import { findRoutes, type Leg } from './routes.ts'
import { coveredSeries, type Series, seriesKey } from './series.ts'

export interface PriceSources {
  /** The venue, for its candles; null if they are not configured. */
  readonly candles: Venue | null
  readonly ecb: EcbClient | null
}

export interface FetchOptions {
  readonly sources: PriceSources
  /** Credentials of all accounts, which no answer may bring into the journal: a source may be the venue. */
  readonly secrets: readonly string[]
  readonly journal: Journal
  readonly landing: Landing
  readonly clock: Clock
  /** What the run treats as now. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly run: string
}

export interface FetchOutcome {
  readonly requests: number
  readonly prices: number
  /** What could not be fetched, in words; it is requested again next time. */
  readonly problems: readonly string[]
  /** Coins and currencies whose prices no configured source can supply. */
  readonly unreachable: readonly string[]
}

const NOTHING: FetchOutcome = { requests: 0, prices: 0, problems: [], unreachable: [] }

const NO_ANSWER = { body: new Uint8Array(), redacted: 0 }

/** A candle that closed a moment ago may still change. */
const SETTLED_MS = 60_000
const DAY_MS = 86_400_000
/** A rate of the day before applies until the next one, over holidays too. */
const RATE_LOOKBACK_MS = 5 * DAY_MS
/** One less than an answer may hold: it is not documented whether the end of the range is inclusive. */
const WINDOW_CANDLES = CANDLES_MAX - 1

/**
 * Journals that a run is about to ask for prices, so that if it is stopped or killed, what it does not reach
 * is known not to have been asked for. `fetchPrices` revokes the note.
 */
export async function noteAsking(options: Pick<FetchOptions, 'sources' | 'journal' | 'clock' | 'run'>) {
  await options.journal.append(noteOf(options, 'a run ended before it had asked for them'), NO_ANSWER.body)
}

function noteOf(
  { sources, clock, run }: Pick<FetchOptions, 'sources' | 'clock' | 'run'>,
  problem: string | null,
): PricesMeta {
  const source = sources.candles === null ? 'ecb' : 'candles'
  const every = { source, asset: 'every coin', currency: 'every currency', unit: '1d' } as const
  const at = new Date(clock.wall()).toISOString()
  return { kind: 'prices', at, run, ...every, request: { method: 'GET', path: '' }, status: null, problem }
}

/** Reads the needs from the tables of a build, then asks, journals and lands. */
export async function fetchPrices(
  connection: DuckDBConnection,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const outcome = await askForNeeds(connection, options)
  if (!options.signal.aborted) await options.journal.append(noteOf(options, null), NO_ANSWER.body)
  await landJournal(options.journal, options.landing)
  return outcome
}

async function askForNeeds(connection: DuckDBConnection, options: FetchOptions): Promise<FetchOutcome> {
  const needs = await readNeeds(connection)
  if (needs.ranges.size === 0) return NOTHING
  const fetcher = new Fetcher(options)
  const pairs = await fetcher.pairs()
  const routes = findRoutes(
    [...needs.ranges.keys()].map((key) => JSON.parse(key)[0] as string),
    {
      reporting: needs.reporting,
      hubs: needs.hubs,
      pairs: pairs ?? [],
      hasEcb: options.sources.ecb !== null,
    },
  )
  const wanted = wantedSeries(needs, routes)
  // From what has landed: the tables of a build may be on a server.
  const covered = await coveredSeries(options.landing.connection)
  const missing = [...wanted.values()].map(({ series, symbol, ranges }) => ({
    series,
    symbol,
    ranges: difference(
      clamp(ranges, { start: 0, end: options.now() - SETTLED_MS }),
      covered.get(seriesKey(series)) ?? [],
    ),
  }))
  await Promise.all(missing.map((one) => fetcher.fill(one)))
  // Without the list of pairs, their routes are unknown.
  const unreachable =
    pairs === null ? [] : [...routes].flatMap(([coin, legs]) => (legs === null ? [coin] : []))
  return { ...fetcher.outcome(), unreachable }
}

interface Needs {
  readonly reporting: string
  readonly hubs: readonly string[]
  /** Times at which prices are used, by coin and unit as JSON. */
  readonly ranges: ReadonlyMap<string, readonly Range[]>
}

async function readNeeds(connection: DuckDBConnection): Promise<Needs> {
  const rows = async (sql: string): Promise<(readonly unknown[])[]> =>
    (await connection.runAndReadAll(sql)).getRows()
  const [reporting] = await rows('select currency from staging.reporting')
  const hubs = await rows('select coin from staging.quote_ranks order by rank, coin')
  const found = await rows(
    `select coin, unit, epoch_ms(cast(first_day as timestamp)), epoch_ms(cast(last_day as timestamp))
     from staging.price_needs order by coin, unit, first_day`,
  )
  const ranges = new Map<string, Range[]>()
  for (const [coin, unit, first, last] of found) {
    const key = JSON.stringify([coin, unit])
    const days = ranges.get(key) ?? []
    days.push({ start: Number(first), end: Number(last) + DAY_MS - 1 })
    ranges.set(key, days)
  }
  return { reporting: String(reporting?.[0]), hubs: hubs.map(([coin]) => String(coin)), ranges }
}

interface Wanted {
  readonly series: Series
  /** The venue's name of a pair; empty for rates. */
  readonly symbol: string
  readonly ranges: Range[]
}

/** Which series are wanted for which times. */
function wantedSeries(needs: Needs, routes: ReadonlyMap<string, readonly Leg[] | null>): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const [key, days] of needs.ranges) {
    const [coin, unit] = JSON.parse(key) as [string, string]
    for (const leg of routes.get(coin) ?? []) {
      const [series, symbol] = seriesOf(leg, unit === 'hour' ? '1h' : '1d')
      const known = wanted.get(seriesKey(series)) ?? { series, symbol, ranges: [] }
      known.ranges.push(...days.map((range) => pricedRange(series, range)))
      wanted.set(seriesKey(series), known)
    }
  }
  return wanted
}

const seriesOf = (leg: Leg, unit: Series['unit']): [Series, string] =>
  leg.source === 'ecb'
    ? [{ source: 'ecb', asset: 'EUR', currency: leg.currency, unit: '1d' }, '']
    : [{ source: 'candles', asset: leg.pair.base, currency: leg.pair.quote, unit }, leg.pair.symbol]

/**
 * Times of prices for whole days: an hour's price applies when it closes, a day's at its end, a rate's at its
 * beginning.
 */
function pricedRange({ source, unit }: Series, { start, end }: Range): Range {
  if (source === 'ecb') return { start: start - RATE_LOOKBACK_MS, end }
  return unit === '1h' ? { start, end } : { start: start + DAY_MS, end: end + 1 }
}

/** What is wrong with rows of an answer whose other rows are prices. */
function noPrices([first, ...others]: readonly NoPrice[]): string {
  const where = `row ${first?.place} of an answer, ${first?.field}, ${first?.reason}`
  return others.length === 0 ? where : `${where}, and ${others.length} more`
}

interface Missing {
  readonly series: Series
  readonly symbol: string
  readonly ranges: readonly Range[]
}

class Fetcher {
  readonly #options: FetchOptions
  readonly #problems: string[] = []
  readonly #requestsBefore: number
  #prices = 0

  constructor(options: FetchOptions) {
    this.#options = options
    this.#requestsBefore = this.#requests()
  }

  outcome(): Omit<FetchOutcome, 'unreachable'> {
    return {
      requests: this.#requests() - this.#requestsBefore,
      prices: this.#prices,
      problems: this.#problems,
    }
  }

  /**
   * The pairs that the venue trades, empty if candles are not configured; null if the list could not be
   * fetched.
   */
  async pairs(): Promise<readonly SpotPair[] | null> {
    const { candles } = this.#options.sources
    if (candles === null) return []
    try {
      const { envelope } = await candles
        .account({ name: '' })
        .request(spotPairs, {}, { signal: this.#options.signal })
      return readPairs(envelope.data)
    } catch (error) {
      const list: Series = { source: 'candles', asset: 'pairs', currency: 'all coins', unit: '1d' }
      await this.#failed(list, spotPairs.path, error)
      return null
    }
  }

  async fill({ series, symbol, ranges }: Missing): Promise<void> {
    try {
      for (const range of ranges)
        if (series.source === 'candles') await this.#candles(series, symbol, range)
        else await this.#rates(series, range)
    } catch (error) {
      await this.#failed(series, series.source === 'candles' ? spotCandles.path : 'data/EXR', error)
    }
  }

  async #candles(series: Series, symbol: string, range: Range): Promise<void> {
    const { signal, sources } = this.#options
    if (sources.candles === null) return
    const client = sources.candles.account({ name: '' })
    const { ms, granularity } = CANDLE_UNITS[series.unit]
    const last = Math.floor(range.end / ms) * ms
    let start = range.start
    for (let first = Math.ceil(range.start / ms) * ms; first <= last; first += WINDOW_CANDLES * ms) {
      const closesAt = Math.min(last, first + (WINDOW_CANDLES - 1) * ms)
      const end = closesAt === last ? range.end : closesAt
      // The candle that closes at the end opens before it; no later one does.
      const params = { symbol, granularity, endTime: closesAt, limit: CANDLES_MAX }
      const answer = await client.request(spotCandles, params, { signal })
      await this.#answered(series, answer.request.path, answer.status, { start, end }, answer.body)
      start = end + 1
    }
  }

  async #rates(series: Series, { start, end }: Range): Promise<void> {
    const { ecb } = this.#options.sources
    // The rate of a day is published in its afternoon: a day that is not over proves nothing.
    const complete = Math.floor((this.#options.now() - SETTLED_MS) / DAY_MS) * DAY_MS - 1
    const covers = { start, end: Math.min(end, complete) }
    // A range begins at the last instant that an earlier answer covered, but a rate at the first of its day.
    const first = Math.ceil(covers.start / DAY_MS) * DAY_MS
    if (ecb === null || first > covers.end) return
    const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
    const { path, status, body } = await ecb.rates(series.currency, dayOf(first), dayOf(covers.end))
    await this.#answered(series, path, status, covers, body)
  }

  async #answered(
    series: Series,
    path: string,
    status: number,
    covers: Range,
    received: Buffer,
  ): Promise<void> {
    // Read as it will be in the journal, from which it lands.
    const answer = redactSecrets(received, this.#options.secrets)
    const { body } = answer
    const read = readFetchedPrices({ ...series, covers }, body)
    if (typeof read === 'string') return await this.#journal(series, path, status, null, read, answer)
    const { prices, none, lacks } = read
    this.#prices += prices.length
    const problem = lacks.length === 0 ? null : noPrices(none)
    await this.#journal(
      series,
      path,
      status,
      { covers, ...(problem === null ? {} : { lacks }) },
      problem,
      answer,
    )
  }

  async #failed(series: Series, path: string, error: unknown): Promise<void> {
    // Stopping the run says nothing about the source.
    if (error instanceof Stopped || this.#options.signal.aborted) return
    if (error instanceof VenueError)
      return await this.#journal(series, path, error.status, null, `code ${error.code}`)
    if (error instanceof EcbFailure) return await this.#journal(series, path, null, null, error.message)
    throw error
  }

  async #journal(
    series: Series,
    path: string,
    status: number | null,
    had: Pick<PricesMeta, 'covers' | 'lacks'> | null,
    problem: string | null,
    { body, redacted }: { readonly body: Uint8Array; readonly redacted: number } = NO_ANSWER,
  ): Promise<void> {
    const { journal, clock, run } = this.#options
    const { source, asset, currency, unit } = series
    if (problem !== null) this.#problems.push(`${source} of ${asset} in ${currency}: ${problem}`)
    const meta: PricesMeta = {
      kind: 'prices',
      at: new Date(clock.wall()).toISOString(),
      run,
      source,
      asset,
      currency,
      unit,
      request: { method: 'GET', path },
      status,
      ...had,
      problem,
      ...(redacted === 0 ? {} : { redacted }),
    }
    await journal.append(meta, body)
  }

  #requests(): number {
    const { candles, ecb } = this.#options.sources
    return (candles?.counters.requests ?? 0) + (ecb?.requests ?? 0)
  }
}
