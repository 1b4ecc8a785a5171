// A report as a document to hand over: everything that an accountant asks about a period, in the order of a
// file of working papers. Its figures are those of the reports and the published tables; nothing is
// calculated here that another format calculates differently.
import { type Asked, type FilingContext, inputsOf } from '../evidence/freeze.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { remembering } from '../ledger/remembering.ts'
import type { Content, Section } from '../output/html.ts'
import type { Running } from '../output/html-style.ts'
import { asRequested, optionsFor, type ReportName } from '../reports/catalogue.ts'
import { withoutGain } from '../reports/completeness.ts'
import { disposalsOf, shareDisposals } from '../reports/disposals.ts'
import { reportCurrency } from '../reports/gains.ts'
import { type Report, type ReportRequest, valuesOf } from '../reports/report.ts'
import { lawOf } from '../rules/matching.ts'
import { completeness, sources, who } from './cover.ts'
import { holdings } from './holdings.ts'
import { legend, type Written } from './legend.ts'
import { movementsByKind, rollForward, transfers, trialBalance } from './movements.ts'
import { prices } from './prices.ts'
import { type PaperQuestion, readable } from './question.ts'
import { derivatives, fees, gainsByLot, income, summary } from './results.ts'
import { breaksAndCoverage, differenceFromFilings, evidence, formLines, hasReturn } from './standing.ts'

/**
 * Reports that become a whole file of working papers when printed; the others are their single table behind a
 * cover.
 */
export const PAPERS: ReadonlySet<ReportName> = new Set<ReportName>(['statement', 'taxes'])

/** The ledger for a document, whose sections ask it for much of the same. */
export function ledgerForPaper(ledger: Ledger): Ledger {
  const own = remembering(ledger)
  shareDisposals(own)
  return own
}

/**
 * The report with the contents of its printed document. The ledger must stay open until that has been
 * written.
 */
export async function paperOf(
  ledger: Ledger,
  asked: Asked,
  made: Report,
  filings: FilingContext,
): Promise<Report> {
  if (!PAPERS.has(asked.name)) return await covered(ledger, asked, made, filings)
  const question = await questionOf(ledger, asked, made, filings)
  const { matching } = question
  const { period, zone, account } = question.request
  const people = await who(ledger, account)
  const books = await stampOf(ledger, asked, filings, zone)
  const warnings = [
    ...(made.warnings ?? []),
    ...(await withoutGain(ledger, question.matched, question.values)),
  ]
  const facts: (readonly [string, string])[] = [
    ['Accounts', people],
    ['Period', `${period.label === '' ? 'all of history' : period.label} (${spanOf(period, zone)})`],
    ['Rules', question.law.name],
    ['Method', matching.join(' ')],
    ['Time zone', zone],
    ['Reporting currency', question.currency ?? 'none yet'],
    ['Completeness', await completeness(question)],
    ['Source', await sources(question)],
    ...books.facts,
  ]
  return {
    ...made,
    warnings: [...new Set(warnings)],
    facts,
    notes: made.notes.filter((note) => !matching.includes(note)),
    sections: sectionsOf(question),
    zone,
    running: { who: people, what: made.title, books: books.running },
  }
}

function spanOf({ from, before }: ReportRequest['period'], zone: string): string {
  const begins = from === null ? 'the beginning of the books' : readable(from, zone)
  const ends = before === null ? 'to their end' : `up to, but not including, ${readable(before, zone)}`
  return `from ${begins} ${ends}`
}

async function covered(ledger: Ledger, asked: Asked, made: Report, filings: FilingContext): Promise<Report> {
  const { zone } = asRequested(asked.name, asked.options, asked.defaults).request
  const { facts, running } = await stampOf(ledger, asked, filings, zone)
  const people = await who(ledger, asked.options.account)
  const all: (readonly [string, string])[] = [['Accounts', people], ...(made.facts ?? []), ...facts]
  return { ...made, facts: all, zone, running: { who: people, what: made.title, books: running } }
}

interface Stamp {
  readonly facts: readonly (readonly [string, string])[]
  readonly running: Running['books']
}

/**
 * The books that it was made from: the same facts as on the cover of a workbook, and when they were
 * published.
 */
