// The figures of a tax return for one tax year under a country's rules, each with the provision that it
// follows. A figure that cannot be known, because a gain is unknown or a currency is wrong, is empty, never
// zero.
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { yearLabel } from '../rules/calendar.ts'
import { type CarryBackOption, carryBackFigures, carryBackOptions } from '../rules/carry-back.ts'
import { calendarOf, laws } from '../rules/catalogue.ts'
import { disposalCount, type Figure, type YearTotals } from '../rules/figures.ts'
import { incomeFigures } from '../rules/income.ts'
import type { Law } from '../rules/law.ts'
import { type Limit, limitsOf } from '../rules/limits.ts'
import { lawOf } from '../rules/matching.ts'
import { type Carried, carriedInto } from './carried-losses.ts'
import { withoutGain } from './completeness.ts'
import { disposalsOf } from './disposals.ts'
import { yearFutures } from './futures-year.ts'
import { reportCurrency } from './gains.ts'
import { isOutsideBooks } from './gaps.ts'
import { yearIncome } from './income-totals.ts'
import { lawNotes, rateNotes } from './law-notes.ts'
import { reportNotes } from './notes.ts'
import { fileNameOf, type Report, type ReportRequest, valuesOf } from './report.ts'
import { unfiledNotes } from './unfiled.ts'
import { dayZoneOf, isKnown, roundingNotes, yearSums } from './year-totals.ts'

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
  if (law.feesApart) requireFees(ledger, law)
  const standing = await reportNotes(ledger, request)
  const { reader, notes } = await disposalsOf(ledger, { ...request.lots, rules: law.name }, request.currency)
  const currency = (await reportCurrency(reader, request.currency)) ?? (await onlyCurrency(reader))
  const values = {
    ...valuesOf(request),
    currency,
    has_terms: law.termOf !== null,
    rounds: law.roundsPieces,
    day_zone: dayZoneOf(law, request.lots),
  }
  const totals = await yearSums(reader, values, law.feesApart)
  const isInCurrency = currency === null || currency === law.currency
  const isComplete = request.account === undefined && isKnown(law, totals)
  const { form1099 = 'none' } = request
  const outside = disposalCount(totals) === 0 ? await isOutsideBooks(ledger, request) : null
  const limit = limitsOf(law.name)
  const calendar = calendarOf(law, request.lots.timeZone)
  const { losses, lossesUnder } = request
  const isConfigured = lossesUnder === null || lossesUnder === law.name
  const opening = isConfigured ? losses : undefined
  const carried: Carried =
    isInCurrency && request.account === undefined
      ? await carriedInto(reader, { law, calendar, limit, year, values, opening, isConfigured })
      : { losses: null, notes: [], warnings: [], rooms: new Map(), wholeNotes: [] }
  const ofYear = { ...totals, year, isInCurrency, isComplete, brought: carried.losses, form1099 }
  const income = await yearIncome(ledger, request, law)
  const futures = await yearFutures(ledger, request, law, year)
  const back = backOf(law, ofYear, limit, carried)
  const figures = [
    ...law.figures(ofYear, limit),
    ...(law.carryBack === null ? [] : carryBackFigures(law.carryBack, back, (of) => yearLabel(calendar, of))),
  ]
  const ofIncome =
    income.rule === null || income.totals === null
      ? []
      : incomeFigures(income.rule, income.totals, year, limit)
  // Nothing is known about a year before or after the books, except income that imports record. Income is in
  // the currency of the return, or left empty.
  const hasIncome = (income.totals?.count ?? 0) > 0
  const rowsOf = (some: readonly Figure[], of: string | null, isTold: boolean): Row[] =>
    some.map((figure) => rowOf(isTold ? figure : { ...figure, value: null }, law, label, of))
  const limits = [
    ...(isInCurrency ? [] : [otherCurrency(law, String(currency))]),
    ...(request.account === undefined
      ? []
      : ['Only one account: limits that apply per person are not applied.']),
  ]
  return {
    fileName: fileNameOf(`taxes-${law.name}`, request),
    title: `Taxes ${label}, rules ${law.name}`,
    columns: COLUMNS,
    rows: asBatches([
      ...rowsOf(figures, currency ?? law.currency, outside === null),
      ...rowsOf(ofIncome, law.currency, outside === null || hasIncome),
      ...futures.rows,
    ]),
    totals: [],
    warnings: [
      ...(await withoutGain(ledger, reader, values)),
      ...carried.warnings,
      ...income.warnings,
      ...futures.warnings,
    ],
    notes: [
      ...notes,
      ...(await roundingNotes(reader, values)),
      ...limits,
      ...(await rateNotes(reader, law, calendar, year, values)),
      ...carried.notes,
      ...(isConfigured || losses === undefined
        ? []
        : [
            `The losses in the configuration come from returns under ${lossesUnder} rules and are not included in any figure here.`,
          ]),
      ...carried.wholeNotes,
      ...(back.length + carried.wholeNotes.length === 0 ? [] : [law.carryBack?.note ?? '']),
      ...income.notes,
      ...(await unfiledNotes(ledger, request)),
      ...(await lawNotes(ledger, reader, law, request)),
      ...(outside === 'after' ? [notYetTold(hasIncome)] : []),
      `What these rules cover, and what they do not: docs/rules/${law.name}.md.`,
      ...standing,
    ],
  }
}

