// Commands that fetch from the venue, or plan to: plan, sync, nightly.

import type { Argv } from 'yargs'
import { closing } from '../../models/closing.ts'
import { type ExitCode, TieoutError, UsageError } from '../../models/error.ts'
import { counted } from '../../models/text.ts'
import { openBooksFor, readLanding } from '../books/books.ts'
import {
  buildBooks,
  chosenAccounts,
  chosenFeeds,
  configuredLots,
  mustHaveBegun,
  type Selection,
  syncBooks,
} from '../books/night.ts'
import type { Config } from '../config/config.ts'
import { type CommandContext, parseInstant, requiredConfig } from '../config/context.ts'
import { readAccounts, requireCredentials } from '../config/credentials.ts'
import { engineSettings } from '../engine/settings.ts'
import type { BuildResult } from '../ledger/build.ts'
import type { Column } from '../output/column.ts'
import { ROWS_ON_SCREEN } from '../output/screen.ts'
import type { FetchOutcome } from '../prices/fetch.ts'
import { buildJson, closingLine, describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { planRun, type RunPlan } from '../sync/plan-run.ts'
import type { SyncResult } from '../sync/sync.ts'
import { defineCommand, jsonOption, printRows, terminalOf, wideOption, worst } from './command.ts'
import { notifying } from './notifying.ts'
import { startProgress } from './progress.ts'

interface SelectionArguments {
  readonly accounts?: string[] | undefined
  readonly feeds?: string[] | undefined
  readonly from?: string | undefined
}

const selectionOptions = (parser: Argv): Argv<SelectionArguments> =>
  parser
    .option('accounts', { type: 'string', array: true, describe: 'Only these accounts', requiresArg: true })
    .option('feeds', { type: 'string', array: true, describe: 'Only these feeds', requiresArg: true })
    .option('from', { type: 'string', describe: 'Not further back than this date', requiresArg: true })

/** Names may be given as separate words or with commas between them. */
const names = (given: readonly string[] | undefined): string[] | undefined =>
  given
    ?.flatMap((name) => name.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')

function selection(context: CommandContext, args: SelectionArguments): Selection {
  const since = args.from === undefined ? undefined : parseInstant(args.from, '--from')
  if (since !== undefined && since > context.now()) {
    throw new UsageError('--from lies in the future.', {
      where: '--from',
      expected: `a date before ${new Date(context.now()).toISOString()}`,
      found: args.from as string,
      action: 'Correct the date.',
    })
  }
  return { accounts: names(args.accounts), feeds: names(args.feeds), since }
}

const PLAN_COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'feed' },
  { name: 'partition' },
  { name: 'from', kind: 'time' },
  { name: 'to', kind: 'time' },
  { name: 'windows', kind: 'number' },
  { name: 'requests', kind: 'number' },
]

const PLANNED_ACCOUNT_COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'partitions', kind: 'number' },
  { name: 'requests', kind: 'number' },
  { name: 'minutes', kind: 'number' },
]

/** Prints each partition; if those do not fit on a terminal, each account instead, slowest first. */
async function showPlan(context: CommandContext, plan: RunPlan, wide: boolean): Promise<void> {
  const { partitions, accounts } = plan
  if (terminalOf(context).width !== undefined && !wide && partitions.length > ROWS_ON_SCREEN) {
    const longest = accounts.toSorted(
      (one, other) => other.minutes - one.minutes || other.requests - one.requests,
    )
    const rows = longest.map((one) => [one.account, one.partitions, one.requests, one.minutes])
    await printRows(context, PLANNED_ACCOUNT_COLUMNS, rows, { wide })
    context.print(`${partitions.length} feeds and partitions; --wide or --json lists each.`)
    return
  }
  const rows = partitions.map((one) => [
    one.account,
    one.feed,
    one.partition,
    one.from,
    one.to,
    one.windows,
    one.requests,
  ])
  const importance = ['account', 'feed', 'requests', 'partition', 'from', 'to']
  await printRows(context, PLAN_COLUMNS, rows, { wide, importance })
}

export const planCommand = defineCommand({
  example: ['$0 plan --accounts main --from 2026-01-01', 'the plan of one account since New Year'],
  options: (parser) => selectionOptions(parser).option('json', jsonOption).option('wide', wideOption),
  run: async (context, args) => {
    const config = requiredConfig(context)
    // A plan of a run that would be refused is no plan.
    configuredLots(config, context.configFile)
    mustHaveBegun(config, context.now())
    const chosen = selection(context, args)
    const accounts = chosenAccounts(config, chosen)
    const feeds = chosenFeeds(config, chosen)
    const landing = await readLanding(context.dir, engineSettings(config.engine))
    const close = () => landing?.close()
    return await closing(close, async (): Promise<ExitCode> => {
      const plan = await planRun({ landing, config, accounts, feeds, since: chosen.since, now: context.now })
      if (args.json) {
        context.print(JSON.stringify(plan, null, 2))
        return 0
      }
      await showPlan(context, plan, args.wide)
      context.print(
        `${counted(plan.requests, 'request')}, at least ${counted(plan.minutes, 'minute')} under the rate budgets.`,
      )
      tellMissing(context, config, accounts)
      return 0
    })
  },
})

