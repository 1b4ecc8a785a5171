// A command as yargs takes it, with the global options typed and its exit code handed back as a value.
import type { Argv } from 'yargs'
import { type ExitCode, UsageError } from '../../models/error.ts'
import type { CommandContext, GlobalArguments } from '../config/context.ts'
import { type Surroundings, widthOf } from '../config/surroundings.ts'
import type { Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { type Importance, screenTable } from '../output/screen.ts'
import { printTable } from '../output/table.ts'

interface Declaration<Options, Early> {
  readonly example: readonly [string, string]
  readonly options: (parser: Argv) => Argv<Options>
  /** False for a command that neither reads nor keeps books; --dir means nothing to it. */
  readonly usesBooks?: false
  /** Something slow to start, such as a process, begun while the rest of the command loads; `end` always runs. */
  readonly early?: { readonly begin: () => Early; readonly end: (begun: Early) => Promise<void> }
  readonly run: (context: CommandContext, args: Options & GlobalArguments, begun: Early) => Promise<ExitCode>
}

/** What a command has begun before its arguments are validated. `end` always runs. */
export interface Begun {
  readonly what: unknown
  readonly end: () => Promise<void>
}

/** A command as it is loaded: its options, and what it does. Its name is in the table of contents (index.ts). */
export interface Command {
  readonly builder: (parser: Argv) => Argv
  /** Called as soon as the command is named, because yargs takes a while to get to `run`. */
  readonly begin: () => Begun | undefined
  readonly run: (
    args: GlobalArguments,
    surroundings: Surroundings,
    begun: Begun | undefined,
  ) => Promise<ExitCode>
}

export function defineCommand<Options, Early = undefined>({
  options,
  example,
  usesBooks,
  early,
  run,
}: Declaration<Options, Early>): Command {
  return {
    builder: (parser) => options(parser).example(...inLines(example)),
    begin: () => {
      if (early === undefined) return undefined
      const what = early.begin()
      return { what, end: () => early.end(what) }
    },
    run: async (args, surroundings, begun) => {
      const { createContext } = await import('../config/context.ts')
      // Without `early`, nothing has begun and the command takes `undefined`.
      return await run(
        createContext(args, surroundings, { usesBooks }),
        args as Options & GlobalArguments,
        begun?.what as Early,
      )
    },
  }
}

/** The longest command line, in characters, that leaves room for its description beside it in the help. */
const SHORT_LINE = 35

/** Side by side if short, else one below the other: yargs would break a long command line so that it cannot be copied. */
const inLines = ([line, use]: readonly [string, string]): [string, string] =>
  line.length <= SHORT_LINE ? [line, use] : [`${line}\n# ${use}`, '']

/** Standard output as reports use it; `width` is set only if it is a terminal. */
export function terminalOf({ stdout, tell }: CommandContext, wide = false) {
  const width = widthOf(stdout)
  return { stdout, tell, wide, ...(width === undefined ? {} : { width }) }
}

/** The format requested by --format or --json; undefined if neither is given. UsageError if they disagree. */
export function askedForm<Format extends string>(args: {
  readonly format: Format | undefined
  readonly json: boolean
}): Format | 'json' | undefined {
  const { format, json } = args
  if (!json || format === 'json') return format
  if (format === undefined) return 'json'
  throw new UsageError('--json and --format ask for different output formats.', {
    where: '--json, --format',
    expected: 'one of them',
    found: `--json and --format ${format}`,
    action: 'Omit one of them.',
  })
}

/** The default of --format, as shown in the help. */
export const USUAL_FORM = 'by the extension of --out, else table'

export const jsonOption = { type: 'boolean', default: false, describe: 'As JSON' } as const

/** For commands that print a table of many columns. */
export const wideOption = {
  type: 'boolean',
  default: false,
  describe: 'On a terminal: print every column and row, however wide',
} as const

/** Prints a table: as much as fits on a terminal; in full with --wide and when output is not a terminal. */
export async function printRows(
  context: CommandContext,
  columns: readonly Column[],
  rows: readonly Row[],
  { wide, importance }: { readonly wide: boolean; readonly importance?: Importance },
): Promise<void> {
  const { width } = terminalOf(context)
  if (width === undefined || wide) context.print(printTable(columns, rows))
  else {
    const { table, notShown } = await screenTable(columns, asBatches(rows), {
      width,
      importance,
      whole: '--wide or --json prints all',
    })
    context.print([table, ...notShown].join('\n'))
  }
}

/** The exit code that takes precedence when several apply. Contract, "Exit codes". */
export function worst(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [1, 2, 4, 5, 3]
  return order.find((code) => codes.includes(code)) ?? 0
}
