// Germany: private sales (§ 23 Abs. 1 Satz 1 Nr. 2 EStG), first in first out within one wallet or depot
// (BMF letters of 10 May 2022 and 6 March 2025). What was held longer than a year is free; the rest is taxed whole once
// the year's total reaches the limit of § 23 Abs. 3 Satz 5. Days are Berlin's. See docs/rules/de.md.
import { yearLater } from './calendar.ts'
import { type Figure, unknownFigures, type YearTotals } from './figures.ts'
import type { Law, Term } from './law.ts'
import type { Limit } from './limits.ts'

export const de: Law = {
  name: 'de',
  methods: ['fifo', 'specific'],
  scope: [{ value: 'account', fromYear: null }],
  scopeBindsFrom: 0,
  gifts: 'leave',
  shortSales: 'when closed',
  lookAheadDays: 0,
  timeZone: 'Europe/Berlin',
  yearStart: { month: 1, day: 1 },
  currency: 'EUR',
  termOf,
  roundsPieces: false,
  futures: {
    rule: 'income from capital of forward transactions, Anlage KAP',
    source: '§ 20 Abs. 2 Satz 1 Nr. 3 EStG',
    fromYear: 2009,
  },
  figures,
}

/**
 * The year begins after the day of acquisition and ends with the same date of the next year, or with the last day of its
 * month where there is no such date (§§ 187 Abs. 1, 188 Abs. 2 and 3 BGB, § 108 AO). Long, and free, is the day after.
 */
function termOf(acquiredDay: number, disposedDay: number): Term {
  return disposedDay > yearLater(acquiredDay, 'last') ? 'long' : 'short'
}

function figures(totals: YearTotals, limit: Limit): Figure[] {
  const { year, short, long, unknown } = totals
  const freeBelow = totals.isInCurrency ? limit('limit', year) : null
  const money = (figure: string, value: bigint | null, source: string): Figure => ({
    form: 'Anlage SO',
    line: '',
    figure,
    value,
    kind: 'money',
    source,
  })
  return [
    money('Proceeds of what was held up to one year', short.proceeds, '§ 23 Abs. 3 Satz 1 EStG'),
    money('Costs of what was held up to one year', short.costBasis, '§ 23 Abs. 3 Satz 1 EStG'),
    money('Gain or loss of what was held up to one year', short.gain, '§ 23 Abs. 1 Satz 1 Nr. 2 EStG'),
    money('Limit below which it is free', freeBelow, '§ 23 Abs. 3 Satz 5 EStG'),
    money('Taxable gain', taxable(totals, freeBelow), '§ 23 Abs. 3 Sätze 5 und 7 EStG'),
    money('Gain or loss of what was held longer, free', long.gain, '§ 23 Abs. 1 Satz 1 Nr. 2 EStG'),
    ...unknownFigures('Anlage SO', unknown),
  ]
}

/** All or nothing; a loss is never taxable, and only sets off gains of the same kind. */
function taxable({ short, isComplete }: YearTotals, freeBelow: bigint | null): bigint | null {
  if (freeBelow === null || !isComplete) return null
  return short.gain < freeBelow ? 0n : short.gain
}
