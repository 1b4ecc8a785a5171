// The end of the demo: one screen that summarises the books, and the full reports as files.

import { isAbsolute, join, relative } from 'node:path'
import { counted, shellWord } from '../../../models/text.ts'
import { ensureFolder } from '../../books/books.ts'
import { type CommandContext, optionalConfig } from '../../config/context.ts'
import { engineSettings } from '../../engine/settings.ts'
import { nodeDisk } from '../../journal/disk.ts'
import type { BuildResult } from '../../ledger/build.ts'
import { type Ledger, openLedger } from '../../ledger/ledger.ts'
import type { Cell, Row } from '../../output/cell.ts'
import { allRows, asBatches, type Column } from '../../output/column.ts'
import { writeFileFrom } from '../../output/deliver.ts'
import { inkFor } from '../../output/ink.ts'
import { fitted, type Importance } from '../../output/screen.ts'
import { printTable } from '../../output/table.ts'
import { setIn } from '../../output/wrap.ts'
import { ledgerForPaper, paperOf } from '../../paper/paper.ts'
import { makeReport } from '../../reports/catalogue.ts'
import { defaultsOf } from '../../reports/defaults.ts'
import { type Destination, writeReport } from '../../reports/print.ts'
import { addAmounts } from '../../reports/report.ts'
import { describeBreaks } from '../../reports/summary.ts'
import { DEFAULT_ADDRESS } from '../../serve/address.ts'
import { terminalOf } from '../command.ts'
import { type Comparison, describeComparison } from './compare.ts'

const REPORTS = ['balances', 'pnl', 'gains', 'coverage', 'breaks'] as const

/** The accounts as they are now, from the feeds that show the present state. */
const PRESENT: readonly (readonly [title: string, query: string])[] = [
  [
    'Open positions',
    `select account, symbol, hold_side, total, open_price_avg, unrealized_pl, achieved_profits
     from positions where is_current and total <> 0 order by all`,
  ],
  [
    'Sub-accounts',
    `select emails.account, sub_uid, accounts.account as name, emails.ctime as created_at
     from subaccount_emails as emails left join accounts on accounts.uid = emails.sub_uid
     where is_current order by all`,
  ],
  [
    'Merchant',
    `select account, merchant_id, total_trades, total_completion_rate, trades30d
     from merchants where is_current order by all`,
  ],
  [
    'Risk and lists',
    `select 'institutional LTV' as what, rtrim(rtrim(cast(ltv as varchar), '0'), '.') as figure from ltv where is_current
     union all select 'open orders', cast(count(*) as varchar) from open_orders where is_current
     union all select 'contracts', cast(count(*) as varchar) from contracts where is_current
     union all select 'liquidations of the last days', cast(count(*) as varchar) from liquidations
     union all select 'agent customers', cast(count(*) as varchar) from customers where is_current
     union all select 'KYC results', cast(count(*) as varchar) from customer_kyc where is_current`,
  ],
]

interface ReportFile {
  readonly path: string
  readonly holds: string
}

export interface WrittenReports {
  readonly files: readonly ReportFile[]
  /** The one meant for printing. */
  readonly paper: string
}

async function withLedger<T>(context: CommandContext, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(context.dir, { engine: engineSettings(optionalConfig(context).engine) })
  try {
    return await work(ledger)
  } finally {
    ledger.close()
  }
}

/** Writes to the books' folder: each full report as a text table and as CSV, the accounts' present state, and a document. */
export async function writeReports(context: CommandContext): Promise<WrittenReports> {
  const folder = join(context.dir, 'reports')
  ensureFolder(folder)
  const terminal = { ...terminalOf(context), tell: () => undefined }
  const destination = { out: folder, dir: context.dir, terminal }
  return await withLedger(context, async (ledger) => {
    const files: ReportFile[] = []
    for (const name of REPORTS) {
      const report = await makeReport(ledger, name)
      const rows = await allRows(report.rows)
      await writeReport({ ...report, rows: asBatches(rows) }, 'table', destination)
      const path = await writeReport({ ...report, rows: asBatches(rows) }, 'csv', destination)
      files.push({ path: String(path), holds: `${counted(rows.length, 'row')}; as a table: ${name}.txt` })
    }
    const present: string[] = []
    for (const [title, query] of PRESENT) {
      const { columns, rows } = await ledger.stream(query)
      present.push(`${title}\n\n${printTable(columns, await allRows(rows))}\n`)
    }
    const path = join(folder, 'present.txt')
    await writeFileFrom(nodeDisk, path, asPieces(present.join('\n')))
    files.push({ path, holds: 'open positions, sub-accounts, risk' })
    const paper = await writePaper(context, ledger, { ...destination, out: join(folder, 'statement.html') })
    files.push({ path: paper, holds: 'working papers to print' })
    return { files, paper }
  })
}

/** The last complete calendar month, if the books reach back to its beginning. */
const LAST_MONTH = `
  with
  months as (select date_trunc('month', timezone('UTC', max(ended_at))) as this_month from runs)
  select cast(this_month - interval 1 month as date)::varchar, cast(this_month - interval 1 day as date)::varchar
  from months
  where (select timezone('UTC', min(occurred_at)) from entries) <= this_month - interval 1 month`

/** The statement of all accounts for a month, as handed to an accountant; for a short history, the statement of all of it. */
async function writePaper(
  context: CommandContext,
  opened: Ledger,
  destination: Destination,
): Promise<string> {
  const { dir, clock } = context
  const ledger = ledgerForPaper(opened)
  const [month] = await ledger.query(LAST_MONTH)
  const options = month === undefined ? {} : { from: String(month[0]), to: String(month[1]) }
  const asked = { name: 'statement', options, defaults: defaultsOf(optionalConfig(context)) } as const
  const made = await makeReport(ledger, asked.name, asked.options, asked.defaults)
  const paper = await paperOf(ledger, asked, made, { dir, clock, disk: nodeDisk })
  return String(await writeReport(paper, 'html', destination))
}

