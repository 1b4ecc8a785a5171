// The rows of a view as CSV: all that match its filters, streamed as they are read.
import { csvText } from '../../output/csv.ts'
import type { CsvView } from '../api.ts'
import type { Edition } from '../published.ts'
import { type Question, streamOf } from '../question.ts'
import { Refusal } from '../refusal.ts'
import { accountsQuestion, balancesQuestion, daysOf, historyQuestion, trialBalanceOf } from './accounts.ts'
import { breaksQuestion } from './breaks.ts'
import { coverageQuestion } from './coverage.ts'
import { entriesQuestion, facetsQuestion } from './entries.ts'
import { type FilingsContext, filingReport, noFilingNamed } from './filings.ts'
import type { Filters, Now } from './filters.ts'
import {
  gainTotalsQuestion,
  holdingsQuestion,
  lotsQuestion,
  piecesQuestion,
  unknownBasisQuestion,
} from './lots.ts'
import { breakCountsQuestion, netWorthQuestion, pnlQuestion } from './overview.ts'
import { runsQuestion } from './runs.ts'

type Ask = (edition: Edition, filters: Filters, now: Now) => Question | Promise<Question>

const questions: Readonly<Record<Exclude<CsvView, 'filing'>, Ask>> = {
  'net-worth': (_, filters) => netWorthQuestion(filters),
  pnl: (_, filters) => pnlQuestion(filters),
  'break-counts': (_, filters, now) => breakCountsQuestion(filters, now),
  accounts: (_, filters) => accountsQuestion(filters),
  balances: (_, filters) => balancesQuestion(filters),
  'trial-balance': trialBalanceOf,
  history: (_, filters) => historyQuestion(filters),
  entries: (_, filters) => entriesQuestion(filters),
  'entry-facets': (_, filters) => facetsQuestion(filters),
  lots: (_, filters) => lotsQuestion(filters),
  holdings: (_, filters) => holdingsQuestion(filters),
  'unknown-basis': (_, filters) => unknownBasisQuestion(filters),
  gains: piecesQuestion,
  'gain-totals': gainTotalsQuestion,
  breaks: (_, filters) => breaksQuestion(filters),
  coverage: (_, filters) => coverageQuestion(filters),
  runs: () => runsQuestion(),
}

/** Pieces of text; the edition stays open until the last of them. Refusal for an unknown view. */
export async function csvOf(
  edition: Edition,
  view: string,
  filters: Filters,
  context: Now,
): Promise<AsyncIterable<string>> {
  const ask = Object.hasOwn(questions, view) ? questions[view as keyof typeof questions] : undefined
  if (ask === undefined) {
    throw new Refusal(404, 'Unknown view.', {
      expected: [...Object.keys(questions), 'filing'].join(', '),
      action: 'Correct the address.',
    })
  }
  const { columns, rows } = await streamOf(edition.ledger, await ask(edition, filters, context))
  return csvText(columns, rows)
}

/** Views that are limited by days. */
const OF_DAYS: ReadonlySet<string> = new Set<CsvView>([
  'trial-balance',
  'history',
  'entries',
  'entry-facets',
  'gains',
  'gain-totals',
  'breaks',
  'coverage',
])

/** The days that the rows cover, for the file name, as in reports; empty if there is no limit. */
export async function csvDays(edition: Edition, view: string, filters: Filters): Promise<string> {
  if (!OF_DAYS.has(view)) return ''
  const { from, to } = view === 'trial-balance' ? await daysOf(edition, filters) : filters
  return [from ? `from-${from}` : '', to ? `to-${to}` : ''].filter((part) => part !== '').join('-')
}

/** The differences from a filing; they are in memory, so the edition may close before they have been read. */
export async function filingCsv(
  edition: Edition,
  { name }: Filters,
  context: FilingsContext,
): Promise<AsyncIterable<string>> {
  if (name === undefined) throw noFilingNamed()
  const { report } = await filingReport(edition, name, context)
  return csvText(report.columns, report.rows)
}
