// Canada: adjusted cost base over all identical properties of a person (Income Tax Act s. 47(1)); a superficial loss
// (s. 54) is denied (s. 40(2)(g)(i)) and joins the cost of what replaced it (s. 53(1)(f)). See docs/rules/ca.md.
import { roundDiv, smaller } from '../lots/share.ts'
import { above0, type Figure, type Losses, plus, unknownFigures, type YearTotals } from './figures.ts'
import type { Law } from './law.ts'
import type { Limit } from './limits.ts'

export const ca: Law = {
  name: 'ca',
  methods: ['ca'],
  scope: [{ value: 'universal', fromYear: null }],
  scopeBindsFrom: null,
  gifts: 'disposal',
  giverCounts: null,
  giftsTo:
    'one to a spouse or common-law partner is at its adjusted cost base, unless the giver elects otherwise (ITA s. 73(1))',
  shortSales: 'when closed',
  feesInKind: ['disposal', 'net'],
  exchangeFeesGivenFrom: null,
  sharesExchangeFees: false,
  feesApart: true,
  lookAheadDays: 30,
  lookAhead: { what: 'Purchases and sales', pieces: 'losses', source: 'ITA s. 54' },
  takesDayAsOne: false,
  timeZone: { suchAs: 'America/Toronto' },
  yearStart: { month: 1, day: 1 },
  currency: 'CAD',
  termOf: null,
  longIsFree: false,
  roundsPieces: false,
  futures: {
    rule: 'income or loss, or by election capital, of dealings in commodity futures',
    source: 'IT-346R, paragraphs 6 to 8; ITA s.9',
    fromYear: null,
  },
  rateChange: null,
  carriedLosses,
  carryBack: {
    years: 'loss_back_years',
    most: null,
    isNearestFirst: false,
    lossOf: (totals, limit) => {
      const gain = taxableGain(totals, limit)
      return gain === null || !totals.isComplete || !totals.isInCurrency ? null : above0(-gain)
    },
    roomIn: (totals, limit) => {
      const gain = taxableGain(totals, limit)
      const used = usedLosses(totals, limit)
      return gain === null || used === null ? null : above0(gain) - used
    },
    form: 'T1A',
    source: 'ITA s. 111(1)(b)',
    note:
      'A net capital loss may be carried back to the three years before it by form T1A, how much to which is the ' +
      'taxpayer’s choice, and no more in total than the loss; no figure here is changed by it. Enter what is then left in the ' +
      'configuration (`reports: losses:`).',
  },
  income: null,
  incomeBelongs: null,
  figures,
}

const ONE = 10n ** 18n

/** The taxable capital gain of the year, or its allowable capital loss as a negative amount. */
function taxableGain({ year, gains, losses }: YearTotals, limit: Limit): bigint | null {
  const rate = limit('inclusion_rate', year)
  return rate === null ? null : roundDiv(plus(gains, losses).gain * rate, ONE)
}

/** Net capital losses of other years, counted as allowable losses, up to the taxable gains of the year. */
function usedLosses(totals: YearTotals, limit: Limit): bigint | null {
  const taxable = taxableGain(totals, limit)
  const { isInCurrency, isComplete, brought } = totals
  if (taxable === null || brought === null || !isComplete || !isInCurrency) return null
  return smaller(brought.amount, above0(taxable))
}

function carriedLosses(totals: YearTotals, limit: Limit): Losses | null {
  const used = usedLosses(totals, limit)
  const taxable = taxableGain(totals, limit)
  const { brought } = totals
  if (used === null || taxable === null || brought === null) return null
  return { amount: brought.amount - used + above0(-taxable), longTerm: 0n }
}

function figures(totals: YearTotals, limit: Limit): Figure[] {
  const { year, gains, losses, unknown, brought } = totals
  const both = plus(gains, losses)
  const rate = limit('inclusion_rate', year)
  const row = (
    figure: string,
    value: bigint | null,
    source: string,
    kind: Figure['kind'] = 'money',
  ): Figure => ({
    form: 'Schedule 3',
    line: '',
    figure,
    value,
    kind,
    source,
  })
  return [
    row('Proceeds of disposition', both.proceeds, 'ITA s. 54 "proceeds of disposition"'),
    row('Adjusted cost base', both.costBasis, 'ITA ss. 47(1), 53, 54'),
    row('Outlays and expenses (from dispositions)', both.fees, 'ITA s. 40(1)(a)(i)'),
    row('Superficial losses denied', both.deniedLoss, 'ITA ss. 40(2)(g)(i), 54'),
    row('Capital gain (or loss)', both.gain, 'ITA s. 40(1)'),
    row('Inclusion rate', rate, 'ITA s. 38', 'rate'),
    row('Taxable capital gain (or allowable capital loss)', taxableGain(totals, limit), 'ITA s. 38'),
    row('Net capital losses of other years, left', brought?.amount ?? null, 'ITA ss. 111(1)(b), 111(8)'),
    {
      ...row('Net capital losses of other years, used', usedLosses(totals, limit), 'ITA s. 111(1)(b)'),
      form: 'T1',
      line: '25300',
    },
    row(
      'Net capital losses to carry forward, none of them carried back',
      carriedLosses(totals, limit)?.amount ?? null,
      'ITA s. 111(8)',
    ),
    ...unknownFigures('Schedule 3', unknown),
  ]
}
