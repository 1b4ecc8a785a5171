// The whole house in one command: a sandbox venue, a nightly run against it over HTTP, the reports,
// and the comparison with what the sandbox knows to be true.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ExitCode, UsageError } from '../../models/error.ts'
import { writeSandboxConfig } from '../../sandbox/index.ts'
import { ensureFolder, openBooks } from '../books/books.ts'
import { importInto, readImport } from '../books/import.ts'
import { buildBooks, syncBooks } from '../books/night.ts'
import { type CommandContext, optionalConfig, parseInstant, requiredConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { nodeDisk } from '../journal/disk.ts'
import { acquireLock } from '../journal/lock.ts'
import type { BuildResult } from '../ledger/build.ts'
import { openLedger } from '../ledger/ledger.ts'
import { allRows, asBatches } from '../output/column.ts'
import { csvText } from '../output/csv.ts'
import { writeFileFrom } from '../output/deliver.ts'
import { printTable } from '../output/table.ts'
import { makeReport } from '../reports/catalogue.ts'
import { printReport, writeReport } from '../reports/print.ts'
import { describeBreaks } from '../reports/summary.ts'
import { worksheet } from '../reports/worksheet.ts'
import { defineCommand, terminalOf, worst } from './command.ts'
import { compareWithTruth, describeComparison } from './demo/compare.ts'
import { pagingOption, startSandboxOf } from './demo/sandbox.ts'
import { tellPrices } from './fetch.ts'
import { startProgress } from './progress.ts'

/** Marks a folder whose books are a demo's and may be replaced by the next one. */
const MARKER = '.tieout-demo'

/** Budgets refill so many times as fast as documented, so that a year fits into a minute. */
const DEMO_SPEED = 100

const DEMO_REPORTS = ['balances', 'pnl', 'gains', 'coverage', 'breaks'] as const

export const demoCommand = defineCommand({
  example: ['$0 demo --seed 2 --days 90', 'another account’s quarter'],
  options: (parser) =>
    parser
      .option('seed', { type: 'number', default: 1, describe: 'Seed of the invented history' })
      .option('days', { type: 'number', default: 365, describe: 'Length of the history' })
      .option('paging', pagingOption),
  run: async (context, args) => {
    await emptyDemoFolder(context)
    const sandbox = await startSandboxOf({
      seed: args.seed,
      days: args.days,
      speed: DEMO_SPEED,
      ...(args.paging === undefined ? {} : { paging: args.paging }),
      now: new Date(args.now === undefined ? context.clock.wall() : parseInstant(args.now, '--now')),
    })
    try {
      await writeSandboxConfig(context.dir, sandbox, { speed: DEMO_SPEED })
      context.print(
        `A sandbox venue with ${sandbox.accounts.length} accounts and ${args.days} days of history (seed ${args.seed}).`,
      )
      const codes = await night(context)
      const filled = await fillIn(context)
      await showReports(context)
      await showPresent(context)
      const comparison = await compareWithTruth(context.dir, sandbox.truth())
      context.print(describeComparison(comparison))
      context.print(`The books: ${join(context.dir, 'ledger.duckdb')}`)
      context.print(`Ask them:  npx tieout sql "select * from balances" --dir ${context.dir}`)
      return comparison.differences.length > 0 ? 1 : worst([codes.fetched, filled ?? codes.built])
    } finally {
      await sandbox.close()
    }
  },
})

/** Empties what an earlier demo left; books of anyone else are refused. */
async function emptyDemoFolder(context: CommandContext): Promise<void> {
  const { dir } = context
  ensureFolder(dir)
  const found = readdirSync(dir)
  if (found.length > 0 && !existsSync(join(dir, MARKER))) {
    throw new UsageError('The folder holds books that are not a demo’s.', {
      where: dir,
      expected: 'an empty folder, or one that an earlier demo made',
      found: found.slice(0, 5).join(', '),
      action: 'Choose another folder with --dir.',
    })
  }
  // A demo that still runs in this folder holds the lock, and is not pulled from under itself.
  const lock = await acquireLock(dir, 'demo', context.clock)
  for (const name of found) rmSync(join(dir, name), { recursive: true, force: true })
  await lock.release()
  writeFileSync(join(dir, MARKER), 'The next tieout demo replaces everything in this folder.\n')
}

interface Night {
  /** What fetching came to, and what the books did. */
  readonly fetched: ExitCode
  readonly built: ExitCode
}

async function night(context: CommandContext): Promise<Night> {
  const config = requiredConfig(context)
  const books = await openBooks(context.dir, {
    clock: context.clock,
    command: 'demo',
    onNote: context.tell,
    engine: engineSettings(config.engine),
  })
  const progress = startProgress(context)
  try {
    const result = await syncBooks(context, config, books, {}, 'demo', progress.report)
    progress.stop()
    context.print(`Fetched ${result.rows} rows in ${result.requests} requests, within the rate budgets.`)
    const built = await buildBooks(context, config, books, { publishAnyway: false, fetchesPrices: true })
    tellPrices(context, built.prices)
    context.print(describeBreaks(built))
    return {
      fetched: worst([result.refusals.length > 0 ? 4 : 0, result.incomplete ? 5 : 0]),
      built: codeOf(built),
    }
  } finally {
    progress.stop()
    await books.close()
  }
}

const codeOf = ({ breaks }: Pick<BuildResult, 'breaks'>): ExitCode =>
  breaks.error + breaks.warning > 0 ? 3 : 0

/**
 * What the history does not tell the cost of, filled in as its owner would: a worksheet, and its rows back as opening lots,
 * at the market value that it proposes. Null where nothing is to be filled in.
 */
async function fillIn(context: CommandContext): Promise<ExitCode | null> {
  const config = requiredConfig(context)
  const engine = engineSettings(config.engine)
  const file = join(context.dir, 'reports', 'worksheet.csv')
  const ledger = await openLedger(context.dir, { engine })
  let count: number
  try {
    const { columns, rows } = await worksheet(ledger)
    const basis = columns.findIndex(({ name }) => name === 'basis')
    const known = (await allRows(rows)).filter((row) => row[basis] !== null)
    count = known.length
    if (count === 0) return null
    ensureFolder(join(context.dir, 'reports'))
    await writeFileFrom(nodeDisk, file, csvText(columns, asBatches(known)))
  } finally {
    ledger.close()
  }
  const books = await openBooks(context.dir, {
    clock: context.clock,
    command: 'demo',
    onNote: context.tell,
    engine,
  })
  try {
    await importInto(books, await readImport(nodeDisk, 'lots', file, { dir: context.dir }), {
      id: context.run,
      clock: context.clock,
    })
    const built = await buildBooks(context, config, books, { publishAnyway: false })
    context.print(
      `${count} arrivals had no known cost: the worksheet proposes their market value of that day, and the demo takes it ` +
        `(${file}). Of your own coins you would put in what they cost.`,
    )
    context.print(describeBreaks(built))
    return codeOf(built)
  } finally {
    await books.close()
  }
}

/** Rows of a report that the demo prints; the files hold all of them. */
const ROWS_SHOWN = 24

/** Prints the beginning of each report, and writes all of it as CSV beside the books. */
async function showReports(context: CommandContext): Promise<void> {
  const ledger = await openLedger(context.dir, { engine: engineSettings(optionalConfig(context).engine) })
  try {
    const folder = join(context.dir, 'reports')
    ensureFolder(folder)
    const terminal = terminalOf(context)
    const destination = { out: folder, dir: context.dir, terminal: { ...terminal, tell: () => undefined } }
    for (const name of DEMO_REPORTS) {
      const report = await makeReport(ledger, name)
      const rows = await allRows(report.rows)
      const shown = { ...report, rows: asBatches(rows.slice(0, ROWS_SHOWN)) }
      const file = await writeReport({ ...report, rows: asBatches(rows) }, 'csv', destination)
      context.print(`\n${await printReport(shown)}`)
      const rest = rows.length - ROWS_SHOWN
      context.print(rest > 0 ? `${rest} more rows in ${file}` : `As CSV: ${file}`)
    }
    context.print('')
  } finally {
    ledger.close()
  }
}

/** What the accounts look like now, from the feeds that tell of the present. */
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

async function showPresent(context: CommandContext): Promise<void> {
  const ledger = await openLedger(context.dir, { engine: engineSettings(optionalConfig(context).engine) })
  try {
    for (const [title, query] of PRESENT) {
      const { columns, rows } = await ledger.stream(query)
      context.print(`${title}\n\n${printTable(columns, await allRows(rows))}\n`)
    }
  } finally {
    ledger.close()
  }
}
