// What a paper is about, resolved once: every section reads the same ledger, over the same instants, with the
// same lots.
import type { FilingContext } from '../evidence/freeze.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import { clockIn } from '../output/clock.ts'
import type { Column } from '../output/column.ts'
import type { Table } from '../output/html.ts'
import {
  makeReport,
  optionsFor,
  type ReportDefaults,
  type ReportName,
  type ReportOptions,
} from '../reports/catalogue.ts'
import type { Report, ReportRequest } from '../reports/report.ts'
import type { Law } from '../rules/law.ts'

export interface PaperQuestion {
  readonly ledger: Ledger
  readonly name: ReportName
  /** The report itself, whose rows one section reads. */
  readonly made: Report
  readonly request: ReportRequest
  readonly law: Law
  /** Options of the reports behind the sections, with the period as instants. */
  readonly options: ReportOptions
  readonly defaults: ReportDefaults
  /** Has the disposals of the request. */
  readonly matched: Reader
  /** How they were matched, as stated on the cover. */
  readonly matching: readonly string[]
  /** Values of a query over them. */
  readonly values: Values
  /** The currency of gains and values; null while nothing has one. */
  readonly currency: string | null
  readonly filings: FilingContext
}

/** An instant to the second, in the zone's local time. */
export const readable = (instant: string, zone: string): string =>
  `${clockIn(zone)(`${instant.slice(0, 19)}Z`)} ${zone}`

/** A report over the same period and lots. */
export async function reportFor(question: PaperQuestion, name: ReportName): Promise<Report> {
  if (name === question.name) return question.made
  return await makeReport(question.ledger, name, optionsFor(name, question.options), question.defaults)
}

/** The columns of a report that fit on paper, in this order; all of its rows and totals. */
export function columnsOf(
  caption: string,
  { columns, rows, totals }: Pick<Report, 'columns' | 'rows'> & Partial<Pick<Report, 'totals'>>,
  names: readonly string[],
): Table {
  const places = names.flatMap((name) => {
    const at = columns.findIndex((column) => column.name === name)
    return at === -1 ? [] : [at]
  })
  const chosen = (row: Row): Row => places.map((at) => row[at] ?? null)
  async function* chosenRows() {
    for await (const batch of rows) yield batch.map(chosen)
  }
  return {
    caption,
    columns: places.map((at) => columns[at] as Column),
    rows: chosenRows(),
    totals: (totals ?? []).map((row) => wordFirst(row, places)),
  }
}

/** The columns of a sum at these positions; its label, the first cell, begins the line. */
function wordFirst(row: Row, places: readonly number[]): Row {
  const word = row.findIndex((cell) => cell !== null)
  const [first = 0] = places
  const cells = places.map((at) => (at === word ? null : (row[at] ?? null)))
  const what = first === word ? [row[word]] : [row[word], row[first]]
  return [what.filter((cell) => cell !== null && cell !== undefined).join(', '), ...cells.slice(1)]
}