/** A ledger of an earlier version does not record the fees of a disposal apart from what it brought. */
function requireFees({ tables }: Ledger, { name }: Law): void {
  const lacking = [
    ['lot_events', 'value_before_fees'],
    ['disposals', 'fees'],
  ].filter(([table = '', column = '']) => tables.get(table)?.includes(column) === false)
  if (lacking.length === 0) return
  throw new UsageError('The published ledger does not record the fees of disposals separately.', {
    where: lacking.map(([table]) => `table ${table}`).join(', '),
    expected: `${lacking.map(([, column]) => column).join(' and ')}, which the return under ${name} rules reads`,
    action: 'Run `tieout build` to publish the ledger again.',
  })
}

/** The years that a loss of this year could be carried back to; empty if there is no loss. */
function backOf(
  { carryBack }: Law,
  totals: YearTotals,
  limit: Limit,
  { rooms }: Carried,
): readonly CarryBackOption[] {
  if (carryBack === null) return []
  return carryBackOptions(carryBack, totals, limit, (year) => rooms.get(year) ?? null)
}

const notYetTold = (hasIncome: boolean): string =>
  `This year begins after the books end${hasIncome ? ', except for income' : ''}: its${hasIncome ? ' other' : ''} ` +
  'figures are empty, not zero. Run `tieout nightly` to extend the books, or import newer files if they are built from imports.'

function notAsked(law: Law): UsageError {
  const countries = Object.values(laws).flatMap(({ name, figures }) => (figures === null ? [] : [name]))
  return new UsageError('The figures of a return need a country and a tax year.', {
    where: '--rules, --year',
    expected: `one of ${countries.join(', ')}, and the year in which the tax year begins`,
    found: `rules ${law.name}`,
    action: 'For example: `tieout report taxes --rules us --year 2025`.',
  })
}

/** All disposals are in one currency, as the lots engine requires. */
async function onlyCurrency(reader: Reader): Promise<string | null> {
  const [row] = await reader.query('select min(currency) from disposals')
  return typeof row?.[0] === 'string' ? row[0] : null
}

export function otherCurrency(law: Law, currency: string): string {
  return (
    `Gains and losses are in ${currency} but the return is in ${law.currency}: nothing is converted, and no limit in ` +
    `${law.currency} is applied to them. Set \`reports: { currency: ${law.currency} }\`, import prices and run \`tieout build\`.`
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
