// What was received in rewards, interest and the like in one tax year, at its value then.

import { formatAmount, parseAmount } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import type { Reader } from '../ledger/reader.ts'
import { INCOME_KINDS, type IncomeRule, type IncomeTotals } from '../rules/income.ts'
import type { Law } from '../rules/law.ts'
import { OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'

export interface YearIncome {
  /** Null where the rules have no figures of it, and for books of an earlier version. */
  readonly totals: IncomeTotals | null
  readonly rule: IncomeRule | null
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

/** Of the published books, in their currency; another one of the report changes nothing of it. */
export async function yearIncome(ledger: Reader, request: ReportRequest, law: Law): Promise<YearIncome> {
  const { income: rule, currency } = law
  if (ledger.tables.get('income')?.includes('value') !== true)
    return { rule, totals: null, warnings: [], notes: [] }
  const kinds = INCOME_KINDS.map((kind) => `'${kind}'`).join(', ')
  const [row = []] = await sums(
    ledger,
    `select count(*), count(*) filter (value is null), coalesce(sum(value), 0), min(currency), ${reach('value')}
     from income where kind in (${kinds}) and amount > 0 and ${OF_ACCOUNT} and ${within('occurred_at')}`,
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
            `INCOMPLETE: ${unknown} of ${counted(count, 'receipt')} of income ${unknown === 1 ? 'has' : 'have'} no known value, so that the ` +
              'figures of income are empty. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
          ],
    notes: [
      ...(isInCurrency
        ? []
        : [
            `Income is valued in ${String(told)}, the return is in ${currency}: its figures are empty. Set \`reports: { currency: ${currency} }\` and build again.`,
          ]),
      ...(count === 0
        ? []
        : [
            `${rule.what} is all that the books call ${INCOME_KINDS.join(', ')} and that came in (\`report income\` lists it); ` +
              'what was paid is not set off against it.',
          ]),
    ],
  }
}

/** A return without figures of income must not pass over it in silence. */
function inNoFigure({ name }: Law, count: number, unknown: number, worth: string): string {
  const known = count - unknown
  const receipts = [
    ...(known === 0 ? [] : [`${counted(known, 'receipt')}, worth ${worth} when received`]),
    ...(unknown === 0 ? [] : [`${counted(unknown, 'receipt')} of unknown value`]),
  ]
  return (
    `Income from rewards, interest and the like is in no figure under ${name} rules: ${receipts.join('; ')} ` +
    `(\`report income\` lists ${count === 1 ? 'it' : 'them'}).`
  )
}
