// The figures of a tax return for one tax year under the rules of a country, each with the paragraph that it follows.
// A figure that cannot be known, because a gain or a currency is missing, is empty, never zero.
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader } from '../ledger/reader.ts'
import { asBatches, type Column } from '../output/column.ts'
import type { Row } from '../output/value.ts'
import { laws } from '../rules/catalogue.ts'
import type { Figure } from '../rules/figures.ts'
import type { Law } from '../rules/law.ts'
import { limitsOf } from '../rules/limits.ts'
import { lawOf } from '../rules/matching.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import { beginningOf, isBeforeBooks } from './gaps.ts'
import { counted, reportNotes } from './notes.ts'
import { fileNameOf, type Report, type ReportRequest, valuesOf } from './report.ts'
import { yearSums } from './year-totals.ts'

const COLUMNS: readonly Column[] = [
  { name: 'rules' },
  { name: 'tax_year' },
  { name: 'form' },
  { name: 'line' },
  { name: 'figure' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'source' },
]

/** UsageError without a year, or under rules that have no return. */
export async function taxesReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const law = lawOf(request.lots)
  const { year, label } = request.period
  if (year === null || law.figures === null) throw notAsked(law)
  const standing = await reportNotes(ledger, request)
  const { reader, notes } = await disposalsOf(ledger, { ...request.lots, rules: law.name }, request.currency)
  const currency = (await reportCurrency(reader, request.currency)) ?? (await onlyCurrency(reader))
  const values = { ...valuesOf(request), currency, has_terms: law.termOf !== null }
  const sums = await yearSums(reader, values)
  const isInCurrency = currency === null || currency === law.currency
  const isComplete = request.account === undefined && sums.unknown.count === 0
  const { form1099 = 'none' } = request
  const isUntold = isBeforeBooks(await beginningOf(ledger, request), request.period)
  const figures = law
    .figures({ ...sums, year, isInCurrency, isComplete, form1099 }, limitsOf(law.name))
    .map((figure) => (isUntold ? { ...figure, value: null } : figure))
  const warnings = [
    ...(isInCurrency ? [] : [otherCurrency(law, String(currency))]),
    ...(request.account === undefined ? [] : ['One account alone: limits of the person are not applied.']),
    ...(sums.unknown.count === 0
      ? []
      : [
          `${counted(sums.unknown.count, 'disposal')} without a known gain: the figures are not complete. ` +
            'Import what is missing: `tieout import lots`, `import trades` or `import prices`.',
        ]),
  ]
  return {
    fileName: fileNameOf(`taxes-${law.name}`, request),
    title: `Taxes ${label}, rules ${law.name}`,
    columns: COLUMNS,
    rows: asBatches(figures.map((figure) => rowOf(figure, law, label, currency ?? law.currency))),
    totals: [],
    notes: [
      ...notes,
      ...warnings,
      `What these rules cover, and what not: docs/rules/${law.name}.md.`,
      ...standing,
    ],
  }
}

function notAsked(law: Law): UsageError {
  const countries = Object.values(laws).flatMap(({ name, figures }) => (figures === null ? [] : [name]))
  return new UsageError('The figures of a return need a country and a tax year.', {
    where: '--rules, --year',
    expected: `one of ${countries.join(', ')}, and the year in which the tax year begins`,
    found: `rules ${law.name}`,
    action: 'Run for example `tieout report taxes --rules us --year 2025`.',
  })
}

/** All disposals are in one currency, as the lots engine wants it. */
async function onlyCurrency(reader: Reader): Promise<string | null> {
  const [row] = await reader.query('select min(currency) from disposals')
  return typeof row?.[0] === 'string' ? row[0] : null
}

export function otherCurrency(law: Law, currency: string): string {
  return (
    `The figures are in ${currency}, the return is in ${law.currency}: nothing is converted, and limits in ` +
    `${law.currency} are not applied. Set \`reports: { currency: ${law.currency} }\`, import prices and build again.`
  )
}

function rowOf(figure: Figure, law: Law, label: string, currency: string | null): Row {
  const { form, line, kind, value, source } = figure
  const shown = value === null ? null : kind === 'count' ? String(value) : formatAmount(value)
  return [
    law.name,
    label,
    form,
    line === '' ? null : line,
    figure.figure,
    shown,
    kind === 'money' ? currency : null,
    source,
  ]
}
