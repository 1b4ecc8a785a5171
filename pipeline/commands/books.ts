// Commands that work on existing books, without the network: build, check, verify, rebuild.

import { closing } from '../../models/closing.ts'
import type { ExitCode } from '../../models/error.ts'
import { counted } from '../../models/text.ts'
import { type Books, openBooksFor } from '../books/books.ts'
import { buildBooks } from '../books/night.ts'
import { describeRepair, repairBooks } from '../books/repair.ts'
import { describeVerification, verifyBooks } from '../books/verify.ts'
import type { Config } from '../config/config.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { readErased } from '../journal/erase.ts'
import { buildJson, closingLine, describeBreaks, NOT_PUBLISHED, printBreaks } from '../reports/summary.ts'
import { defineCommand, jsonOption } from './command.ts'
import { engineConfig, mustBeFiles } from './engine.ts'
import { engineOptions } from './engine-options.ts'

const publishAnyway = {
  type: 'boolean',
  default: false,
  describe: 'Publish even when checks fail at severity error',
} as const

export const buildCommand = defineCommand({
  example: ['$0 build', 'after a change to the configuration'],
  options: (parser) =>
    parser
      .option('full', {
        type: 'boolean',
        default: false,
        describe: 'Rebuild every table, including unchanged ones',
      })
      .option('publish-anyway', publishAnyway)
      .option('json', jsonOption)
      .options(engineOptions),
  run: async (context, args) => {
    const config = engineConfig(context, args)
    const books = await openBooksFor(context, config, { command: 'build', existing: 'expected' })
    return await closing(books, () => buildAndTell(context, config, books, args))
  },
})

export const checkCommand = defineCommand({
  example: ['$0 check --json', 'the breaks, for a script; breaks explained by a note have status explained'],
  options: (parser) => parser.option('json', jsonOption).options(engineOptions),
  run: async (context, args) => {
    const config = engineConfig(context, args)
    const books = await openBooksFor(context, config, { command: 'check', existing: 'needed' })
    return await closing(books, async () => {
      const result = await buildBooks(context, config, books, { publishAnyway: false, publish: false })
      const found = [...result.openBreaks, ...result.explainedBreaks]
      const say = args.json ? context.print : context.advise
      say(printBreaks(found, args.json, context.now()))
      if (!args.json && found.length > 0) context.tell(NEXT_OF_CHECK)
      return result.breaks.error + result.breaks.warning > 0 ? 3 : 0
    })
  },
})

const NEXT_OF_CHECK =
  'Next: run `tieout explain ID` to see the records behind a break, or `tieout explain-break ID --note "…"` to explain it.'

export const verifyCommand = defineCommand({
  example: ['$0 verify', 'before a filing, or after a restore'],
  options: (parser) =>
    parser
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' })
      .option('rebuild', {
        type: 'boolean',
        default: false,
        describe: 'Also compare the published ledger with a full build, table by table',
      })
      .option('repair', {
        type: 'boolean',
        default: false,
        describe: 'If the journal is damaged: keep every intact frame and set the rest aside',
      }),
  run: async (context, args) => {
    const config = optionalConfig(context)
    if (args.rebuild) mustBeFiles(config, 'verify --rebuild')
    const repair = args.repair ? await repairBooks(context, config) : null
    // Printed before anything else can fail: the next run finds an intact journal and nothing left to report.
    if (repair !== null && !args.json) context.advise(describeRepair(repair))
    const result = await verifyBooks(context, config, args).catch((error: unknown) => {
      if (repair !== null && args.json) context.tell(describeRepair(repair))
      throw error
    })
    if (args.json) context.print(JSON.stringify(args.repair ? { repair, ...result } : result, null, 2))
    else {
      if (args.repair && repair === null)
        context.print(result.problems.length === 0 ? 'The journal needs no repair.' : NOTHING_TO_KEEP)
      context.advise(describeVerification(result))
    }
    return result.problems.length === 0 ? 0 : 1
  },
})

const NOTHING_TO_KEEP =
  'No frame of the journal is intact, so a repair has nothing to keep. Restore the journal folder from a backup.'

export const rebuildCommand = defineCommand({
  example: ['$0 rebuild', 'after an update, or if landing.duckdb was lost'],
  options: (parser) => parser.option('publish-anyway', publishAnyway).option('json', jsonOption),
  run: async (context, args) => {
    const config = optionalConfig(context)
    const books = await openBooksFor(context, config, {
      command: 'rebuild',
      existing: 'needed',
      rebuild: true,
    })
    return await closing(books, async () => {
      context.tell(`Landed ${counted(books.landing.landedSeq, 'frame')} again.`)
      const erased = await readErased(context.dir)
      if (erased.length > 0)
        context.tell(
          `Erased earlier, so without rows: ${erased.length === 1 ? 'frame' : 'frames'} ${erased.join(', ')}.`,
        )
      return await buildAndTell(context, config, books, { ...args, full: true })
    })
  },
})

interface BuildArguments {
  readonly json: boolean
  readonly full: boolean
  readonly 'publish-anyway': boolean
}

async function buildAndTell(
  context: CommandContext,
  config: Config,
  books: Books,
  { json, full, 'publish-anyway': anyway }: BuildArguments,
): Promise<ExitCode> {
  const result = await buildBooks(context, config, books, { publishAnyway: anyway, full })
  if (json) context.print(JSON.stringify(buildJson(result), null, 2))
  else context.advise(describeBreaks(result))
  context.tell(closingLine(result))
  if (result.published) return 0
  context.tell(NOT_PUBLISHED)
  return 1
}
