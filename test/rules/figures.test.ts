// The figures of a return from sums made by hand, without books: what each law makes of them, and which of them nobody
// knows if a gain, the currency or the losses of earlier years are not known.
import { describe, expect, test } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { laws } from '../../pipeline/rules/catalogue.ts'
import { type Losses, nothing, type YearTotals } from '../../pipeline/rules/figures.ts'
import { type IncomeTotals, incomeFigures } from '../../pipeline/rules/income.ts'
import { limitsOf } from '../../pipeline/rules/limits.ts'
import { readOpening } from '../../pipeline/rules/opening.ts'

type Country = 'us' | 'uk' | 'de' | 'ca'

const ONE = 10n ** 18n
const of = (gain: number) => ({ ...nothing, count: 1, gain: BigInt(gain) * ONE })
const losses = (amount: number, longTerm = 0): Losses => ({
  amount: BigInt(amount) * ONE,
  longTerm: BigInt(longTerm) * ONE,
})

const known: YearTotals = {
  ...{ gains: nothing, losses: nothing, short: nothing, long: nothing },
  unknown: { count: 0, partly: 0, notLong: 0, proceeds: 0n },
  ...{ year: 2024, isInCurrency: true, isComplete: true, brought: losses(0), form1099: 'none' },
}

const lines = (rules: Country, totals: Partial<YearTotals>, names: RegExp): string[] =>
  (laws[rules].figures?.({ ...known, ...totals }, limitsOf(rules)) ?? [])
    .filter(({ figure }) => names.test(figure))
    .map(({ figure, value }) => `${figure}: ${value === null ? 'unknown' : formatAmount(value)}`)

const UNKNOWN = [
  ['a gain', { isComplete: false }],
  ['the currency', { isInCurrency: false }],
  ['what earlier years left', { brought: null }],
] as const

describe('us', () => {
  const year = { short: of(-7_000), long: of(1_000), brought: losses(500, 200) }
  const names = /deducted|to the next year/

  test('deducts 3,000 of a loss and carries the rest over', () => {
    // Short-term −7,000 − 300, long-term 1,000 − 200: 6,500 in all.
    expect(lines('us', year, names)).toEqual([
      'Loss that is deducted from other income: -3000',
      'Short-term capital loss carryover to the next year: 3500',
      'Long-term capital loss carryover to the next year: 0',
    ])
  })

  test.each(UNKNOWN)('neither is known if %s is not', (_, lacking) => {
    expect(lines('us', { ...year, ...lacking }, names)).toEqual([
      'Loss that is deducted from other income: unknown',
      'Short-term capital loss carryover to the next year: unknown',
      'Long-term capital loss carryover to the next year: unknown',
    ])
  })

  test.each([
    [-1_000, -5_000, 0, 3_000],
    [2_000, -6_000, 0, 1_000],
    [-9_000, 1_000, 5_000, 0],
    [-500, -600, 0, 0],
  ])('of %i short-term and %i long-term, %i and %i are left', (short, long, shortLeft, longLeft) => {
    expect(lines('us', { short: of(short), long: of(long) }, /to the next year/)).toEqual([
      `Short-term capital loss carryover to the next year: ${shortLeft}`,
      `Long-term capital loss carryover to the next year: ${longLeft}`,
    ])
  })

  test.each([
    [2024, 'basis', '3 box C', '10 box F'],
    [2025, 'none', '3 box I', '10 box L'],
    [2025, 'basis', '1b box G', '8b box J'],
    [2025, 'no-basis', '2 box H', '9 box K'],
  ] as const)('%i with a Form 1099-DA: %s', (year, form1099, ...boxes) => {
    const figures = laws.us.figures?.({ ...known, year, form1099 }, limitsOf('us')) ?? []
    const placed = figures.flatMap(({ line, figure }) => {
      const box = /Form 8949 (box .): gain/.exec(figure)?.[1]
      return box === undefined ? [] : [`${line} ${box}`]
    })
    expect(placed).toEqual(boxes)
  })

  test('knows no limit of a year before its table', () => {
    expect(lines('us', { ...year, year: 1970 }, /deducted/)).toEqual([
      'Loss that is deducted from other income: unknown',
    ])
  })
})

