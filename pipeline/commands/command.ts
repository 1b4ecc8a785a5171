// A command as yargs takes it, with the global options typed and its exit code handed back as a value.
import type { Argv } from 'yargs'
import { type ExitCode, UsageError } from '../../models/error.ts'
import type { CommandContext, GlobalArguments } from '../config/context.ts'
import type { Surroundings } from '../config/surroundings.ts'
import type { Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { type Importance, screenTable } from '../output/screen.ts'
import { printTable } from '../output/table.ts'

interface Declaration<Options, Early> {
  readonly example: readonly [string, string]
  readonly options: (parser: Argv) => Argv<Options>
  /** False for a command that neither reads nor keeps books; --dir means nothing to it. */
  readonly usesBooks?: false
  /** What takes as long to begin as the rest of the command to load, such as a process, and how it ends in any case. */
  readonly early?: { readonly begin: () => Early; readonly end: (begun: Early) => Promise<void> }
  readonly run: (context: CommandContext, args: Options & GlobalArguments, begun: Early) => Promise<ExitCode>
}

/** What a command has begun before its words are judged, and how that ends in any case. */
export interface Begun {
  readonly what: unknown
  readonly end: () => Promise<void>
}

/** A command as it is loaded: what it takes, and what it does. Its name stands in the table of contents (index.ts). */
export interface Command {
  readonly builder: (parser: Argv) => Argv
  /** Called as soon as the command is named: yargs takes its time until it is run. */
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
      // Without `early` nothing is begun, and nothing is what the command takes.
      return await run(
        createContext(args, surroundings, { usesBooks }),
        args as Options & GlobalArguments,
        begun?.what as Early,
      )
    },
  }
}

/** Characters of a command line beside which the help has room for its use. */
const SHORT_LINE = 35

/** Beside each other, or one below the other: yargs would break a command line where it can no longer be copied. */
const inLines = ([line, use]: readonly [string, string]): [string, string] =>
  line.length <= SHORT_LINE ? [line, use] : [`${line}\n# ${use}`, '']

/** A terminal that does not know its width. */
const USUAL_WIDTH = 80

/** Standard output as reports use it; its width is that of the terminal, if it is one. */
export const terminalOf = ({ stdout, tell }: CommandContext, wide = false) => ({
  stdout,
  tell,
  wide,
  ...(stdout.isTTY === true ? { width: stdout.columns || USUAL_WIDTH } : {}),
})

/** The form that --format names, or --json; undefined where neither does. UsageError where they name two. */
export function askedForm<Format extends string>(args: {
  readonly format: Format | undefined
  readonly json: boolean
}): Format | 'json' | undefined {
  const { format, json } = args
  if (!json || format === 'json') return format
  if (format === undefined) return 'json'
  throw new UsageError('--json and --format name two forms of the output.', {
    where: '--json, --format',
    expected: 'one of them',
    found: `--json and --format ${format}`,
    action: 'Leave one of them out.',
  })
}

/** What the help says of --format where it is not given. */
export const USUAL_FORM = 'as the ending of --out says, else table'

export const jsonOption = { type: 'boolean', default: false, describe: 'As JSON' } as const

/** For commands that print a table of many columns. */
export const wideOption = {
  type: 'boolean',
  default: false,
  describe: 'On a terminal: every column and every row, however wide',
} as const

/** A table of the answer: as much as fits on a terminal, whole elsewhere and when it is asked for. */
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
      whole: '--wide shows all, and --json has them',
    })
    context.print([table, ...notShown].join('\n'))
  }
}

/** Where several exit codes apply, the one that counts. Contract, "Exit codes". */
export function worst(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [1, 2, 4, 5, 3]
  return order.find((code) => codes.includes(code)) ?? 0
}
