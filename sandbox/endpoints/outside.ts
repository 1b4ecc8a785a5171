// Answers outside the interface document: the venue's spot pairs and their candles, as public clients request them.
// Prices are those at which everything here is traded; a candle closes at the market's price at that moment. Also what
// the data service of the European Central Bank returns: reference rates at the price of a euro here.

import { DAY_MS, HOUR_MS } from '../core/clock.ts'
import { COINS, DOLLARS_PER_FIAT } from '../core/market.ts'
import { cut, money, ONE, per, text } from '../core/money.ts'
import type { Venue } from '../core/venue.ts'
import { count, oneOf, optional, required, string, withDefault } from '../http/params.ts'
import { refusals } from '../http/refusals.ts'
import { type Endpoint, publicEndpoint } from './endpoint.ts'

interface Pair {
  symbol: string
  base: string
  quote: string
}

const pairOf = (base: string, quote: string): Pair => ({ symbol: base + quote, base, quote })

/** Every coin against the two dollar coins, and some against euros. */
const PAIRS: readonly Pair[] = [
  ...Object.keys(COINS).flatMap((coin) => (coin === 'USDT' ? [] : [pairOf(coin, 'USDT')])),
  pairOf('BTC', 'USDC'),
  pairOf('ETH', 'BTC'),
  pairOf('USDT', 'EUR'),
  pairOf('BTC', 'EUR'),
]

const PLACES = 10

/** The price of the first in the second at a given time. */
function priceOf(venue: Venue, { base, quote }: Pair, atMs: number): bigint {
  const dollars = (code: string): bigint => {
    const fiat = DOLLARS_PER_FIAT[code]
    return fiat === undefined ? venue.market.dollarPrice(code, atMs) : money(fiat)
  }
  return cut(per(dollars(base), dollars(quote)), PLACES)
}

const rate = { count: 20, perMs: 1_000, scope: 'ip' } as const

const spotPairs = publicEndpoint({
  section: 'outside',
  name: 'prices.pairs',
  method: 'GET',
  path: '/api/v2/spot/public/symbols',
  rate,
  budgetGroup: 'prices',
  params: { symbol: optional(string) },
  handle: ({ params }) =>
    PAIRS.filter(({ symbol }) => params.symbol === undefined || params.symbol === symbol).map(
      ({ symbol, base, quote }) => ({
        symbol,
        baseCoin: base,
        quoteCoin: quote,
        pricePrecision: String(PLACES),
        status: 'online',
      }),
    ),
})

const UNITS: Readonly<Record<string, number>> = { '1h': HOUR_MS, '1Dutc': DAY_MS }
const CANDLES_MAX = 200

/** The candles that open before the end, oldest first; there are none from the future or from before the history. */
const spotCandles = publicEndpoint({
  section: 'outside',
  name: 'prices.candles',
  method: 'GET',
  path: '/api/v2/spot/market/history-candles',
  rate,
  budgetGroup: 'prices',
  params: {
    symbol: required(string),
    granularity: required(oneOf(['1h', '1Dutc'])),
    endTime: required(string),
    limit: withDefault(count(CANDLES_MAX), 100),
  },
  handle: ({ venue, params, nowMs }) => {
    const pair = PAIRS.find(({ symbol }) => symbol === params.symbol)
    if (pair === undefined) throw refusals.order(`Parameter ${params.symbol} does not exist`)
    const unitMs = UNITS[params.granularity]!
    const endMs = Math.min(Number(params.endTime), nowMs)
    const rows: string[][] = []
    let opensMs = Math.ceil(endMs / unitMs) * unitMs - unitMs
    for (; rows.length < params.limit && opensMs >= venue.startMs - DAY_MS; opensMs -= unitMs)
      rows.push(candle(venue, pair, opensMs, opensMs + unitMs))
    return rows.reverse()
  },
})

function candle(venue: Venue, pair: Pair, opensMs: number, closesMs: number): string[] {
  const [open, close] = [priceOf(venue, pair, opensMs), priceOf(venue, pair, closesMs)]
  const [high, low] = open > close ? [open, close] : [close, open]
  return [String(opensMs), text(open), text(high), text(low), text(close), '1', text(close), text(close)]
}

/** Routes that are not in the catalogue of the interface document. */
export const OUTSIDE: readonly Endpoint[] = [spotPairs, spotCandles]

const SERIES = /^\/service\/data\/EXR\/D\.(?<currency>[A-Z]{3})\.EUR\.SP00\.A$/

/** Units of the currency for one euro, on working days; null for a path that the service does not have. */
export function referenceRates(path: string, query: string, nowMs: number): string | null {
  const currency = SERIES.exec(path)?.groups?.currency
  if (currency === undefined) return null
  const asked = new URLSearchParams(query)
  const dollars = currency === 'EUR' ? undefined : DOLLARS_PER_FIAT[currency]
  if (dollars === undefined) return ''
  const value = text(cut(per(money(DOLLARS_PER_FIAT.EUR!), money(dollars)) + ONE / 2_000_000n, 5))
  const [from, to] = [Date.parse(asked.get('startPeriod') ?? ''), Date.parse(asked.get('endPeriod') ?? '')]
  const lines: string[] = []
  for (let day = from; day <= Math.min(to, nowMs); day += DAY_MS) {
    if ([0, 6].includes(new Date(day).getUTCDay())) continue
    const period = new Date(day).toISOString().slice(0, 10)
    lines.push(`EXR.D.${currency}.EUR.SP00.A,D,${currency},EUR,SP00,A,${period},${value}`)
  }
  const header = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE'
  return lines.length === 0 ? '' : [header, ...lines, ''].join('\r\n')
}