describe('uk', () => {
  const year = { gains: of(10_000), losses: of(-1_000), brought: losses(4_000) }
  const names = /exempt amount|used|to carry/

  test('uses losses of earlier years down to the exempt amount of 3,000', () => {
    expect(lines('uk', year, names)).toEqual([
      'Annual exempt amount: 3000',
      'Losses brought forward, used: 4000',
      'Gains above the annual exempt amount: 2000',
      'Losses to carry forward: 0',
    ])
  })

  test('a loss joins those of earlier years', () => {
    expect(lines('uk', { ...year, gains: of(100) }, /used|to carry/)).toEqual([
      'Losses brought forward, used: 0',
      'Losses to carry forward: 4900',
    ])
  })

  test.each(UNKNOWN)('does not know what is used and left if %s is not known', (_, lacking) => {
    expect(lines('uk', { ...year, ...lacking }, /used|to carry/)).toEqual([
      'Losses brought forward, used: unknown',
      'Losses to carry forward: unknown',
    ])
  })

  test('nor what is above the exempt amount, if a gain or the currency is not known', () => {
    for (const lacking of [{ isComplete: false }, { isInCurrency: false }])
      expect(lines('uk', { ...year, ...lacking }, /above/)).toEqual([
        'Gains above the annual exempt amount: unknown',
      ])
  })

  test.each([
    [2015, '14 15 16 17 19  '],
    [2016, '14 15 16 17 19 45 47'],
    [2023, '14 15 16 17 19 45 47'],
    [2024, '13.1 13.2 13.3 13.4 13.5 45 47'],
  ])('the boxes of %i', (of, boxes) => {
    const figures = laws.uk.figures?.({ ...known, year: of }, limitsOf('uk')) ?? []
    const names = [
      'Number of disposals',
      'Disposal proceeds',
      'Allowable costs',
      'Gains in the year, before losses',
      'Losses in the year',
      'Losses brought forward, used',
      'Losses to carry forward',
    ]
    expect(names.map((name) => figures.find(({ figure }) => figure === name)?.line).join(' ')).toBe(boxes)
  })

  test('fees of the disposals are among the costs', () => {
    const gains = { ...of(50), costBasis: 30n * ONE, fees: 2n * ONE }
    expect(lines('uk', { gains, losses: { ...of(-5), costBasis: 10n * ONE } }, /costs/)).toEqual([
      'Allowable costs: 42',
      'Fees of the disposals, among the allowable costs: 2',
    ])
  })
})

describe('de', () => {
  const year = { short: of(5_000), brought: losses(2_000) }
  const names = /used|to carry/

  test('reduces a gain from the limit of 1,000 on by losses of earlier years', () => {
    const all = (short: number) => lines('de', { ...year, short: of(short) }, /used|Taxable|to carry/)
    const carried = 'Losses to carry forward, none of them carried back'
    expect(all(5_000)).toEqual(['Losses brought forward, used: 2000', 'Taxable gain: 3000', `${carried}: 0`])
    expect(all(1_000)).toEqual(['Losses brought forward, used: 1000', 'Taxable gain: 0', `${carried}: 1000`])
    expect(all(999)).toEqual(['Losses brought forward, used: 0', 'Taxable gain: 0', `${carried}: 2000`])
    expect(all(-400)).toEqual(['Losses brought forward, used: 0', 'Taxable gain: 0', `${carried}: 2400`])
  })

  test.each(UNKNOWN)('does not know what is used and left if %s is not known', (_, lacking) => {
    expect(lines('de', { ...year, ...lacking }, names)).toEqual([
      'Losses brought forward, used: unknown',
      'Losses to carry forward, none of them carried back: unknown',
    ])
  })

  test('nor what is taxable, if a gain or the currency is not known', () => {
    for (const lacking of [{ isComplete: false }, { isInCurrency: false }])
      expect(lines('de', { ...year, ...lacking }, /Taxable/)).toEqual(['Taxable gain: unknown'])
    expect(lines('de', { ...year, isInCurrency: false }, /Limit/)).toEqual([
      'Limit below which it is free: unknown',
    ])
  })

  test('above a million, losses offset 70 hundredths of the gain', () => {
    expect(lines('de', { short: of(1_500_000), brought: losses(1_400_000) }, names)).toEqual([
      'Losses brought forward, used: 1350000',
      'Losses to carry forward, none of them carried back: 50000',
    ])
  })
})

