// Germany: private sales (§ 23 Abs. 1 Satz 1 Nr. 2 EStG), first in first out within one wallet or depot (BMF
// letters of 10 May 2022 and 6 March 2025). Gains on holdings of more than a year are exempt; the rest is
// taxed in full once the year's total reaches the limit of § 23 Abs. 3 Satz 5. Days are Berlin's. See
// docs/rules/de.md.

import { roundDiv, smaller } from '../lots/share.ts'
import { yearLater } from './calendar.ts'
import { above0, type Figure, type Losses, unknownFigures, type YearTotals } from './figures.ts'
import type { Law, Term } from './law.ts'
import type { Limit } from './limits.ts'

export const de: Law = {
  name: 'de',
  methods: ['fifo', 'specific'],
  scope: [{ value: 'account', fromYear: null }],
  scopeBindsFrom: 0,
  gifts: 'leave',
  giverCounts: '§ 23 Abs. 1 Satz 3 EStG',
  giftsTo: null,
  shortSales: 'when closed',
  feesInKind: ['disposal', 'net'],
  exchangeFeesGivenFrom: null,
  sharesExchangeFees: false,
  feesApart: false,
  lookAheadDays: 0,
  lookAhead: null,
  takesDayAsOne: false,
  timeZone: 'Europe/Berlin',
  yearStart: { month: 1, day: 1 },
  currency: 'EUR',
  termOf,
  longIsFree: true,
  roundsPieces: false,
  futures: {
    rule: 'capital income from forward transactions, Anlage KAP',
    source: '§ 20 Abs. 2 Satz 1 Nr. 3 EStG',
    fromYear: 2009,
  },
  rateChange: null,
  carriedLosses,
  carryBack: {
    years: 'loss_back_years',
    most: 'loss_back_most',
    isNearestFirst: true,
    lossOf: ({ short, isComplete, isInCurrency }) =>
      isComplete && isInCurrency ? above0(-short.gain) : null,
    roomIn: (totals, limit) => {
      const gain = taxable(totals, freeBelowIn(totals, limit))
      const used = usedLosses(totals, limit)
      return gain === null || used === null ? null : gain - used
    },
    form: 'Anlage SO',
    source: '§ 23 Abs. 3 Satz 8, § 10d Abs. 1 EStG',
    note:
      'The tax office carries a loss back unless the carry-back is waived as a whole (§ 10d Abs. 1 EStG); no figure here is ' +
      'changed by it. Enter what the assessment then leaves in the configuration (`reports: losses:`).',
  },
  income: {
    what: 'Income from rewards, interest and the like',
    kind: 'limit',
    amount: 'income_limit',
    allowanceName: 'Limit below which such income is free',
    form: 'Anlage SO',
    line: '',
    source: '§ 22 Nr. 3 EStG',
  },
  incomeBelongs: null,
  figures,
}

/**
 * The year begins after the day of acquisition and ends with the same date of the next year, or with the last
 * day of its month if there is no such date (§§ 187 Abs. 1, 188 Abs. 2 and 3 BGB, § 108 AO). From the day
 * after that, the holding is long-term and exempt.
 */
function termOf(acquiredDay: number, disposedDay: number): Term {
  return disposedDay > yearLater(acquiredDay, 'last') ? 'long' : 'short'
}

const ONE = 10n ** 18n

const freeBelowIn = ({ year, isInCurrency }: YearTotals, limit: Limit): bigint | null =>
  isInCurrency ? limit('limit', year) : null

/**
 * Losses of earlier years reduce only taxable gains: a gain below the limit is already exempt and uses none
 * of them up. Above the base amount they are limited to a share of the gain.
 */
function usedLosses(totals: YearTotals, limit: Limit): bigint | null {
  const { year, brought } = totals
  const gain = taxable(totals, freeBelowIn(totals, limit))
  const [base, share] = [limit('loss_base', year), limit('loss_share', year)]
  if (gain === null || brought === null || base === null || share === null) return null
  const most = smaller(gain, base) + roundDiv(above0(gain - base) * share, ONE)
  return smaller(brought.amount, most)
}

function carriedLosses(totals: YearTotals, limit: Limit): Losses | null {
  const used = usedLosses(totals, limit)
  const { short, brought } = totals
  if (used === null || brought === null) return null
  return { amount: brought.amount - used + above0(-short.gain), longTerm: 0n }
}

function figures(totals: YearTotals, limit: Limit): Figure[] {
  const { short, long, unknown, brought } = totals
  const freeBelow = freeBelowIn(totals, limit)
  const gain = taxable(totals, freeBelow)
  const used = usedLosses(totals, limit)
  const carried = carriedLosses(totals, limit)
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
    money('Losses of earlier years, brought forward', brought?.amount ?? null, '§ 23 Abs. 3 Satz 8 EStG'),
    money('Losses brought forward, used', used, '§ 23 Abs. 3 Satz 8, § 10d Abs. 2 EStG; BFH IX R 27/04'),
    money('Taxable gain', gain === null ? null : gain - (used ?? 0n), '§ 23 Abs. 3 Sätze 5, 7 und 8 EStG'),
    money(
      'Losses to carry forward, none of them carried back',
      carried?.amount ?? null,
      '§ 23 Abs. 3 Satz 8, § 10d Abs. 4 EStG',
    ),
    money('Gain or loss of what was held longer, free', long.gain, '§ 23 Abs. 1 Satz 1 Nr. 2 EStG'),
    ...unknownFigures('Anlage SO', unknown),
  ]
}

/** All or nothing, never below zero: a loss is not taxable, and offsets only gains of the same kind. */
function taxable({ short, isComplete }: YearTotals, freeBelow: bigint | null): bigint | null {
  if (freeBelow === null || !isComplete) return null
  return short.gain < freeBelow ? 0n : short.gain
}
