#!/usr/bin/env node
// The command line. It parses, hands over, and turns what comes back, or goes wrong, into an exit code and a clear message.
import yargs from 'yargs'
import { hideBin } from 'yargs/helpers'
import { TieoutError } from '../models/error.ts'
import { forTerminal } from '../models/text.ts'
import { booksCommands } from './commands/books.ts'
import { callCommands } from './commands/call.ts'
import { demoCommand } from './commands/demo.ts'
import { explainCommand } from './commands/explain.ts'
import { explainBreakCommand } from './commands/explain-break.ts'
import { exportCommand } from './commands/export.ts'
import { fetchCommands } from './commands/fetch.ts'
import { importCommand } from './commands/import.ts'
import { readCommands } from './commands/read.ts'
import { setupCommands } from './commands/setup.ts'
import { tablesCommand } from './commands/tables.ts'
import { packageVersion } from './config/root.ts'

/** Prints an error for people; what is not ours to explain is called unexpected, with its cause. */
function reportFailure(error: unknown): number {
  if (error instanceof TieoutError) {
    process.stderr.write(`tieout: ${error.describe()}\n`)
    return error.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`tieout: An unexpected error: ${forTerminal(message)}\n`)
  process.stderr.write(
    '  next:     Progress is kept. Run again; if it stays, report it with --log-level debug output.\n',
  )
  if (process.env.TIEOUT_DEBUG !== undefined && error instanceof Error)
    process.stderr.write(`${error.stack}\n`)
  return 1
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
  .command([
    demoCommand,
    ...setupCommands,
    ...fetchCommands,
    ...booksCommands,
    importCommand,
    exportCommand,
    ...readCommands,
    tablesCommand,
    explainCommand,
    explainBreakCommand,
    ...callCommands,
  ] as never)
  .demandCommand(1, 'Name a command.')
  .strict()
  .recommendCommands()
  .wrap(110)
  .version(packageVersion)
  .help()
  .exitProcess(false)
  .fail((message, error, instance) => {
    if (error) throw error
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
  if (!(error instanceof Handled)) process.exitCode = reportFailure(error)
}
