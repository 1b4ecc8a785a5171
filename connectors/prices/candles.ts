// The venue's own public candles and the list of its spot pairs. The interface document does not describe them: this
// was taken from public clients of the same API and what they report about it, so the catalogue leaves them out. They
// agree on the following: a candle is a list of strings that begins with its opening time, then open, high, low and
// close. The end must be given; at most 200 candles are returned, those before the end. Hours without a trade are left
// out. A day of 1Dutc begins at midnight UTC (that of 1day at 16:00).
import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { defineEndpoint } from '../endpoint.ts'
import { fields, millis, oneOf, text, wholeNumber } from '../params.ts'

const outside = { section: 'outside', public: true, credential: 'none' } as const

/** Spot pairs that are traded, with base and quote coin. */
export const spotPairs: Endpoint = defineEndpoint({
  ...outside,
  name: 'prices.pairs',
  method: 'GET',
  path: '/api/v2/spot/public/symbols',
  rate: { scope: 'ip', count: 20, perMs: 1_000, group: 'prices' },
  params: fields({ symbol: text.optional() }),
  doc: 'Spot pairs of the venue.',
})

/** Candles of one pair before a time, oldest first. */
export const spotCandles: Endpoint = defineEndpoint({
  ...outside,
  name: 'prices.candles',
  method: 'GET',
  path: '/api/v2/spot/market/history-candles',
  rate: { scope: 'ip', count: 20, perMs: 1_000, group: 'prices' },
  params: fields({
    symbol: text,
    granularity: oneOf('1h', '1Dutc'),
    endTime: millis,
    limit: wholeNumber(200).optional(),
  }),
  doc: 'Closed and running candles of a spot pair.',
})

/** A candle's length as written in a request, and in time. */
export const CANDLE_UNITS = {
  '1h': { granularity: '1h', ms: 3_600_000 },
  '1d': { granularity: '1Dutc', ms: 86_400_000 },
} as const

export const CANDLES_MAX = 200

const pairSchema = z.looseObject({ symbol: z.string(), baseCoin: z.string(), quoteCoin: z.string() })

export interface SpotPair {
  readonly symbol: string
  readonly base: string
  readonly quote: string
}

/** The pairs of an answer's `data`; anything that is not a pair is skipped. */
export function readPairs(data: unknown): SpotPair[] {
  if (!Array.isArray(data)) return []
  return data.flatMap((row) => {
    const pair = pairSchema.safeParse(row)
    if (!pair.success || pair.data.baseCoin === '' || pair.data.quoteCoin === '') return []
    const { symbol, baseCoin: base, quoteCoin: quote } = pair.data
    return [{ symbol, base, quote }]
  })
}
