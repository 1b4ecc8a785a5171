// The command line: it parses, hands over, and turns what comes back, or goes wrong, into an exit code and a clear message.
import { randomUUID } from 'node:crypto'
import yargs, { type Argv } from 'yargs'
import { Parser } from 'yargs/helpers'
import { TieoutError, UsageError } from '../../models/error.ts'
import { forTerminal } from '../../models/text.ts'
import type { GlobalArguments } from '../config/context.ts'
import { logsAlone } from '../config/log-level.ts'
import { packageVersion } from '../config/root.ts'
import type { Output, Surroundings } from '../config/surroundings.ts'
import { USUAL_FOLDER } from '../config/usual-folder.ts'
import type { Begun } from './command.ts'
import { commands } from './index.ts'

/** Runs the command that the words name, and gives its exit code. What has `begun` for it already ends here. */
export async function runCommandLine(
  words: readonly string[],
  given: Surroundings,
  alreadyBegun?: Begun,
): Promise<number> {
  const surroundings = { run: randomUUID(), ...given }
  const { stdout, stderr } = surroundings
  const outputs = [watched(stdout, 'standard output'), watched(stderr, 'standard error')]
  /** Read before the words are judged: what is wrong with them is reported by it too. */
  const level = String(Parser([...words]).logLevel)
  let code = 0
  let begun = alreadyBegun
  const parser = yargs(marked(words))
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
    .completion('completion', 'Print a script that completes commands and options in bash or zsh')
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
      'Implications failed:': 'One option needs another one, which is missing:',
      'Did you mean %s?': 'There is no such command. Did you mean %s?',
    })
    .wrap(helpWidth(stdout))
    .version(packageVersion)
    .help()
    .exitProcess(false)
    .fail((message, error, instance) => {
      if (error) throw error
      const text = message.replaceAll(NO_OPTION, '')
      // There is no option of one dash.
      const isDashed = words.some((word) => /^-[^-\d]/.test(word)) && !words.includes('--')
      const dashed = isDashed ? ' What begins with a dash and is no option goes behind `--`.' : ''
      if (logsAlone(level)) throw new UsageError(text, { action: `See \`tieout --help\`.${dashed}` })
      instance.showHelp((help) => stderr.write(`${help}\n`))
      stderr.write(`\ntieout: ${forTerminal(text)}\n  next:     See the usage above.${dashed}\n`)
      throw new Handled()
    })
  try {
    await parser.parseAsync()
    // What failed of the last thing written is told a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    for (const { failure } of outputs) if (failure !== null) throw failure
    return code
  } catch (error) {
    return error instanceof Handled
      ? 2
      : await reportFailure(
          outputs.find(({ failure }) => failure !== null)?.failure ?? understood(error),
          level,
          surroundings,
        )
  } finally {
    await begun?.end()
  }
}

/** Stands before a word that is no option, however it begins; the system lets no word of a command line have it. */
const NO_OPTION = '\0'

/**
 * The parser sets aside what stands behind `--` and gives it to no command, and takes SQL that begins with a comment for an
 * option. Behind `--` nothing is an option, nor is what has white space in its name. In place of `--` stands an option
 * without a value, so that none before it takes what follows.
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

/** Lines of help: as long as the terminal has room for, between the narrowest that reads well and the widest that does. */
export const helpWidth = ({ isTTY, columns = 0 }: Pick<Output, 'isTTY' | 'columns'>): number =>
  isTTY === true && columns > 0 ? Math.min(110, Math.max(80, columns)) : 110

/** Of an option that takes one value the parser makes a list where it is given twice, and of what is no number a NaN. */
function mustBeOneEach(given: Readonly<Record<string, unknown>>, options: unknown): true {
  const { array, narg } = options as {
    readonly array: readonly string[]
    readonly narg: Readonly<Record<string, number>>
  }
  const lists = new Set(['_', ...array])
  for (const [name, value] of Object.entries(given)) {
    if (lists.has(name)) continue
    // `--out ""` is what a script says whose variable is not set.
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
  /** Why something of it could not be written. */
  failure: TieoutError | null
}

/**
 * A reader that leaves (`| head`, a terminal that closes) changes nothing: what is under way goes on to its end, messages and
 * exit code included. What else keeps an output from being written is told in the end. A stream without a listener would end
 * the process at once.
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

/** What the parser throws instead of telling: an option of a command that stands without its value. */
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
    action: `Give one, or leave the option out. One that begins with a dash is written --${option}=-VALUE.`,
  })

/** A usage error whose message has been shown already. */
class Handled extends Error {}

/** Tells an error, in the log where standard error holds nothing else, and gives its exit code. */
async function reportFailure(
  error: unknown,
  level: string,
  { stderr, run }: Surroundings & { readonly run: string },
): Promise<number> {
  if (logsAlone(level)) {
    const { logFailure, openStandardError } = await import('../config/log.ts')
    logFailure(openStandardError(level, stderr, run).log, error)
  } else printFailure(error, stderr)
  return error instanceof TieoutError ? error.exitCode : 1
}

/** For people; what is not ours to explain is called unexpected, with its cause. */
function printFailure(error: unknown, stderr: Surroundings['stderr']): void {
  if (error instanceof TieoutError) {
    stderr.write(`tieout: ${error.describe()}\n`)
    return
  }
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(`tieout: An unexpected error: ${forTerminal(message)}\n`)
  stderr.write(
    '  next:     Progress is kept. Run again; if it persists, report it with --log-level debug output.\n',
  )
  if (process.env.TIEOUT_DEBUG !== undefined && error instanceof Error) stderr.write(`${error.stack}\n`)
}
