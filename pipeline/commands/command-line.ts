// The command line: parses the arguments, runs the command, and turns its result or error into an exit code and a message.
import { randomUUID } from 'node:crypto'
import yargs, { type Argv } from 'yargs'
import { Parser } from 'yargs/helpers'
import { TieoutError, UsageError } from '../../models/error.ts'
import { optionsToRepeat, pasteable } from '../../models/suggested.ts'
import { forTerminal } from '../../models/text.ts'
import type { GlobalArguments } from '../config/context.ts'
import { logsAlone } from '../config/log-level.ts'
import { packageVersion } from '../config/root.ts'
import type { Output, Surroundings } from '../config/surroundings.ts'
import { USUAL_FOLDER } from '../config/usual-folder.ts'
import type { Begun } from './command.ts'
import { commands } from './index.ts'

/** Runs the command named by the words and returns its exit code. Ends what `alreadyBegun` holds. */
export async function runCommandLine(
  words: readonly string[],
  given: Surroundings,
  alreadyBegun?: Begun,
): Promise<number> {
  const surroundings = { run: randomUUID(), ...given }
  const { stdout, stderr } = surroundings
  const outputs = [watched(stdout, 'standard output'), watched(stderr, 'standard error')]
  /** Read before the words are validated, because errors in them are reported with these too. */
  const read = Parser([...words], { string: ['dir', 'config'] })
  const level = String(read.logLevel)
  const options = optionsToRepeat({ dir: oneText(read.dir), config: oneText(read.config) })
  let code = 0
  let begun = alreadyBegun
  const parser: Argv = yargs(marked(words))
    .scriptName('tieout')
    .usage(
      '$0 <command>\n\nFetch a trading account’s whole history, keep it, and prove that the books agree.',
    )
    .option('dir', {
      type: 'string',
      defaultDescription: `"${USUAL_FOLDER}"`,
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
      requiresArg: true,
    })
    .option('now', {
      type: 'string',
      describe: 'Run as if the clock stood at this ISO-8601 time at the start',
      global: true,
      requiresArg: true,
    })
    .option(NO_OPTION, { type: 'boolean', hidden: true, global: true })
    .command(
      commands.map(({ command, describe, load }) => ({
        command,
        describe,
        builder: async (parser: Argv, asksForHelp: boolean) => {
          const named = await load()
          if (!asksForHelp) begun ??= named.begin()
          return named.builder(parser)
        },
        handler: async (args: unknown) => {
          code = await (await load()).run(args as GlobalArguments, surroundings, begun)
        },
      })) as never,
    )
    // Not by `.completion`, which answers `--help` with the script.
    .command(
      'completion',
      'Print a script that completes commands and options in bash or zsh',
      (own: Argv) => own.example('$0 completion >> ~/.bashrc', 'or ~/.zshrc'),
      () => void parser.showCompletionScript(),
    )
    .demandCommand(1, 'Name a command.')
    .strict()
    .middleware(unmark, true)
    .check(mustBeOneEach, true)
    .recommendCommands()
    .updateStrings({
      'Not enough non-option arguments: got %s, need at least %s': {
        one: 'Too few arguments: got %s, at least %s needed.',
        other: 'Too few arguments: got %s, at least %s needed.',
      } as never,
      'Implications failed:': 'An option requires another option, which is missing:',
      'Did you mean %s?': 'Unknown command. Did you mean %s?',
    })
    .wrap(helpWidth(stdout))
    .version(packageVersion)
    .help()
    .exitProcess(false)
    .fail((message, error, instance) => {
      if (error) throw error
      const text = message.replaceAll(NO_OPTION, '')
      // No option begins with a single dash.
      const isDashed = words.some((word) => /^-[^-\d]/.test(word)) && !words.includes('--')
      const dashed = isDashed ? ' Put arguments that begin with a dash but are not options after `--`.' : ''
      if (logsAlone(level)) throw new UsageError(text, { action: `See \`tieout --help\`.${dashed}` })
      instance.showHelp((help) => stderr.write(`${help}\n`))
      stderr.write(`\ntieout: ${forTerminal(text)}\n  next:     See the usage above.${dashed}\n`)
      throw new Handled()
    })
  try {
    await parser.parseAsync()
    // A failure of the last write is reported a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    for (const { failure } of outputs) if (failure !== null) throw failure
    return code
  } catch (error) {
    return error instanceof Handled
      ? 2
      : await reportFailure(
          outputs.find(({ failure }) => failure !== null)?.failure ?? understood(error),
          { level, options },
          surroundings,
        )
  } finally {
    await begun?.end()
  }
}

/** Prefix for a word that is not an option, whatever it begins with. No command-line argument can contain this character. */
const NO_OPTION = '\0'

