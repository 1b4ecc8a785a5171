// United Kingdom: same day, 30 days, section 104 pool (TCGA 1992 ss. 104, 105, 106A; HMRC CRYPTO22200 ff.), over all that
// a person holds. Days are London's; a tax year runs from 6 April to 5 April. See docs/rules/uk.md.
import { smaller } from '../lots/share.ts'
import { dayNumber } from './calendar.ts'
import {
  above0,
  disposalCount,
  type Figure,
  type Losses,
  plus,
  unknownFigures,
  type YearTotals,
} from './figures.ts'
import type { Law } from './law.ts'
import type { Limit } from './limits.ts'

export const uk: Law = {
  name: 'uk',
  methods: ['uk'],
  scope: [{ value: 'universal', fromYear: null }],
  scopeBindsFrom: null,
  gifts: 'disposal',
  giverCounts: null,
  giftsTo:
    'one to a spouse or civil partner who lives with the giver is at no gain and no loss (TCGA 1992 s.58), and a loss on one to ' +
    'another connected person counts against gains on disposals to the same person alone (s.18(3))',
  shortSales: 'when sold',
  feesInKind: ['disposal', 'net'],
  exchangeFeesGivenFrom: null,
  sharesExchangeFees: true,
  feesApart: true,
  lookAheadDays: 30,
  lookAhead: { what: 'Purchases', pieces: 'disposals', source: 'TCGA 1992 s.106A' },
  takesDayAsOne: true,
  timeZone: 'Europe/London',
  yearStart: { month: 4, day: 6 },
  currency: 'GBP',
  termOf: null,
  longIsFree: false,
  roundsPieces: false,
  futures: {
    rule: 'chargeable gains or losses of futures and contracts for difference of a person who does not trade',
    source: 'TCGA 1992 s.143; HMRC CG56100',
    fromYear: null,
  },
  rateChange: {
    year: 2024,
    day: dayNumber(2024, 10, 30),
    what: 'The main rates of capital gains tax rose',
    todo: 'The tax adjustment for the new rates goes in box 51, for which HMRC has a calculator',
    source: 'TCGA 1992 s.1H; Finance Act 2025 s.7(3)',
  },
  carriedLosses,
  // None except for losses of the year of death (TCGA 1992 s.62(2)).
  carryBack: null,
  income: {
    what: 'Miscellaneous income from rewards, interest and the like',
    kind: 'allowance',
    amount: 'income_allowance',
    allowanceName: 'Trading and miscellaneous income allowance',
    form: 'SA100',
    line: '17',
    source: 'ITTOIA 2005 s.687, Part 6A (ss.783A to 783AR); HMRC BIM86000',
  },
  incomeBelongs: null,
  figures,
}

type Box = 'count' | 'proceeds' | 'costs' | 'gains' | 'losses' | 'used' | 'carried'

/**
 * Boxes of SA108: cryptoassets have their own section since 2024-25; before that they were other property.
 * The form for years before 2016-17 numbers losses of other years differently.
 */
function boxesOf(year: number): Readonly<Record<Box, string>> {
  const ofOthers = year < 2016 ? { used: '', carried: '' } : { used: '45', carried: '47' }
  return year < 2024
    ? { count: '14', proceeds: '15', costs: '16', gains: '17', losses: '19', ...ofOthers }
    : { count: '13.1', proceeds: '13.2', costs: '13.3', gains: '13.4', losses: '13.5', ...ofOthers }
}

const exemptIn = ({ year, isInCurrency }: YearTotals, limit: Limit): bigint | null =>
  isInCurrency ? limit('annual_exempt_amount', year) : null

/**
 * Losses of earlier years are used only to the extent that they bring the net gains down to the exempt
 * amount.
 */
function usedLosses(totals: YearTotals, limit: Limit): bigint | null {
  const exempt = exemptIn(totals, limit)
  const { gains, losses, isComplete, brought } = totals
  if (exempt === null || !isComplete || brought === null) return null
  return smaller(brought.amount, above0(plus(gains, losses).gain - exempt))
}

function carriedLosses(totals: YearTotals, limit: Limit): Losses | null {
  const used = usedLosses(totals, limit)
  const { gains, losses, brought } = totals
  if (used === null || brought === null) return null
  return { amount: brought.amount - used + above0(-plus(gains, losses).gain), longTerm: 0n }
}

function figures(totals: YearTotals, limit: Limit): Figure[] {
  const { year, gains, losses, unknown, brought } = totals
  const box = boxesOf(year)
  const both = plus(gains, losses)
  const count = BigInt(disposalCount(totals))
  const money = (line: string, figure: string, value: bigint | null, source: string): Figure => ({
    form: 'SA108',
    line,
    figure,
    value,
    kind: 'money',
    source,
  })
  const exempt = exemptIn(totals, limit)
  const net = both.gain
  const used = usedLosses(totals, limit)
  const taxable = exempt === null || !totals.isComplete ? null : above0(net - (used ?? 0n) - exempt)
  const carried = carriedLosses(totals, limit)
  return [
    {
      form: 'SA108',
      line: box.count,
      figure: 'Number of disposals',
      value: count,
      kind: 'count',
      source: 'TCGA 1992 s.105(1)(a)',
    },
    money(box.proceeds, 'Disposal proceeds', both.proceeds, 'CRYPTO22100'),
    money(box.costs, 'Allowable costs', both.costBasis + both.fees, 'TCGA 1992 s.38; CRYPTO22150'),
    ...(both.fees === 0n
      ? []
      : [
          money(
            '',
            'Fees of the disposals, among the allowable costs',
            both.fees,
            'TCGA 1992 s.38(1)(c), (2)',
          ),
        ]),
    money(box.gains, 'Gains in the year, before losses', gains.gain, 'CRYPTO22200'),
    money(box.losses, 'Losses in the year', -losses.gain, 'CRYPTO22200'),
    money('', 'Gains less losses of the year', net, 'TCGA 1992 s.1(3)'),
    money('', 'Annual exempt amount', exempt, 'TCGA 1992 s.1K'),
    money('', 'Losses of earlier years, brought forward', brought?.amount ?? null, 'TCGA 1992 s.1(3)'),
    money(box.used, 'Losses brought forward, used', used, 'TCGA 1992 s.1(3); HMRC CG18030, CG18202'),
    money('', 'Gains above the annual exempt amount', taxable, 'TCGA 1992 s.1K'),
    money(
      box.carried,
      'Losses to carry forward',
      carried?.amount ?? null,
      'TCGA 1992 s.1(3); HMRC CG18030, CG18202',
    ),
    ...unknownFigures('SA108', unknown, 'the number of disposals'),
  ]
}
