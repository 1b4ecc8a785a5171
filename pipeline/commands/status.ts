// `tieout status`: the state of the books, from the published ledger, even while a run is writing.
import { type ExitCode, UsageError } from '../../models/error.ts'
import type { CommandContext } from '../config/context.ts'
import { inkFor } from '../output/ink.ts'
import { hasOpenBreaks, isStale, readStatus, type Status } from '../reports/status.ts'
import { describeStatus, duration, verdict } from '../reports/status-text.ts'
import { defineCommand, terminalOf, wideOption } from './command.ts'
import { engineConfig, readingOptions } from './engine.ts'
import { engineOptions } from './engine-options.ts'

export const statusCommand = defineCommand({
  example: ['$0 status --json --max-age 36h', 'for monitoring; exit code 3 means open breaks or stale books'],
  options: (parser) =>
    parser
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' })
      .option('wide', wideOption)
      .option('max-age', {
        type: 'string',
        describe: 'Exit with code 3 if the last good run ended longer ago than this: 90min, 36h, 2d',
        requiresArg: true,
      })
      .options(engineOptions),
  run: async (context, args): Promise<ExitCode> => {
    const config = engineConfig(context, args)
    const given = args['max-age']
    const maxAgeMs = given === undefined ? null : readAge(given)
    const retentionDays = config.venue.retention_days
    const status = await readStatus(context.dir, {
      now: context.now(),
      retentionDays,
      asked: { accounts: Object.keys(config.accounts), feeds: config.history.feeds },
      ...readingOptions(context, config),
    })
    if (args.json) context.print(JSON.stringify(status, null, 2))
    else showStatus(context, status, { maxAgeMs, isWide: args.wide })
    if (status.publishedAt === null) return 3
    const isOld = maxAgeMs !== null && isStale(status, maxAgeMs)
    if (isOld) context.tell(tooOld(status.lastGoodRunAt, context.now(), String(given)))
    return isOld || hasOpenBreaks(status) ? 3 : 0
  },
})

/** Prints the verdict in its colour, then the rest of the status. */
function showStatus(
  context: CommandContext,
  status: Status,
  { maxAgeMs, isWide }: { readonly maxAgeMs: number | null; readonly isWide: boolean },
): void {
  const { width } = terminalOf(context)
  const form = { maxAgeMs, ...(width === undefined || isWide ? {} : { width }) }
  const { meaning, text } = verdict(status)
  context.stdout.write(`${inkFor(context.stdout).mark(meaning, text)}\n`)
  context.advise(describeStatus(status, form).slice(text.length + 1), { wide: isWide })
}

function tooOld(lastGoodRunAt: string | null, now: number, maxAge: string): string {
  if (lastGoodRunAt === null)
    return 'tieout: No run of these books has yet fetched everything that the configuration asks for.'
  const age = duration(now - Date.parse(lastGoodRunAt))
  return `tieout: The last good run ended ${lastGoodRunAt}, ${age} ago; --max-age allows ${maxAge}.`
}

const UNITS_MS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration as given on the command line, in milliseconds. */
function readAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(min|h|d)$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (unitMs !== undefined) return Number(count) * unitMs
  throw new UsageError('--max-age is not a duration.', {
    where: '--max-age',
    expected: 'a number with min, h or d, such as 36h',
    found: text,
    action: 'Correct it.',
  })
}