/** A plan needs no credentials; this reports what would be missing for an actual run. */
function tellMissing(context: CommandContext, config: Config, accounts: readonly string[]): void {
  try {
    const chosen = readAccounts(config, context.dir, process.env).filter(({ name }) =>
      accounts.includes(name),
    )
    requireCredentials(chosen, config, context.dir)
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error
    context.tell(
      `Not yet ready for a run: ${error.message}${error.details.where === undefined ? '' : ` (${error.details.where})`}`,
    )
  }
}

/** Reports the result of a sync for people, and returns its exit codes. */
function tellSync(context: CommandContext, result: SyncResult): ExitCode[] {
  const codes: ExitCode[] = []
  context.tell(
    `${counted(result.rows, 'row')} in ${counted(result.requests, 'request')} (${counted(result.retries, 'retry', 'retries')}).`,
  )
  for (const failure of result.failures) context.tell(`tieout: ${failure.text}`)
  if (result.misconfigured) codes.push(2)
  if (result.refusals.length > 0) codes.push(4)
  if (result.incomplete) {
    context.tell('Incomplete: not every range could be read. Progress is kept; run again.')
    codes.push(5)
  }
  return codes
}

export const syncCommand = defineCommand({
  example: ['$0 sync --feeds tax.records', 'only the unified tax records'],
  options: (parser) => selectionOptions(parser).option('json', jsonOption),
  run: async (context, args) => {
    return notifying(context, 'sync', async (config, progressed) => {
      const chosen = selection(context, args)
      const books = await openBooksFor(context, config, { command: 'sync' })
      const progress = await startProgress(context, config, 'sync')
      const close = (): Promise<void> => {
        progress.stop()
        return books.close()
      }
      return await closing(close, async (): Promise<ExitCode> => {
        const result = await syncBooks(context, config, books, chosen, 'sync', progress.report)
        progressed.sync = result
        progress.fetched()
        if (args.json) context.print(JSON.stringify(syncJson(result), null, 2))
        const codes = tellSync(context, result)
        if (!result.incomplete) context.tell('Next: run `tieout build` to build the ledger.')
        return worst(codes)
      })
    })
  },
})

/** The result of a sync, for a script. */
const syncJson = ({ requests, rows, retries, incomplete, refusals, failures }: SyncResult) => ({
  requests,
  rows,
  retries,
  incomplete,
  refused: refusals.length > 0,
  failures: failures.map(({ account, class: name, message }) => ({ account, class: name, message })),
})

/** Reports what a build found and whether it was published. Code 3 with open breaks of severity error or warning, else 0. */
function tellBuild(context: CommandContext, result: BuildResult, sync: SyncResult, json: boolean): ExitCode {
  const answer = { ...syncJson(sync), ...buildJson(result) }
  if (json) context.print(JSON.stringify(answer, null, 2))
  else context.advise(describeBreaks(result))
  if (!result.published) context.tell(NOT_PUBLISHED)
  context.tell(closingLine(result))
  return result.breaks.error + result.breaks.warning > 0 ? 3 : 0
}

/** Reports the prices fetched; nothing if no source is configured. Pending prices are listed among the breaks. */
export function tellPrices(context: CommandContext, prices: FetchOutcome | null): void {
  if (prices === null) return
  context.tell(`${prices.prices} prices in ${counted(prices.requests, 'request')}.`)
  for (const problem of prices.problems) context.tell(`tieout: prices pending: ${problem}`)
  if (prices.unreachable.length > 0)
    context.tell(`No configured source provides prices for ${prices.unreachable.join(', ')}.`)
}

export const nightlyCommand = defineCommand({
  example: ['$0 nightly', 'the one command to schedule every night'],
  options: (parser) =>
    selectionOptions(parser).option('json', jsonOption).option('publish-anyway', {
      type: 'boolean',
      default: false,
      describe: 'Publish even when checks fail at severity error',
    }),
  run: async (context, args) => {
    return notifying(context, 'nightly', async (config, progressed) => {
      const chosen = selection(context, args)
      const books = await openBooksFor(context, config, { command: 'nightly' })
      const progress = await startProgress(context, config, 'nightly')
      const close = (): Promise<void> => {
        progress.stop()
        return books.close()
      }
      return await closing(close, async (): Promise<ExitCode> => {
        const result = await syncBooks(context, config, books, chosen, 'nightly', progress.report)
        progressed.sync = result
        progress.fetched()
        const codes = tellSync(context, result)
        const built = await buildBooks(context, config, books, {
          publishAnyway: args['publish-anyway'],
          fetchesPrices: true,
          // If the run was asked to stop, what it had received by then is still published.
          ...(context.signal.aborted ? { signal: undefined } : {}),
        })
        progressed.build = built
        tellPrices(context, built.prices)
        return worst([...codes, tellBuild(context, built, result, args.json)])
      })
    })
  },
})
