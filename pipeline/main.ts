#!/usr/bin/env node
// The command line. It parses, hands over, and turns what comes back, or goes wrong, into an exit code and a clear message.
import yargs, { type Argv } from 'yargs'
import { hideBin, Parser } from 'yargs/helpers'
import { TieoutError, UsageError } from '../models/error.ts'
import { forTerminal } from '../models/text.ts'
import { commands } from './commands/index.ts'
import type { GlobalArguments } from './config/context.ts'
import { logsAlone } from './config/log-level.ts'
import { packageVersion } from './config/root.ts'

/** Read before the words are judged: what is wrong with them is told by it too. */
const level = String(Parser(hideBin(process.argv)).logLevel)

/** The log of this process, where standard error is to hold nothing else; null where people read it. */
async function logAlone() {
  if (!logsAlone(level)) return null
  const { logFailure, openStandardError } = await import('./config/log.ts')
  const { log } = openStandardError(level)
  return (error: unknown): void => logFailure(log, error)
}

/** Tells an error and gives its exit code; what is not ours to explain is called unexpected, with its cause. */
async function reportFailure(error: unknown): Promise<number> {
  const exitCode = error instanceof TieoutError ? error.exitCode : 1
  const log = await logAlone()
  if (log !== null) log(error)
  else printFailure(error)
  return exitCode
}

function printFailure(error: unknown): void {
  if (error instanceof TieoutError) {
    process.stderr.write(`tieout: ${error.describe()}\n`)
    return
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`tieout: An unexpected error: ${forTerminal(message)}\n`)
  process.stderr.write(
    '  next:     Progress is kept. Run again; if it stays, report it with --log-level debug output.\n',
  )
  if (process.env.TIEOUT_DEBUG !== undefined && error instanceof Error)
    process.stderr.write(`${error.stack}\n`)
}

const parser = yargs(hideBin(process.argv))
  .scriptName('tieout')
  .usage('$0 <command>\n\nFetch a trading account’s whole history, keep it, and prove that the books agree.')
  .option('dir', {
    type: 'string',
    default: 'data/books',
    describe: 'Folder of the books',
    global: true,
    requiresArg: true,
  })
  .option('config', {
    type: 'string',
    describe: 'Configuration file (default: tieout.yaml in --dir)',
    global: true,
    requiresArg: true,
  })
  .option('log-level', {
    choices: ['silent', 'error', 'warn', 'info', 'debug'] as const,
    default: 'warn' as const,
    describe: 'Structured logs on standard error',
    global: true,
  })
  .option('now', {
    type: 'string',
    describe: 'Run as if the clock stood at this ISO-8601 time at the start',
    global: true,
    requiresArg: true,
  })
  .command(
    commands.map(({ command, describe, load }) => ({
      command,
      describe,
      builder: async (parser: Argv) => (await load()).builder(parser),
      handler: async (args: unknown) => {
        process.exitCode = await (await load()).run(args as GlobalArguments)
      },
    })) as never,
  )
  .demandCommand(1, 'Name a command.')
  .strict()
  .recommendCommands()
  .wrap(110)
  .version(packageVersion)
  .help()
  .exitProcess(false)
  .fail((message, error, instance) => {
    if (error) throw error
    if (logsAlone(level)) throw new UsageError(message, { action: 'See `tieout --help`.' })
    instance.showHelp('error')
    process.stderr.write(`\ntieout: ${forTerminal(message)}\n  next:     See the usage above.\n`)
    process.exitCode = 2
    throw new Handled()
  })

/** The message has been shown already. */
class Handled extends Error {}

try {
  await parser.parseAsync()
} catch (error) {
  if (!(error instanceof Handled)) process.exitCode = await reportFailure(error)
}
