// United States: property held as a capital asset. Units are identified within one wallet or account from
// 2025 on (Treas. Reg. 1.1012-1(j)), across all of them before; what was left is allocated as of 2025-01-01
// (Rev. Proc. 2024-28). Long means more than one year, counted from the day after acquisition (IRC 1222; Rev.
// Rul. 66-7). See docs/rules/us.md.
import { smaller } from '../lots/share.ts'
import { yearLater } from './calendar.ts'
import {
  above0,
  type Figure,
  type Form1099,
  type Losses,
  noLosses,
  type Totals,
  unknownFigures,
  type YearTotals,
} from './figures.ts'
import type { Law, Term } from './law.ts'
import type { Limit } from './limits.ts'

const FIRST_YEAR_BY_ACCOUNT = 2025

/**
 * Effective date of Treas. Reg. 1.1001-7(b)(2)(ii) and 1.1012-1(h), which assign the fee of an exchange of
 * two coins to the coin disposed of.
 */
const FIRST_YEAR_OF_EXCHANGE_FEES = 2025

export const us: Law = {
  name: 'us',
  methods: ['fifo', 'specific', 'hifo', 'lifo', 'lofo'],
  scope: [
    { value: 'universal', fromYear: null },
    { value: 'account', fromYear: FIRST_YEAR_BY_ACCOUNT },
  ],
  scopeBindsFrom: FIRST_YEAR_BY_ACCOUNT,
  gifts: 'leave',
  giverCounts: 'IRC §§ 1015, 1223(2)',
  giftsTo: null,
  shortSales: 'when closed',
  feesInKind: ['disposal'],
  exchangeFeesGivenFrom: FIRST_YEAR_OF_EXCHANGE_FEES,
  sharesExchangeFees: false,
  feesApart: false,
  lookAheadDays: 0,
  lookAhead: null,
  takesDayAsOne: false,
  timeZone: { suchAs: 'America/New_York' },
  yearStart: { month: 1, day: 1 },
  currency: 'USD',
  termOf,
  longIsFree: false,
  roundsPieces: true,
  futures: {
    rule: 'gains and losses on contracts at a foreign venue, which are not section 1256 contracts (regulated futures are); perpetual swaps have no rule of their own',
    source: 'IRC §§ 1234A, 1256(b)(2)(B), (g)(1)',
    fromYear: null,
  },
  rateChange: null,
  carriedLosses,
  // Individuals have none (IRC § 1212(b) only carries forward).
  carryBack: null,
  income: null,
  incomeBelongs:
    'ordinary income at its value when received (Notice 2014-21, A-8; Rev. Rul. 2023-14): Schedule 1 of Form 1040, line 8v from 2024 ' +
    'on, or Schedule C if it is business income',
  figures,
}

/**
 * The holding period begins the day after acquisition and has lasted a year at the end of the day before the
 * same date of the next year. So something acquired on the last day of a month is long-term from the first
 * day of the 13th month after it.
 */
function termOf(acquiredDay: number, disposedDay: number): Term {
  return disposedDay >= yearLater(acquiredDay + 1, 'next') ? 'long' : 'short'
}

/** The first tax year for which brokers report digital assets, and for which they have their own boxes. */
export const FIRST_YEAR_OF_1099_DA = 2025

const digitalAssetBoxes: Readonly<Record<Form1099, Readonly<Record<Term, string>>>> = {
  basis: { short: 'G', long: 'J' },
  'no-basis': { short: 'H', long: 'K' },
  none: { short: 'I', long: 'L' },
}

/** The box of Form 8949 for a digital asset: digital assets have their own boxes since tax year 2025. */
export function form8949Box(year: number, term: Term, form1099: Form1099): string {
  if (year >= FIRST_YEAR_OF_1099_DA) return digitalAssetBoxes[form1099][term]
  return term === 'short' ? 'C' : 'F'
}

const scheduleDLines: Readonly<Record<Form1099, Readonly<Record<Term, string>>>> = {
  basis: { short: '1b', long: '8b' },
  'no-basis': { short: '2', long: '9' },
  none: { short: '3', long: '10' },
}

/** Lines 7 and 15: the year's own gains and losses and the carryover of the same term. */
function netByTerm({ short, long, brought }: YearTotals): { short: bigint; long: bigint } {
  const { amount, longTerm } = brought ?? noLosses
  return { short: short.gain - (amount - longTerm), long: long.gain - longTerm }
}

/** Line 21: how much of a net loss is deducted from other income, as a positive amount. */
function deducted(totals: YearTotals, limit: Limit): bigint | null {
  const most = limit('capital_loss_limit', totals.year)
  if (most === null || !totals.isComplete || !totals.isInCurrency || totals.brought === null) return null
  const { short, long } = netByTerm(totals)
  return smaller(most, above0(-(short + long)))
}

/** The Capital Loss Carryover Worksheet, for a taxable income that is not negative before the deduction. */
function carriedLosses(totals: YearTotals, limit: Limit): Losses | null {
  const deduction = deducted(totals, limit)
  if (deduction === null) return null
  const { short, long } = netByTerm(totals)
  const shortLoss = above0(-short)
  const shortTerm = above0(shortLoss - deduction - above0(long))
  const longTerm = above0(above0(-long) - above0(short) - above0(deduction - shortLoss))
  return { amount: shortTerm + longTerm, longTerm }
}

function figures(totals: YearTotals, limit: Limit): Figure[] {
  const { short, long, unknown, brought } = totals
  const nets = netByTerm(totals)
  const deduction = deducted(totals, limit)
  const carried = carriedLosses(totals, limit)
  const over = (losses: Losses | null, term: Term): bigint | null =>
    losses === null ? null : term === 'long' ? losses.longTerm : losses.amount - losses.longTerm
  const negative = (amount: bigint | null): bigint | null => (amount === null ? null : -amount)
  return [
    ...termFigures(totals, 'short', short),
    net('6', 'Short-term capital loss carryover', negative(over(brought, 'short')), 'IRC 1212(b)(1)(A)'),
    net('7', 'Net short-term capital gain or (loss)', nets.short, 'IRC 1222(5), (6)'),
    ...termFigures(totals, 'long', long),
    net('14', 'Long-term capital loss carryover', negative(over(brought, 'long')), 'IRC 1212(b)(1)(B)'),
    net('15', 'Net long-term capital gain or (loss)', nets.long, 'IRC 1222(7), (8)'),
    net('16', 'Lines 7 and 15 together', nets.short + nets.long, 'Schedule D (Form 1040), line 16'),
    net('21', 'Loss that is deducted from other income', negative(deduction), 'IRC 1211(b)'),
    net('', 'Short-term capital loss carryover to the next year', over(carried, 'short'), 'IRC 1212(b)'),
    net('', 'Long-term capital loss carryover to the next year', over(carried, 'long'), 'IRC 1212(b)'),
    ...unknownFigures('Schedule D', unknown),
  ]
}

function termFigures({ year, form1099 }: YearTotals, term: Term, totals: Totals): Figure[] {
  const known = year >= FIRST_YEAR_OF_1099_DA ? form1099 : 'none'
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

function net(line: string, figure: string, value: bigint | null, source: string): Figure {
  return { form: 'Schedule D', line, figure, value, kind: 'money', source }
}
