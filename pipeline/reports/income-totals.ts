// What was received in one tax year as rewards, interest and the like, at its value when received.

import { formatAmount, parseAmount } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import type { Reader } from '../ledger/reader.ts'
import { type IncomeRule, type IncomeTotals, NO_INCOME } from '../rules/income.ts'
import type { Law } from '../rules/law.ts'
import { OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'

export interface YearIncome {
  /** Null if the rules have no figures for it, and for books of an earlier version. */
  readonly totals: IncomeTotals | null
  readonly rule: IncomeRule | null
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

/** From the published books and in their currency, whatever currency the report uses. */
export async function yearIncome(ledger: Reader, request: ReportRequest, law: Law): Promise<YearIncome> {
  const { income: rule, currency } = law
  if (ledger.tables.get('income')?.includes('value') !== true)
    return { rule, totals: null, warnings: [], notes: [] }
  const [row = []] = await sums(
    ledger,
    `select count(*), count(*) filter (value is null), coalesce(sum(value), 0), min(currency), ${reach('value')}
     from income where kind <> '${NO_INCOME}' and amount > 0 and ${OF_ACCOUNT} and ${within('occurred_at')}`,
    valuesOf(request),
  )
  const [count, unknown, told] = [Number(row[0]), Number(row[1]), row[3]]
  const value = parseAmount(String(row[2]))
  if (!value.ok) throw new RangeError(`A sum of income is ${String(row[2])}: ${value.problem}.`)
  if (rule === null) {
    const { name, incomeBelongs } = law
    const notes = [
      ...(count === 0
        ? []
        : [inNoFigure(law, count, unknown, `${formatAmount(value.units)} ${String(told)}`)]),
      ...(count === 0 || incomeBelongs === null ? [] : [`Under ${name} rules that is ${incomeBelongs}.`]),
    ]
    return { rule, totals: null, warnings: [], notes }
  }
  const isInCurrency = count === 0 || told === currency
  return {
    rule,
    totals: { count, unknown, value: value.units, isInCurrency, isOfAll: request.account === undefined },
    warnings:
      unknown === 0
        ? []
        : [
            `INCOMPLETE: ${unknown} of ${counted(count, 'receipt')} of income ${unknown === 1 ? 'has' : 'have'} no known value, so the ` +
              'figures of income are empty. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
          ],
    notes: [
      ...(isInCurrency
        ? []
        : [
            `Income is valued in ${String(told)} but the return is in ${currency}, so its figures are empty. Set \`reports: { currency: ${currency} }\` and run \`tieout build\`.`,
          ]),
      ...(count === 0
        ? []
        : [
            `${rule.what} is everything received that \`report income\` lists, except under the kind ${NO_INCOME}; ` +
              'amounts paid are not set off against it.',
          ]),
    ],
  }
}

/** A return without figures for income must not omit it silently. */
function inNoFigure({ name }: Law, count: number, unknown: number, worth: string): string {
  const known = count - unknown
  const receipts = [
    ...(known === 0 ? [] : [`${counted(known, 'receipt')}, worth ${worth} when received`]),
    ...(unknown === 0 ? [] : [`${counted(unknown, 'receipt')} of unknown value`]),
  ]
  return (
    `Income from rewards, interest and the like is not included in any figure under ${name} rules: ${receipts.join('; ')} ` +
    `(\`report income\` lists ${count === 1 ? 'it' : 'them'}).`
  )
}