describe('ca', () => {
  const year = { gains: of(1_000), losses: of(-200), brought: losses(300) }
  const names = /Taxable|used|to carry/

  test('half of a gain is taxable, less what earlier years left', () => {
    expect(lines('ca', year, names)).toEqual([
      'Taxable capital gain (or allowable capital loss): 400',
      'Net capital losses of other years, used: 300',
      'Net capital losses to carry forward, none of them carried back: 0',
    ])
  })

  test('adds up all that is denied of losses', () => {
    const denied = (units: bigint) => ({ ...nothing, deniedLoss: units * ONE })
    expect(lines('ca', { gains: denied(5n), losses: denied(7n) }, /Superficial/)).toEqual([
      'Superficial losses denied: 12',
    ])
  })

  test('half of a loss joins it', () => {
    expect(lines('ca', { ...year, losses: of(-1_500) }, names)).toEqual([
      'Taxable capital gain (or allowable capital loss): -250',
      'Net capital losses of other years, used: 0',
      'Net capital losses to carry forward, none of them carried back: 550',
    ])
  })

  test('half a unit that is left of the half is rounded away from zero', () => {
    const gains = { ...nothing, gain: -3n }
    expect(lines('ca', { gains }, /Taxable/)).toEqual([
      'Taxable capital gain (or allowable capital loss): -0.000000000000000002',
    ])
  })

  test.each(UNKNOWN)('does not know what is used and left if %s is not known', (_, lacking) => {
    expect(lines('ca', { ...year, ...lacking }, names)).toEqual([
      'Taxable capital gain (or allowable capital loss): 400',
      'Net capital losses of other years, used: unknown',
      'Net capital losses to carry forward, none of them carried back: unknown',
    ])
  })
})

describe('a loss that could be carried back', () => {
  const { de, ca } = laws
  const asked = (law: typeof de, what: 'lossOf' | 'roomIn', totals: Partial<YearTotals>) =>
    law.carryBack?.[what]({ ...known, ...totals }, limitsOf(law.name))

  test('de: is the loss of the year, and finds the gains that are taxable after losses of earlier years', () => {
    expect(asked(de, 'lossOf', { short: of(-400) })).toBe(400n * ONE)
    expect(asked(de, 'lossOf', { short: of(400) })).toBe(0n)
    expect(asked(de, 'roomIn', { short: of(5_000), brought: losses(2_000) })).toBe(3_000n * ONE)
    expect(asked(de, 'roomIn', { short: of(999) })).toBe(0n)
  })

  test('ca: is half of it, and finds half of the gains after such losses', () => {
    expect(asked(ca, 'lossOf', { losses: of(-400) })).toBe(200n * ONE)
    expect(asked(ca, 'lossOf', { gains: of(400) })).toBe(0n)
    expect(asked(ca, 'roomIn', { gains: of(1_000), brought: losses(300) })).toBe(200n * ONE)
    expect(asked(ca, 'roomIn', { losses: of(-1_000) })).toBe(0n)
  })

  test.each([de, ca])('is not known if a gain or the currency is not', (law) => {
    for (const lacking of [{ isComplete: false }, { isInCurrency: false }])
      expect([asked(law, 'lossOf', lacking), asked(law, 'roomIn', lacking)]).toEqual([null, null])
    expect(asked(law, 'roomIn', { brought: null })).toBeNull()
  })
})