export async function stampOf(
  ledger: Ledger,
  asked: Asked,
  context: Pick<FilingContext, 'dir' | 'clock'>,
  zone: string,
): Promise<Stamp> {
  const { tieout, ledger: hash, journal } = await inputsOf(ledger, asked, context)
  const [about] = ledger.tables.has('about') ? await ledger.query('select published_at from about') : []
  const published = typeof about?.[0] === 'string' ? about[0] : null
  return {
    facts: [
      ['Ledger', `SHA-256 ${hash}`],
      ['Journal', `frame ${journal.seq}, chain hash ${journal.chain}`],
      ['Made by', `tieout ${tieout}`],
      ...(published === null ? [] : [['Published at', readable(published, zone)] as const]),
    ],
    running: `tieout ${tieout}, ledger ${hash.slice(0, 16)}${published === null ? '' : `, published ${readable(published, zone)}`}`,
  }
}

async function questionOf(
  ledger: Ledger,
  asked: Asked,
  made: Report,
  filings: FilingContext,
): Promise<PaperQuestion> {
  const { name, options, defaults } = asked
  const own = asRequested(name, options, defaults).request
  const { lots } = asRequested('gains', optionsFor('gains', options), defaults).request
  const law = lawOf(lots)
  // A return follows its rules, even if they follow from the method alone.
  const chosen = name === 'taxes' ? { ...lots, rules: law.name } : lots
  const request = { ...own, lots: chosen }
  const { from, before } = own.period
  const { reader, notes } = await disposalsOf(ledger, chosen, own.currency)
  const currency = await reportCurrency(reader, own.currency)
  const [found] = await reader.query('select min(currency) from disposals')
  const question: PaperQuestion = {
    ledger,
    name,
    made,
    request,
    law,
    options: {
      ...options,
      year: undefined,
      ...(name === 'taxes' ? { rules: law.name } : {}),
      from: from ?? undefined,
      to: before === null ? undefined : new Date(Date.parse(before) - 1).toISOString(),
    },
    defaults,
    matched: reader,
    matching: notes,
    values: { ...valuesOf(request), currency },
    currency: currency ?? (typeof found?.[0] === 'string' ? found[0] : null),
    filings,
  }
  return question
}

type Part = readonly [
  title: string,
  tables: readonly string[],
  content: (question: PaperQuestion) => Promise<Content>,
]

const RESULTS: readonly Part[] = [
  ['Summary', ['disposals', 'entries'], summary],
  ['Gains by lot', ['disposals'], gainsByLot],
  ['Income', ['income', 'valuations'], income],
  ['Derivatives', ['entries'], derivatives],
  ['Fees', ['fees'], fees],
  ['Holdings', ['balances', 'postings', 'liabilities', 'lots'], holdings],
  ['Roll-forward', ['entries'], rollForward],
  ['Trial balance', ['entries'], trialBalance],
  ['Movements by kind', ['entries'], movementsByKind],
  ['Transfers', ['transfers'], transfers],
  ['Prices', ['valuations', 'imported_trades'], prices],
]

const RETURN: Part = ['Lines of the return', ['disposals'], formLines]

const STANDING: readonly Part[] = [
  ['Breaks and coverage', ['breaks', 'coverage'], breaksAndCoverage],
  ['Evidence', [], evidence],
]

const DIFFERENCE: Part = ['Difference from what was filed', [], differenceFromFilings]

function sectionsOf(question: PaperQuestion): Section[] {
  const written: Written[] = []
  const section = ([title, tables, content]: Part): Section => ({
    title,
    content: async () => {
      const missing = tables.find((table) => !question.ledger.tables.has(table))
      if (missing !== undefined) return { words: [earlier(missing)] }
      const made = await content(question)
      written.push(...(made.tables ?? []))
      return made
    },
  })
  const forms = hasReturn(question) ? [RETURN] : []
  return [
    ...[...RESULTS, ...forms, ...STANDING].map(section),
    { title: 'Legend', content: async () => await legend(question.ledger, written, question.request.zone) },
    section(DIFFERENCE),
  ]
}

const earlier = (table: string): string =>
  `The published ledger has no table ${table}: it was published by an earlier version. Run \`tieout build\` to publish it again.`
