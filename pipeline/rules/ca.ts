// Canada: adjusted cost base over all identical properties of a person (Income Tax Act s. 47(1)); a superficial loss
// (s. 54) is denied (s. 40(2)(g)(i)) and joins the cost of what replaced it (s. 53(1)(f)). See docs/rules/ca.md.
import { roundDiv } from '../lots/share.ts'
import { type Figure, plus, unknownFigures, type YearTotals } from './figures.ts'
import type { Law } from './law.ts'
import type { Limit } from './limits.ts'

export const ca: Law = {
  name: 'ca',
  methods: ['ca'],
  scope: [{ value: 'universal', fromYear: null }],
  scopeBindsFrom: null,
  gifts: 'disposal',
  shortSales: 'when closed',
  lookAheadDays: 30,
  timeZone: null,
  yearStart: { month: 1, day: 1 },
  currency: 'CAD',
  termOf: null,
  roundsPieces: false,
  futures: {
    rule: 'income or loss, or by election capital, of dealings in commodity futures',
    source: 'IT-346R, paragraphs 6 to 8; ITA s.9',
    fromYear: null,
  },
  figures,
}

const ONE = 10n ** 18n

function figures({ year, gains, losses, unknown }: YearTotals, limit: Limit): Figure[] {
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
    row('Superficial losses denied', both.deniedLoss, 'ITA ss. 40(2)(g)(i), 54'),
    row('Capital gain (or loss)', both.gain, 'ITA s. 40(1)'),
    row('Inclusion rate', rate, 'ITA s. 38', 'rate'),
    row(
      'Taxable capital gain (or allowable capital loss)',
      rate === null ? null : roundDiv(both.gain * rate, ONE),
      'ITA s. 38',
    ),
    ...unknownFigures('Schedule 3', unknown),
  ]
}
