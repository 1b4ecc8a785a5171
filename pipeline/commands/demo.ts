// The whole program in one command: a sandbox venue, a nightly run against it over HTTP, the reports,
// and a comparison with the sandbox's truth.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { days as daysOf, retentionOf } from '../../connectors/endpoint.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { closing } from '../../models/closing.ts'
import { type ExitCode, UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { counted } from '../../models/text.ts'
import { writeSandboxConfig } from '../../sandbox/index.ts'
import { ensureFolder, openBooks, openBooksFor } from '../books/books.ts'
import { importInto, readImport } from '../books/import.ts'
import { buildBooks, syncBooks } from '../books/night.ts'
import { type CommandContext, parseInstant, requiredConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { nodeDisk } from '../journal/disk.ts'
import { acquireLock } from '../journal/lock.ts'
import type { BuildResult } from '../ledger/build.ts'
import { openLedger } from '../ledger/ledger.ts'
import { allRows, asBatches } from '../output/column.ts'
import { csvText } from '../output/csv.ts'
import { writeFileFrom } from '../output/deliver.ts'
import { buildJson } from '../reports/summary.ts'
import { worksheet } from '../reports/worksheet.ts'
import { defineCommand, jsonOption, worst } from './command.ts'
import { showBooks, writeReports } from './demo/books.ts'
import { compareWithTruth } from './demo/compare.ts'
import { daysOption, pagingOption, seedOption, startSandboxOf } from './demo/sandbox.ts'
import { tellPrices } from './fetch.ts'
import { startProgress } from './progress.ts'

/** Marks a folder that contains a demo's books, which the next demo may replace. */
const MARKER = '.tieout-demo'

/** Refill the rate budgets this many times as fast as documented, so that a year fits into a minute. */
const DEMO_SPEED = 100

export const demoCommand = defineCommand({
  example: ['$0 demo --seed 2 --days 90', 'another account’s quarter'],
  options: (parser) =>
    parser
      .option('seed', seedOption)
      .option('days', daysOption)
      .option('paging', pagingOption)
      .option('json', jsonOption),
  run: async (given, args) => {
    const context = args.json ? { ...given, print: () => undefined } : given
    // An earlier demo's books are removed only once this one can start.
    mustBeDemoFolder(context)
    const sandbox = await startSandboxOf({
      seed: args.seed,
      days: args.days,
      speed: DEMO_SPEED,
      ...(args.paging === undefined ? {} : { paging: args.paging }),
      now: new Date(args.now === undefined ? context.clock.wall() : parseInstant(args.now, '--now')),
    })
    return await closing(sandbox, async () => {
      await emptyDemoFolder(context)
      await writeSandboxConfig(context.dir, sandbox, { speed: DEMO_SPEED })
      context.print(
        `A sandbox venue with ${sandbox.accounts.length} accounts and ${counted(args.days, 'day')} of history (seed ${args.seed}).`,
      )
      const caution = beyondMemory(args.days)
      if (caution !== '') context.print(caution)
      const codes = await night(context)
      const built = (await fillIn(context)) ?? codes.built
      const reports = await writeReports(context)
      const comparison = await compareWithTruth(context.dir, sandbox.truth(), caution === '')
      if (args.json) {
        const { seed, days } = args
        const paths = reports.files.map(({ path }) => path)
        const answer = {
          ...{ seed, days, ...codes.sync, ...buildJson(built) },
          ...{ reports: paths, paper: reports.paper, comparison },
        }
        given.print(JSON.stringify(answer, null, 2))
      } else await showBooks(context, { built, reports, comparison })
      return comparison.differences.length > 0 ? 1 : worst([codes.fetched, codeOf(built)])
    })
  },
})

/** A caution if the history is longer than the venue remembers, else empty. */
export function beyondMemory(days: number): string {
  const remembered = Math.floor(retentionOf(taxRecords) / daysOf(1))
  if (days < remembered) return ''
  return (
    `The venue keeps only ${remembered} days of unified records. Anything older cannot be fetched, so futures figures ` +
    'are not compared with those of the sandbox, which cover the whole history.'
  )
}

/**
 * The names in the folder, which a demo may remove. Any other books are refused, and a folder that cannot be written;
 * one that is missing is not made yet.
 */
function mustBeDemoFolder({ dir }: CommandContext): string[] {
  if (!existsSync(dir)) return []
  ensureFolder(dir)
  const found = namesIn(dir)
  if (found.length > 0 && !existsSync(join(dir, MARKER))) {
    throw new UsageError('The folder contains books that are not a demo’s.', {
      where: dir,
      expected: 'an empty folder, or one created by an earlier demo',
      found: found.slice(0, 5).join(', '),
      action: 'Choose another folder with --dir.',
    })
  }
  return found
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (cause) {
    throw new UsageError('The demo’s folder cannot be read.', {
      where: dir,
      expected: 'a folder, or an unused name',
      found: systemWords(cause),
      action: 'Choose another folder with --dir.',
      cause,
    })
  }
}

/** Makes the folder, and removes what an earlier demo left. */
async function emptyDemoFolder(context: CommandContext): Promise<void> {
  const { dir } = context
  ensureFolder(dir)
  const found = mustBeDemoFolder(context)
  // A demo still running in this folder holds the lock, so its books are not removed.
  const lock = await acquireLock(dir, 'demo', context.clock)
  for (const name of found) rmSync(join(dir, name), { recursive: true, force: true })
  await lock.release()
  writeFileSync(join(dir, MARKER), 'The next tieout demo replaces everything in this folder.\n')
}

interface Night {
  /** The exit code of the fetch. */
  readonly fetched: ExitCode
  readonly sync: { readonly rows: number; readonly requests: number }
  readonly built: BuildResult
}

async function night(context: CommandContext): Promise<Night> {
  const config = requiredConfig(context)
  const books = await openBooksFor(context, config, { command: 'demo' })
  const progress = await startProgress(context, config, 'demo')
  const close = (): Promise<void> => {
    progress.stop()
    return books.close()
  }
  return await closing(close, async () => {
    const result = await syncBooks(context, config, books, {}, 'demo', progress.report)
    progress.fetched()
    context.print(
      `Fetched ${counted(result.rows, 'row')} in ${counted(result.requests, 'request')}, within the rate budgets.`,
    )
    const built = await buildBooks(context, config, books, { publishAnyway: false, fetchesPrices: true })
    tellPrices(context, built.prices)
    return {
      fetched: worst([result.refusals.length > 0 ? 4 : 0, result.incomplete ? 5 : 0]),
      sync: { rows: result.rows, requests: result.requests },
      built,
    }
  })
}

const codeOf = ({ breaks }: Pick<BuildResult, 'breaks'>): ExitCode =>
  breaks.error + breaks.warning > 0 ? 3 : 0

/**
 * Fills in the arrivals without a known cost as their owner would: writes a worksheet and imports its rows as opening lots,
 * at the market value that it proposes. Null if there is nothing to fill in.
 */
async function fillIn(context: CommandContext): Promise<BuildResult | null> {
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
  return await closing(books, async () => {
    await importInto(books, await readImport(nodeDisk, 'lots', file, { dir: context.dir }), {
      id: context.run,
      clock: context.clock,
      now: Math.max(context.now(), context.clock.wall()),
    })
    const built = await buildBooks(context, config, books, { publishAnyway: false })
    context.print(
      `${count} arrivals had no known cost: the demo uses their market value on the day (reports/worksheet.csv).\n` +
        'For your own coins, you would enter what they cost.',
    )
    return built
  })
}
