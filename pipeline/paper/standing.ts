// How far the paper can be trusted: the lines of the return, open breaks, coverage, where the proof is, what
// the terms mean, and what differs from earlier filings.
import { isDeepStrictEqual } from 'node:util'
import { type Filing, filingNames, readFiling } from '../evidence/filing.ts'
import { compareWithFiling } from '../evidence/freeze.ts'
import { restoreOptions } from '../evidence/options.ts'
import type { Column } from '../output/column.ts'
import type { Content, Table } from '../output/html.ts'
import { asRequested, makeReport, optionsFor, type ReportName, reportNames } from '../reports/catalogue.ts'
import type { Report } from '../reports/report.ts'
import { us } from '../rules/us.ts'
import { columnsOf, type PaperQuestion, reportFor } from './question.ts'

const LINE = ['form', 'line', 'figure', 'value', 'currency', 'source']

const FORM_8949 = [
  'box',
  'description',
  'acquired_on',
  'sold_on',
  'proceeds',
  'cost_basis',
  'code',
  'adjustment',
  'gain',
  'currency',
  'account',
  'disposal_id',
]

/** Whether the rules and the period allow a return. */
export const hasReturn = ({ law, request }: PaperQuestion): boolean =>
  law.figures !== null && request.period.year !== null

export async function formLines(question: PaperQuestion): Promise<Content> {
  const { law } = question
  const taxes = await taxesFor(question)
  const tables: Table[] = [columnsOf(taxes.title, taxes, LINE)]
  if (law.name === us.name) {
    const form = await reportFor(question, 'form-8949')
    tables.push(columnsOf('Form 8949', form, FORM_8949))
  }
  return { words: [...(taxes.warnings ?? []), ...notesOf(question, taxes)], tables }
}

/**
 * The return's notes on its figures. A paper of the return itself has all of them on the cover, and here what
 * its rules cover.
 */
function notesOf({ name, made, matching }: PaperQuestion, taxes: Report): string[] {
  if (name === 'taxes') return taxes.notes.filter((note) => /docs\/rules|brought/.test(note))
  const told = new Set([...made.notes, ...matching])
  return taxes.notes.filter((note) => !told.has(note))
}

async function taxesFor(question: PaperQuestion): Promise<Report> {
  if (question.name === 'taxes') return question.made
  const { ledger, law, options, defaults, request } = question
  const year = { ...options, from: undefined, to: undefined, year: request.period.year ?? undefined }
  return await makeReport(ledger, 'taxes', optionsFor('taxes', { ...year, rules: law.name }), defaults)
}

const BREAK = [
  'severity',
  'check_name',
  'account',
  'ledger',
  'coin',
  'occurred_at',
  'expected',
  'found',
  'difference',
  'explanation',
  'status',
  'note',
  'break_id',
]

const COVERAGE = ['account', 'feed', 'partition', 'starts_at', 'ends_at', 'status', 'code', 'reason']

export async function breaksAndCoverage(question: PaperQuestion): Promise<Content> {
  return {
    tables: [
      columnsOf('Breaks, open or explained', await reportFor(question, 'breaks'), BREAK),
      columnsOf('Coverage', await reportFor(question, 'coverage'), COVERAGE),
    ],
  }
}

export const evidence = async (): Promise<Content> => ({
  words: [
    'Every id in this paper can be traced to what was received. With access to the folder of the books, `tieout explain ID` follows a disposal_id, lot_id, entry_id, line_id or break_id from the figure to its pieces, its lot, the trade and the entries, and on to the venue’s record and the journal row that holds it, byte for byte, checking the hashes on the way.',
    '`tieout verify` checks the whole journal against its hash chain and the books against the journal. The ledger hash on the cover is calculated from the contents of the books: books rebuilt from the same journal have the same hash.',
    '`tieout report NAME --freeze FILING` stores a report as it was filed; `--against FILING` later shows what differs from it, line by line.',
  ],
})

const DIFFERENCE: readonly Column[] = ['change', 'line', 'field', 'before', 'after'].map((name) => ({ name }))

/** The last filing of each report for the same accounts and period, compared with the books of today. */
export async function differenceFromFilings(question: PaperQuestion): Promise<Content> {
  const words: string[] = []
  const tables: Table[] = []
  for (const filing of await lastFilings(question)) {
    const name = filing.report as ReportName
    const difference = await compareWithFiling(
      question.ledger,
      { name, options: {} },
      filing.name,
      question.filings,
    )
    words.push(...difference.notes)
    tables.push(
      columnsOf(
        difference.title,
        difference,
        DIFFERENCE.map(({ name: column }) => column),
      ),
    )
  }
  return words.length === 0
    ? { words: ['No report of these accounts and this period has been filed.'] }
    : { words, tables }
}

async function lastFilings(question: PaperQuestion): Promise<Filing[]> {
  const { disk, dir } = question.filings
  const last = new Map<string, Filing>()
  for (const name of await filingNames(disk, dir)) {
    const filing = await readFiling(disk, dir, name)
    const other = last.get(filing.report)
    if (isSamePeriod(question, filing) && (other === undefined || other.frozen_at < filing.frozen_at))
      last.set(filing.report, filing)
  }
  return [...last.values()].toSorted((one, other) => (one.report < other.report ? -1 : 1))
}

function isSamePeriod({ request }: PaperQuestion, { report, options, defaults }: Filing): boolean {
  const name = reportNames.find((one) => one === report)
  if (name === undefined) return false
  const { account, period } = asRequested(name, restoreOptions(options), defaults).request
  return (
    account === request.account &&
    isDeepStrictEqual([period.from, period.before], [request.period.from, request.period.before])
  )
}
