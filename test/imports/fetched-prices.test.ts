// What an answer of a price source says about the requested range, worked out by hand from single rows.
import { describe, expect, it } from 'vitest'
import { readFetchedPrices } from '../../pipeline/imports/fetched-prices.ts'

const HOUR = 3_600_000
/** Ten o’clock of a day; the candle that opens an hour before closes then. */
const TEN = Date.UTC(2026, 0, 5, 10)

/** Candles by their opening time and close, for closes from ten o’clock to fourteen. */
function candles(...rows: readonly (readonly [opensAt: number | string, close: string])[]) {
  const data = rows.map(([opensAt, close]) => [String(opensAt), '1', '9', '0.1', close])
  const covers = { start: TEN, end: TEN + 4 * HOUR }
  const told = readFetchedPrices(
    { source: 'candles', currency: 'USDT', unit: '1h', covers },
    Buffer.from(JSON.stringify({ data })),
  )
  if (typeof told === 'string') return told
  return {
    prices: told.prices.map(({ pricedAt, price }) => [(pricedAt - TEN) / HOUR, Number(price / 10n ** 18n)]),
    none: told.none.map(({ place, field }) => [place, field]),
    lacks: told.lacks.map(({ start, end }) => [start - TEN, end - TEN]),
  }
}

describe('candles', () => {
  it('are prices at their close, within the requested range and at both its ends', () => {
    const hours = [-2, -1, 0, 1, 2, 3, 4].map((hour) => [TEN + hour * HOUR, String(hour + 5)] as const)
    expect(candles(...hours)).toEqual({
      prices: [
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
        [4, 8],
      ],
      none: [],
      lacks: [],
    })
  })

  it('that are not prices leave their times open, joined if none is in between', () => {
    expect(
      candles(
        [TEN - HOUR, '1'],
        [TEN, '0'],
        [TEN + HOUR, 'x'],
        [TEN + 2 * HOUR, '2'],
        [TEN + 3 * HOUR, '-1'],
      ),
    ).toEqual({
      prices: [
        [0, 1],
        [3, 2],
      ],
      none: [
        [1, 'close'],
        [2, 'close'],
        [4, 'close'],
      ],
      lacks: [
        [HOUR, 2 * HOUR],
        [4 * HOUR, 4 * HOUR],
      ],
    })
  })

  it('whose time cannot be read leave open what is between their neighbours, in either order', () => {
    const [older, newer] = [
      [TEN - HOUR, '1'],
      [TEN + 2 * HOUR, '2'],
    ] as const
    const open = { none: [[1, 'time']], lacks: [[1, 3 * HOUR - 1]] }
    expect(candles(older, ['noon', '5'], newer)).toMatchObject(open)
    expect(candles(newer, ['noon', '5'], older)).toMatchObject(open)
  })

  it('whose time cannot be read leave all of it open if the others are in no order, or only one is there', () => {
    const all = [[0, 4 * HOUR]]
    expect(candles([TEN, '1'], ['noon', '5'], [TEN + HOUR, '2'], [TEN - HOUR, '3'])).toMatchObject({
      lacks: all,
    })
    expect(candles([TEN, '1'], ['noon', '5'])).toMatchObject({ lacks: all })
  })

  it('with two prices of one time have none, even if the first is repeated; equal ones are one', () => {
    expect(candles([TEN, '1'], [TEN, '2'], [TEN, '1'], [TEN + HOUR, '3'], [TEN + HOUR, '3'])).toEqual({
      prices: [
        [2, 3],
        [2, 3],
      ],
      none: [
        [0, 'close'],
        [1, 'close'],
        [2, 'close'],
      ],
      lacks: [[HOUR, HOUR]],
    })
  })

  it('of which none is a price make an answer that is wrong', () => {
    expect(candles([TEN, '0'], [TEN + HOUR, ''])).toBe('candle 0 is none')
    expect(candles()).toEqual({ prices: [], none: [], lacks: [] })
  })
})

describe('reference rates', () => {
  const day = Date.UTC(2026, 0, 5)
  const asked = { source: 'ecb', currency: 'CAD', unit: '1d', covers: { start: day, end: day } } as const
  const HEADER = 'CURRENCY,CURRENCY_DENOM,TIME_PERIOD,OBS_VALUE'
  const read = (...lines: string[]) =>
    readFetchedPrices(asked, Buffer.from([HEADER, ...lines, ''].join('\n')))

  it('are those of the currency for a euro', () => {
    const lines = ['USD,EUR,2026-01-05,1.1', 'CAD,USD,2026-01-05,1.3', 'CAD,EUR,2026-01-05,1.5']
    expect(read(...lines, 'CAD,EUR,2026-01-06,NaN')).toEqual({
      prices: [{ place: 2, pricedAt: day, price: 1_500_000_000_000_000_000n }],
      none: [],
      lacks: [],
    })
  })

  it('of which none is one are reported by their line', () => {
    expect(read('USD,EUR,2026-01-05,1.1', 'CAD,EUR,2026-01-05,0')).toBe('line 3 is no rate of a day')
  })

  it('are none in an answer without a body, or for which nothing was requested', () => {
    const nothing = { prices: [], none: [], lacks: [] }
    expect(readFetchedPrices(asked, Buffer.alloc(0))).toEqual(nothing)
    const { covers: _, ...unasked } = asked
    expect(readFetchedPrices(unasked, Buffer.from('anything'))).toEqual(nothing)
  })
})