describe('income', () => {
  const { de, uk } = laws
  const income = (value: number, more: Partial<IncomeTotals> = {}) => ({
    ...{ count: 2, unknown: 0, isInCurrency: true, isOfAll: true },
    ...{ value: BigInt(value) * ONE, ...more },
  })
  const values = (law: typeof de, totals: IncomeTotals) =>
    law.income && incomeFigures(law.income, totals, 2024, limitsOf(law.name)).map(({ value }) => value)
  const money = (...amounts: (number | null)[]) =>
    amounts.map((amount) => (amount === null ? null : BigInt(amount) * ONE))

  test('de: all of it is taxable from the limit of 256 on', () => {
    expect(values(de, income(255))).toEqual(money(255, 256, 0))
    expect(values(de, income(256))).toEqual(money(256, 256, 256))
  })

  test('uk: what exceeds the allowance of 1,000 is taxable', () => {
    expect(values(uk, income(400))).toEqual(money(400, 1_000, 0))
    expect(values(uk, income(1_400))).toEqual(money(1_400, 1_000, 400))
  })

  test('is not known with a receipt of unknown value, in another currency, or of a single account', () => {
    expect(values(de, income(300, { unknown: 1 }))).toEqual([...money(null, 256, null), 1n])
    expect(values(de, income(300, { isInCurrency: false }))).toEqual(money(null, null, null))
    expect(values(de, income(300, { isOfAll: false }))).toEqual(money(300, 256, null))
  })
})

describe('disposals without a known gain', () => {
  const unknown = { count: 3, partly: 2, notLong: 3, proceeds: 70n * ONE }
  const counted = (totals: Partial<YearTotals>) =>
    (laws.uk.figures?.({ ...known, ...totals }, limitsOf('uk')) ?? [])
      .filter(({ figure }) => /^Number|known gain/.test(figure))
      .map(({ figure, value, source }) => [figure, value, source])
  const number = (count: bigint) => ['Number of disposals', count, 'TCGA 1992 s.105(1)(a)']

  test('are counted once, also if part of their gain is known', () => {
    const year = { gains: { ...of(10), count: 4 }, losses: of(-1) }
    expect(counted(year)).toEqual([number(5n)])
    expect(counted({ ...year, unknown })).toEqual([
      number(6n),
      [
        'Disposals without a known gain',
        3n,
        'Not in any other figure but the number of disposals and the known part of 2 of them',
      ],
      ['Known proceeds of what has no known gain', 70n * ONE, 'Not in any other figure'],
    ])
  })

  test('of which nothing is known are in the count alone', () => {
    expect(counted({ unknown: { ...unknown, partly: 0 } })[1]).toEqual([
      'Disposals without a known gain',
      3n,
      'Not in any other figure but the number of disposals',
    ])
  })
})

describe('configured losses', () => {
  const refused = /do not fit the rules/

  test('may be long-term up to all of them, under rules with terms that are taxed', () => {
    const read = (longTerm?: string) => readOpening(laws.us, { into: 2024, amount: '100', longTerm })
    expect([read(), read('40'), read('100')]).toEqual([losses(100), losses(100, 40), losses(100, 100)])
    expect(() => read('100.01')).toThrow(refused)
  })

  test.each([laws.de, laws.uk, laws.ca, laws.generic])('have no long-term part elsewhere', (law) => {
    expect(readOpening(law, { into: 2024, amount: '100' })).toEqual(losses(100))
    expect(() => readOpening(law, { into: 2024, amount: '100', longTerm: '1' })).toThrow(refused)
  })
})
