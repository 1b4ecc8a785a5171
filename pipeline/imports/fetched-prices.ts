// The prices in an answer of a source: closing prices of the venue's candles, or reference rates of the ECB. Reading is a
// pure function of the bytes and of what was asked, for the journal keeps the answer and landing reads it again.
import { CANDLE_UNITS } from '../../connectors/prices/candles.ts'
import { parseAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { parseJsonBytes } from '../../models/json.ts'
import type { Range } from '../../models/ranges.ts'
import { isObject } from '../../models/rows.ts'
import type { PricesMeta } from '../journal/frame.ts'
import { readCsv } from './csv.ts'
import { parseDate } from './instant.ts'

export interface FetchedPrice {
  /** Place in the answer, from 0. */
  readonly place: number
  /** Unix milliseconds. */
  readonly pricedAt: number
  /** Units of 10^-18. */
  readonly price: bigint
}

type Asked = Pick<PricesMeta, 'source' | 'currency' | 'unit' | 'covers'>

/** The prices within the range that was asked for, in the order of the answer; what is wrong with an answer that has none. */
export function readFetchedPrices(asked: Asked, body: Uint8Array): FetchedPrice[] | string {
  const { source, covers } = asked
  // No rate in a whole range: the source says so without a body.
  if (covers === undefined || body.length === 0) return []
  const prices = source === 'candles' ? readCandles(asked, body) : readRates(asked, body)
  return typeof prices === 'string' ? prices : prices.filter(({ pricedAt }) => isWithin(covers, pricedAt))
}

const isWithin = ({ start, end }: Range, at: number): boolean => at >= start && at <= end

/** A candle's price is its closing price, at the moment in which it closes. */
function readCandles({ unit }: Asked, body: Uint8Array): FetchedPrice[] | string {
  let envelope: unknown
  try {
    envelope = parseJsonBytes(Buffer.from(body)).value
  } catch {
    return 'the answer is no JSON'
  }
  const data = isObject(envelope) ? envelope.data : undefined
  // A pair that was never traded is answered with an empty text, or with nothing at all.
  if (data === '' || data === null) return []
  if (!Array.isArray(data)) return 'the answer has no list of candles'
  const prices: FetchedPrice[] = []
  for (const [place, candle] of data.entries()) {
    const [opensAt, , , , close] = Array.isArray(candle) ? candle : []
    const price = positiveAmount(close)
    if (!/^\d{13}$/.test(String(opensAt)) || price === null) return `candle ${place} is none`
    prices.push({ place, pricedAt: Number(opensAt) + CANDLE_UNITS[unit].ms, price })
  }
  return prices
}

/** Days on which there is no rate are left out, or bear no figure. */
function readRates({ currency }: Asked, body: Uint8Array): FetchedPrice[] | string {
  const prices: FetchedPrice[] = []
  let problem: string | null = null
  try {
    readCsv({ name: 'rates', bytes: body }, ({ cells: header }) => {
      const columns = ['CURRENCY', 'CURRENCY_DENOM', 'TIME_PERIOD', 'OBS_VALUE'].map((name) =>
        header.indexOf(name),
      )
      if (columns.includes(-1)) problem = 'the answer lacks a column of reference rates'
      return ({ number, cells }) => {
        const [of, denominator, day, value] = columns.map((at) => cells[at] ?? '') as [
          string,
          string,
          string,
          string,
        ]
        if (of !== currency || denominator !== 'EUR' || value === '' || value === 'NaN') return
        const at = parseDate(day)
        const price = positiveAmount(value)
        if (!at.ok || price === null) problem ??= `line ${number} is no rate of a day`
        else prices.push({ place: number - 2, pricedAt: Number(at.instant.micros / 1000n), price })
      }
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message
  }
  return problem ?? prices
}

function positiveAmount(value: unknown): bigint | null {
  const parsed = typeof value === 'string' ? parseAmount(value) : null
  return parsed?.ok === true && parsed.units > 0n ? parsed.units : null
}