/**
 * yargs withholds everything after `--` from the commands, and mistakes SQL that begins with a comment for an option. Here,
 * nothing after `--` is an option, nor is a word with white space in its name. `--` is replaced by an option without a value,
 * so that no option before it consumes what follows.
 */
function marked(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  const mark = (word: string): string => `${NO_OPTION}${word}`
  const isNone = (word: string): boolean => /^--[^=\s]*\s/.test(word)
  const before = (end < 0 ? words : words.slice(0, end)).map((word) => (isNone(word) ? mark(word) : word))
  return end < 0 ? before : [...before, `--${NO_OPTION}`, ...words.slice(end + 1).map(mark)]
}

/** The words as they were given. */
function unmark(given: Record<string, unknown>): void {
  const plain = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(NO_OPTION) ? value.slice(NO_OPTION.length) : value
  delete given[NO_OPTION]
  for (const [name, value] of Object.entries(given))
    given[name] = Array.isArray(value) ? value.map(plain) : plain(value)
}

/** Width of the help: that of the terminal, but between 80 and 110 columns. */
export const helpWidth = ({ isTTY, columns = 0 }: Pick<Output, 'isTTY' | 'columns'>): number =>
  isTTY === true && columns > 0 ? Math.min(110, Math.max(80, columns)) : 110

/** yargs turns a single-value option given twice into a list, and a value that is not a number into NaN. Both are refused. */
function mustBeOneEach(given: Readonly<Record<string, unknown>>, options: unknown): true {
  const { array, narg } = options as {
    readonly array: readonly string[]
    readonly narg: Readonly<Record<string, number>>
  }
  const lists = new Set(['_', ...array])
  for (const [name, value] of Object.entries(given)) {
    if (lists.has(name)) continue
    // A script with an unset variable passes `--out ""`.
    if (value === '' && name in narg) throw withoutValue(name)
    const isNoNumber = typeof value === 'number' && !Number.isFinite(value)
    if (!isNoNumber && !Array.isArray(value)) continue
    throw new UsageError(`--${name} is ${isNoNumber ? 'not a number' : 'given more than once'}.`, {
      where: `--${name}`,
      expected: isNoNumber ? 'a number' : 'one value',
      ...(isNoNumber ? {} : { found: (value as unknown[]).join(', ') }),
      action: 'Correct the options.',
    })
  }
  return true
}

interface Watched {
  /** The first error in writing to it. */
  failure: TieoutError | null
}

/**
 * A reader that goes away (`| head`, a closed terminal) changes nothing: the work runs to its end, with its messages and exit
 * code. Any other write error is reported at the end. Without a listener, the stream's error would end the process immediately.
 */
function watched(stream: Surroundings['stdout'], name: string): Watched {
  const output: Watched = { failure: null }
  stream.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EPIPE' || (cause.code === 'EIO' && stream.isTTY === true)) return
    output.failure ??= new TieoutError(`The ${name} could not be written.`, {
      where: name,
      found: cause.message,
      action: 'Make room there, or name a file elsewhere with --out.',
      cause,
    })
  })
  return output
}

/** Turns the errors that yargs throws instead of reporting (an option of a command without its value) into a UsageError. */
function understood(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'YError') return error
  const option = /^Not enough arguments following: (.+)$/.exec(error.message)?.[1]
  if (option === undefined) return new UsageError(error.message, { action: 'See `tieout --help`.' })
  return withoutValue(option)
}

const withoutValue = (option: string): UsageError =>
  new UsageError(`--${option} has no value.`, {
    where: `--${option}`,
    expected: 'a value after it',
    action: `Give a value or omit the option. A value that begins with a dash is written --${option}=-VALUE.`,
  })

/** The value of an option that was given once. */
const oneText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A usage error whose message has been shown already. */
class Handled extends Error {}

/** Reports an error, as a log line if standard error carries logs only, and returns its exit code. */
async function reportFailure(
  error: unknown,
  { level, options }: { readonly level: string; readonly options: string },
  { stderr, run }: Surroundings & { readonly run: string },
): Promise<number> {
  if (logsAlone(level)) {
    const { logFailure, openStandardError } = await import('../config/log.ts')
    logFailure(openStandardError(level, stderr, run).log, error)
  } else printFailure(error, stderr, options)
  return error instanceof TieoutError ? error.exitCode : 1
}

/** Prints an error for people. Anything but a TieoutError is called unexpected, with its cause. */
function printFailure(error: unknown, stderr: Surroundings['stderr'], options: string): void {
  if (error instanceof TieoutError) {
    stderr.write(`tieout: ${error.describe((action) => pasteable(action, options))}\n`)
    return
  }
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(`tieout: Unexpected error: ${forTerminal(message)}\n`)
  stderr.write(
    '  next:     Progress is kept. Run again; if it persists, report it with --log-level debug output.\n',
  )
  if (process.env.TIEOUT_DEBUG !== undefined && error instanceof Error) stderr.write(`${error.stack}\n`)
}
