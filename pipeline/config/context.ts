// What every command shares: the global options, the clock that --now moves, logging, and where output goes.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { endpoints } from '../../connectors/catalogue.ts'
import { type Clock, runningFrom, systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { optionsToRepeat, pasteable } from '../../models/suggested.ts'
import { forTerminal } from '../../models/text.ts'
import { setIn } from '../output/wrap.ts'
import { type Config, emptyConfig, readConfig } from './config.ts'
import { INSTANT_EXPECTED, readInstant } from './instant.ts'
import { openStandardError } from './log.ts'
import { type Output, type Surroundings, widthOf } from './surroundings.ts'
import { USUAL_FOLDER } from './usual-folder.ts'

export interface GlobalArguments {
  /** Folder of the books; undefined stands for the usual one. */
  readonly dir?: string | undefined
  readonly config?: string | undefined
  readonly logLevel: string
  readonly now?: string | undefined
}

export interface CommandContext {
  readonly dir: string
  /** Identifies this process in every line of its log, in the frames that it journals and in the table `runs`. */
  readonly run: string
  readonly clock: Clock
  /** The run's current time: the machine's clock at the start of the process, or --now, advancing from there. */
  readonly now: () => number
  readonly log: Logger
  /** Stops a run cleanly when the user asks for it. */
  readonly signal: AbortSignal
  readonly configFile: string
  /** Whether --config names that file. */
  readonly isConfigNamed?: boolean
  readonly stdout: Output
  readonly stderr: Output
  /** Writes a line of the answer to standard output, without control characters that a terminal would obey. */
  readonly print: (text: string) => void
  /**
   * The same for an answer in words: commands that it suggests can be pasted, and on a terminal its lines are broken
   * between words, unless it is to be `wide`.
   */
  readonly advise: (text: string, form?: { readonly wide: boolean }) => void
  /**
   * Writes a progress line to standard error, as text or as a line of the log, without control characters that a
   * terminal would obey; commands that it suggests can be pasted.
   */
  readonly tell: (text: string) => void
}

const CONFIG_FILE = 'tieout.yaml'

const feedNames = endpoints.map((endpoint) => endpoint.name)

/** `usesBooks` is false for a command that neither reads nor keeps any. */
export function createContext(
  args: GlobalArguments,
  surroundings: Surroundings,
  { usesBooks = true } = {},
): CommandContext {
  const { stdout, stderr } = surroundings
  if (usesBooks && args.dir === undefined) mustNotBeInBooks(args.config)
  const dir = folderOfBooks(args.dir ?? USUAL_FOLDER)
  const clock = systemClock
  const run = surroundings.run ?? randomUUID()
  const { log, tell: write } = openStandardError(args.logLevel, stderr, run)
  const options = optionsToRepeat(args)
  const tell = (text: string): void => write(pasteable(text, options))
  const print = (text: string): void => void stdout.write(`${forTerminal(text)}\n`)
  return {
    dir,
    run,
    clock,
    now: runningFrom(args.now === undefined ? clock.wall() : parseInstant(args.now, '--now'), clock),
    log,
    signal: surroundings.stop(tell),
    configFile: args.config === undefined ? join(dir, CONFIG_FILE) : resolve(args.config),
    isConfigNamed: args.config !== undefined,
    stdout,
    stderr,
    print,
    advise: (text, form) => {
      const width = form?.wide === true ? undefined : widthOf(stdout)
      const answer = pasteable(text, options)
      print(width === undefined ? answer : setIn(answer, width))
    },
    tell,
  }
}

/**
 * Without --dir a command run inside a folder of books would create empty books in a folder below it, and report on those.
 */
function mustNotBeInBooks(namedConfig: string | undefined): void {
  if (existsSync(USUAL_FOLDER)) return
  const found = [
    ...(namedConfig === undefined ? [CONFIG_FILE] : []),
    'landing.duckdb',
    'ledger.duckdb',
  ].filter((name) => existsSync(name))
  if (found.length === 0) return
  throw new UsageError('This folder holds books, and --dir does not name them.', {
    where: resolve('.'),
    expected: `--dir, or books in ${USUAL_FOLDER}`,
    found: found.join(', '),
    action: `Add \`--dir .\` to use the books in this folder, or \`--dir ${USUAL_FOLDER}\` for other books.`,
  })
}

/**
 * DuckDB does not take what follows a question mark as part of the path: its write-ahead log would be lost. Bytes that
 * are not UTF-8 reach a Node program as U+FFFD, which names a different folder from the one meant.
 */
function folderOfBooks(path: string): string {
  const dir = resolve(path)
  const refusal = { where: dir, action: 'Rename the folder, or choose another one with --dir.' }
  if (dir.includes('?'))
    throw new UsageError('The path of the books contains a question mark, which DuckDB cannot handle.', {
      ...refusal,
      expected: 'a path without ?',
    })
  if (dir.includes('\uFFFD'))
    throw new UsageError('The path of the books is not valid UTF-8.', {
      ...refusal,
      expected: 'a path in UTF-8',
      found: 'other bytes, shown as \uFFFD',
    })
  return dir
}

/** An instant as the command line takes it. */
export function parseInstant(text: string, option: string): number {
  const at = readInstant(text)
  if (at === null) {
    throw new UsageError(`${option} is not a date.`, {
      where: option,
      expected: INSTANT_EXPECTED,
      found: text,
      action: 'Correct the date.',
    })
  }
  return at
}

/** The configuration, or the defaults for commands that work without one. */
export function optionalConfig(context: CommandContext): Config {
  const config = readConfig(context.configFile, feedNames)
  // If --config names a file, it must exist: without it every figure would be calculated differently from what was
  // asked.
  if (config === null && context.isConfigNamed === true) throw noConfiguration(context)
  return config ?? emptyConfig
}

const noConfiguration = ({ configFile, isConfigNamed = false }: CommandContext): UsageError =>
  new UsageError('There is no configuration.', {
    where: configFile,
    expected: isConfigNamed ? 'the file named by --config' : 'a file tieout.yaml',
    action: `${isConfigNamed ? 'Correct --config. ' : ''}\`tieout init\` writes a commented one; \`tieout demo\` needs none.`,
  })

/** The configuration, for a command that cannot work without one. */
export function requiredConfig(context: CommandContext): Config {
  const config = readConfig(context.configFile, feedNames)
  if (config === null) throw noConfiguration(context)
  if (Object.keys(config.accounts).length === 0) {
    throw new UsageError('The configuration has no accounts.', {
      where: context.configFile,
      expected: 'at least one entry under accounts:',
      action: 'Add an account, for example `main: { credentials: env }`.',
    })
  }
  return config
}
