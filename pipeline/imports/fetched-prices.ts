// The prices in an answer of a source: closing prices of the venue's candles, or reference rates of the ECB.
// Reading is a pure function of the bytes and the request, because the journal keeps the answer and landing
// reads it again.
import { CANDLE_UNITS } from '../../connectors/prices/candles.ts'
import { parseAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { parseJsonBytes } from '../../models/json.ts'
import { clamp, type Range, union } from '../../models/ranges.ts'
import { isObject } from '../../models/rows.ts'
import type { PricesMeta } from '../journal/frame.ts'
import { readCsv } from './csv.ts'
import { parseDate } from './instant.ts'

export interface FetchedPrice {
  /** Position in the answer, from 0. */
  readonly place: number
  /** Unix milliseconds. */
  readonly pricedAt: number
  /** Units of 10^-18. */
  readonly price: bigint
}

/** A row of an answer that is not a price. */
export interface NoPrice {
  /** Position in the answer, from 0. */
  readonly place: number
  readonly field: string
  /** What was expected of the field. */
  readonly reason: string
}

/** What an answer contains for the requested range. */
export interface FetchedPrices {
  /** In the order of the answer. */
  readonly prices: readonly FetchedPrice[]
  readonly none: readonly NoPrice[]
  /** Times in the range for which a row that is not a price stands: nothing is known about them. */
  readonly lacks: readonly Range[]
}

type Asked = Pick<PricesMeta, 'source' | 'currency' | 'unit' | 'covers'>

const NOTHING: FetchedPrices = { prices: [], none: [], lacks: [] }

/**
 * The prices within the requested range, and the problems in place of prices there; or what is wrong with an
 * answer that has no price anywhere.
 */
export function readFetchedPrices(asked: Asked, body: Uint8Array): FetchedPrices | string {
  const { source, covers } = asked
  // If there is no rate in the whole range, the source answers without a body.
  if (covers === undefined || body.length === 0) return NOTHING
  const rows = source === 'candles' ? readCandles(asked, body) : readRates(asked, body)
  if (typeof rows === 'string') return rows
  const told = withoutContradictions(rows)
  const [first] = told
  if (first !== undefined && told.every(isNone))
    return source === 'candles'
      ? `candle ${first.place} is none`
      : `line ${first.place + 2} is no rate of a day`
  const prices = told.flatMap(({ place, pricedAt, price }) =>
    price === null || pricedAt === null || !isWithin(covers, pricedAt) ? [] : [{ place, pricedAt, price }],
  )
  const { ms } = CANDLE_UNITS[asked.unit]
  const none = told.flatMap((row, index) => {
    const [range] = isNone(row) ? clamp([placeInTime(told, index, ms)], covers) : []
    return range === undefined ? [] : [{ row, range }]
  })
  return {
    prices,
    none: none.map(({ row: { place, problem } }) => ({ place, ...(problem as Problem) })),
    lacks: joinedUp(
      none.map(({ range }) => range),
      ms,
    ),
  }
}

/**
 * Times that hold a price every `ms`, merged into ranges where none is missing in between, without times that
 * hold none.
 */
const joinedUp = (ranges: readonly Range[], ms: number): Range[] =>
  union(ranges.map(({ start, end }) => ({ start, end: end + ms - 1 })))
    .map(({ start, end }) => ({ start, end: end - ms + 1 }))
    .filter(({ start, end }) => Math.floor(end / ms) * ms >= start)

const isWithin = ({ start, end }: Range, at: number): boolean => at >= start && at <= end

type Problem = Omit<NoPrice, 'place'>

/** A row of an answer: the price at a time, or what is wrong with it. */
interface Row {
  readonly place: number
  /** Null if it cannot be read. */
  readonly pricedAt: number | null
  readonly price: bigint | null
  readonly problem: Problem | null
  /** Name of the field that has the price. */
  readonly field: string
}

const isNone = ({ problem }: Row): boolean => problem !== null

/**
 * If an answer gives different prices for one time, nothing is known about it; equal prices of one time are
 * one.
 */
function withoutContradictions(rows: readonly Row[]): readonly Row[] {
  const byTime = new Map<number, bigint | null | 'several'>()
  for (const { pricedAt, price } of rows) {
    if (pricedAt === null) continue
    const known = byTime.get(pricedAt)
    byTime.set(pricedAt, known === undefined || known === price ? price : 'several')
  }
  return rows.map((row) => {
    if (isNone(row) || row.pricedAt === null || byTime.get(row.pricedAt) !== 'several') return row
    return { ...row, price: null, problem: { field: row.field, reason: ONE_PRICE } }
  })
}

const ONE_PRICE = 'expected one price of a time, found several'
const A_PRICE = 'expected a decimal above zero with at most 20 digits and 18 decimals'

/**
 * The times that a row which is not a price may have been for: its own, or if that cannot be read those
 * between its neighbours, or all of them if the rows are not in order.
 */
function placeInTime(rows: readonly Row[], index: number, ms: number): Range {
  const at = rows[index]?.pricedAt ?? null
  if (at !== null) return { start: Math.floor(at / ms) * ms, end: Math.ceil(at / ms) * ms }
  const times = rows.flatMap(({ pricedAt }) => (pricedAt === null ? [] : [pricedAt]))
  const rises = times.every((time, place) => place === 0 || time >= (times[place - 1] as number))
  const falls = times.every((time, place) => place === 0 || time <= (times[place - 1] as number))
  if (rises === falls) return ALWAYS
  const isRead = ({ pricedAt }: Row): boolean => pricedAt !== null
  const before = rows.slice(0, index).findLast(isRead)?.pricedAt ?? null
  const after = rows.slice(index + 1).find(isRead)?.pricedAt ?? null
  const [older, newer] = rises ? [before, after] : [after, before]
  return { start: older === null ? ALWAYS.start : older + 1, end: newer === null ? ALWAYS.end : newer - 1 }
}

const ALWAYS: Range = { start: 0, end: Number.MAX_SAFE_INTEGER }

/** A candle's price is its closing price, at the moment it closes. */
function readCandles({ unit }: Asked, body: Uint8Array): Row[] | string {
  let envelope: unknown
  try {
    envelope = parseJsonBytes(Buffer.from(body)).value
  } catch {
    return 'the answer is no JSON'
  }
  const data = isObject(envelope) ? envelope.data : undefined
  // For a pair that was never traded, the answer is an empty text or nothing at all.
  if (data === '' || data === null) return []
  if (!Array.isArray(data)) return 'the answer has no list of candles'
  return data.map((candle, place) => {
    const [opensAt, , , , close] = Array.isArray(candle) ? candle : []
    const isTime = /^\d{13}$/.test(String(opensAt))
    const price = positiveAmount(close)
    return {
      place,
      pricedAt: isTime ? Number(opensAt) + CANDLE_UNITS[unit].ms : null,
      ...priceOf(
        price,
        'close',
        isTime ? null : { field: 'time', reason: 'expected a time in milliseconds' },
      ),
    }
  })
}

/** A price that cannot be read is not a price, and neither is one whose time cannot. */
function priceOf(
  price: bigint | null,
  field: string,
  timeProblem: Problem | null,
): Pick<Row, 'price' | 'problem' | 'field'> {
  if (timeProblem !== null) return { price: null, problem: timeProblem, field }
  return { price, problem: price === null ? { field, reason: A_PRICE } : null, field }
}

/** Days without a rate are left out, or have no figure. */
function readRates({ currency }: Asked, body: Uint8Array): Row[] | string {
  const rows: Row[] = []
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
        rows.push({
          place: number - 2,
          pricedAt: at.ok ? Number(at.instant.micros / 1000n) : null,
          ...priceOf(
            positiveAmount(value),
            'OBS_VALUE',
            at.ok ? null : { field: 'TIME_PERIOD', reason: 'expected a day such as 2026-01-31' },
          ),
        })
      }
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message
  }
  return problem ?? rows
}

function positiveAmount(value: unknown): bigint | null {
  const parsed = typeof value === 'string' ? parseAmount(value) : null
  return parsed?.ok === true && parsed.units > 0n ? parsed.units : null
}