async function* asPieces(text: string): AsyncIterable<string> {
  yield text
}

interface Outcome {
  readonly built: BuildResult
  readonly reports: WrittenReports
  readonly comparison: Comparison
}

/** Prints the net worth, the gains, the open breaks, where the reports are, whether it ties out, and what to try next. */
export async function showBooks(
  context: CommandContext,
  { built, reports: { files, paper }, comparison }: Outcome,
): Promise<void> {
  const { print, stdout } = context
  const dir = fromHere(context.dir)
  const ink = inkFor(stdout)
  const { width } = terminalOf(context)
  const heading = (meaning: 'good' | 'bad' | 'heading', text: string): void => {
    stdout.write(`\n${ink.mark(meaning, text)}\n`)
  }
  const table = (columns: readonly Column[], rows: readonly Row[], importance: Importance): void => {
    if (width === undefined) {
      print(printTable(columns, rows))
      return
    }
    const { table: shown, leftOut } = fitted(columns, rows, { width, importance })
    print(shown)
    if (leftOut.length > 0) print(`Left out at ${width} columns: ${leftOut.join(', ')}.`)
  }

  await withLedger(context, async (ledger) => {
    const worth = await worthOf(ledger)
    heading('heading', `Net worth${worth.day === null ? '' : ` (${worth.day})`}`)
    table(WORTH, worth.rows, ['account', ['value', 'currency']])
    heading('heading', 'Gains and losses, all accounts')
    table(GAINS, await gainsOf(ledger), ['source', ['net', 'coin'], 'costs'])
  })

  heading('heading', 'Breaks')
  print(setIn(describeBreaks(built), width))

  heading('heading', 'Reports')
  const longest = files.reduce((length, { path }) => Math.max(length, fromHere(path).length), 0)
  for (const { path, holds } of files)
    stdout.write(`  ${ink.file(fromHere(path))}${' '.repeat(longest - fromHere(path).length)}  ${holds}\n`)

  const { error, warning } = built.breaks
  const tiesOut = comparison.differences.length === 0 && error + warning === 0
  heading(tiesOut ? 'good' : 'bad', tiesOut ? 'It ties out' : 'It does not tie out')
  print(setIn(describeComparison(comparison), width))
  stdout.write(`The books: ${ink.file(join(dir, 'ledger.duckdb'))}\n`)
  for (const [what, command] of NEXT) print(`${what.padEnd(11)}npx tieout ${command} --dir ${shellWord(dir)}`)
  print(`The page:  ${DEFAULT_ADDRESS} (serve opens it in your browser)`)
  stdout.write(`To print:  ${ink.file(fromHere(paper))}\n`)
}

/** The shortest path to read and type: relative to the working folder if the file is inside it. */
export function fromHere(path: string, here = process.cwd()): string {
  const inHere = relative(here, path)
  return inHere === '' || /^(\.\.|-)/.test(inHere) || isAbsolute(inHere) ? path : inHere
}

const NEXT: readonly (readonly [what: string, command: string])[] = [
  ['Query:', 'sql "select * from balances"'],
  ['Status:', 'status'],
  ['To file:', 'report gains --format xlsx --out gains.xlsx'],
  ['Browse:', 'serve'],
]

const WORTH: readonly Column[] = [
  { name: 'account' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'unpriced', title: 'coins without a price', kind: 'number' },
]

/** The value of each account on the last day of the books, and their sum. */
async function worthOf(
  ledger: Ledger,
): Promise<{ readonly day: string | null; readonly rows: readonly Row[] }> {
  const found = await ledger.query(
    `select account, value, currency, unpriced_coins, day::varchar from net_worth
     where day = (select max(day) from net_worth) order by account`,
  )
  // A coin without a price counts once, however many accounts hold it.
  const [[unpriced = 0] = []] = await ledger.query(
    `select count(distinct coin)::integer from daily_valuation
     where own_value is null and day = (select max(day) from net_worth)`,
  )
  const all: Row = ['all', addAmounts(found.map((row) => row[1])), found[0]?.[2] ?? null, unpriced]
  const day = found[0]?.[4]
  return { day: day === undefined ? null : String(day), rows: [...found.map((row) => row.slice(0, 4)), all] }
}

const GAINS: readonly Column[] = [
  { name: 'source' },
  { name: 'realised', kind: 'amount' },
  { name: 'costs', title: 'fees, funding, interest', kind: 'amount' },
  { name: 'net', kind: 'amount' },
  { name: 'coin' },
]

/** The totals of the report `pnl` in each coin: gains on lots, futures, and the cost of margin. */
async function gainsOf(ledger: Ledger): Promise<readonly Row[]> {
  const { columns, totals } = await makeReport(ledger, 'pnl')
  const at = (row: Row, name: string): Cell =>
    row[columns.findIndex((column) => column.name === name)] ?? null
  return totals.map((row) => [
    sourceOf(at(row, 'product_line')),
    at(row, 'realised_pnl'),
    addAmounts([at(row, 'fees'), at(row, 'funding'), at(row, 'interest')]),
    at(row, 'net_pnl'),
    at(row, 'coin'),
  ])
}

const sourceOf = (productLine: Cell): Cell =>
  productLine === null ? 'total' : productLine === 'LOTS' ? 'coins sold' : productLine
