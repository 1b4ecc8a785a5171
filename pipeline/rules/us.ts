// United States: property held as a capital asset. Units are identified within one wallet or account from 2025 on
// (Treas. Reg. 1.1012-1(j)), over all of them before; what was left is allocated as of 2025-01-01 (Rev. Proc. 2024-28).
// Long means more than one year, counted from the day after acquisition (IRC 1222; Rev. Rul. 66-7). See docs/rules/us.md.
import { yearLater } from './calendar.ts'
import { type Figure, type Form1099, plus, type Totals, unknownFigures, type YearTotals } from './figures.ts'
import type { Law, Term } from './law.ts'

const FIRST_YEAR_BY_ACCOUNT = 2025

export const us: Law = {
  name: 'us',
  methods: ['fifo', 'specific', 'hifo', 'lifo', 'lofo'],
  scope: [
    { value: 'universal', fromYear: null },
    { value: 'account', fromYear: FIRST_YEAR_BY_ACCOUNT },
  ],
  scopeBindsFrom: FIRST_YEAR_BY_ACCOUNT,
  gifts: 'leave',
  shortSales: 'when closed',
  lookAheadDays: 0,
  timeZone: null,
  yearStart: { month: 1, day: 1 },
  currency: 'USD',
  termOf,
  roundsPieces: true,
  futures: {
    rule: 'gains and losses of contracts at a venue abroad, which are no section 1256 contracts (regulated futures are); perpetual swaps have no rule of their own',
    source: 'IRC §§ 1234A, 1256(b)(2)(B), (g)(1)',
    fromYear: null,
  },
  figures,
}

/**
 * The holding period begins the day after acquisition and has lasted a year at the end of the day before the same date
 * of the next year. So what was acquired on the last of a month is long from the first of the 13th month after it.
 */
function termOf(acquiredDay: number, disposedDay: number): Term {
  return disposedDay >= yearLater(acquiredDay + 1, 'next') ? 'long' : 'short'
}

const digitalAssetBoxes: Readonly<Record<Form1099, Readonly<Record<Term, string>>>> = {
  basis: { short: 'G', long: 'J' },
  'no-basis': { short: 'H', long: 'K' },
  none: { short: 'I', long: 'L' },
}

/** The box of Form 8949 for a digital asset: those of their own exist since tax year 2025. */
export function form8949Box(year: number, term: Term, form1099: Form1099): string {
  if (year >= 2025) return digitalAssetBoxes[form1099][term]
  return term === 'short' ? 'C' : 'F'
}

const scheduleDLines: Readonly<Record<Form1099, Readonly<Record<Term, string>>>> = {
  basis: { short: '1b', long: '8b' },
  'no-basis': { short: '2', long: '9' },
  none: { short: '3', long: '10' },
}

function figures(totals: YearTotals): Figure[] {
  const { short, long, unknown } = totals
  return [
    ...termFigures(totals, 'short', short),
    net('7', 'Net short-term capital gain or (loss)', short.gain, 'IRC 1222(5), (6)'),
    ...termFigures(totals, 'long', long),
    net('15', 'Net long-term capital gain or (loss)', long.gain, 'IRC 1222(7), (8)'),
    net('16', 'Lines 7 and 15 together', plus(short, long).gain, 'Schedule D (Form 1040), line 16'),
    ...unknownFigures('Schedule D', unknown),
  ]
}

function termFigures({ year, form1099 }: YearTotals, term: Term, totals: Totals): Figure[] {
  const known = year >= 2025 ? form1099 : 'none'
  const box = form8949Box(year, term, known)
  const line = scheduleDLines[known][term]
  const column = (letter: string, name: string, value: bigint): Figure => ({
    form: 'Schedule D',
    line,
    figure: `${term === 'short' ? 'Short' : 'Long'}-term, Form 8949 box ${box}: ${name} (${letter})`,
    value,
    kind: 'money',
    source: 'Instructions for Form 8949',
  })
  return [
    column('d', 'proceeds', totals.proceeds),
    column('e', 'cost or other basis', totals.costBasis),
    column('g', 'adjustments', totals.deniedLoss),
    column('h', 'gain or (loss)', totals.gain),
  ]
}

function net(line: string, figure: string, value: bigint, source: string): Figure {
  return { form: 'Schedule D', line, figure, value, kind: 'money', source }
}
