// `tieout sql`: queries the published ledger, even while a run is writing.
import { UsageError } from '../../models/error.ts'
import { engineSettings } from '../engine/settings.ts'
import { formOf } from '../output/ending.ts'
import { ANSWERS, askApart, endApart, startApart } from '../reports/apart.ts'
import { QUERY_FORMATS, type QueryFormat } from '../reports/question.ts'
import { runQuery } from '../reports/sql.ts'
import { askedForm, defineCommand, terminalOf, USUAL_FORM, wideOption } from './command.ts'
import { engineOptions } from './engine-options.ts'

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

export const sqlCommand = defineCommand({
  example: ['$0 sql "select coin, sum(quantity) from balances group by coin"', 'any read-only SQL'],
  options: (parser) =>
    parser
      .positional('query', { type: 'string', demandOption: true, describe: 'One read-only SQL statement' })
      .option('format', {
        choices: QUERY_FORMATS,
        defaultDescription: USUAL_FORM,
        describe: 'Output format',
        requiresArg: true,
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .option('wide', wideOption)
      .option('out', text('File to write to: rows.csv, rows.parquet'))
      .option('timeout', {
        type: 'number',
        describe: 'Give up after this many seconds (default: 600)',
        requiresArg: true,
      })
      .option('memory', text('Memory limit, such as 1GB (default: half of the machine’s memory)'))
      .options(engineOptions),
  early: { begin: () => startApart(ANSWERS), end: endApart },
  run: async (context, args, waiting) => {
    const { engineConfig, serverOf } = await import('./engine.ts')
    const config = engineConfig(context, args)
    mustBeTime(args.timeout)
    const form = askedForm({ format: args.format as QueryFormat | undefined, json: args.json })
    const format = await formOf({ form, out: args.out }, { writes: QUERY_FORMATS, usual: 'table' })
    const server = serverOf(config)
    const file = await runQuery(context.dir, args.query, {
      format,
      terminal: terminalOf(context, args.wide),
      answer:
        server === null
          ? (question, stopping, deliver) => deliver(askApart(waiting, question, stopping))
          : (await import('../reports/answer-there.ts')).answerThere(server),
      signal: context.signal,
      engine: engineSettings(config.engine),
      ...(args.out === undefined ? {} : { out: args.out }),
      ...(args.timeout === undefined ? {} : { timeoutMs: args.timeout * 1_000 }),
      ...(args.memory === undefined ? {} : { memoryLimit: args.memory }),
    })
    if (file !== null) context.tell(`Wrote ${file}.`)
    return 0
  },
})

/** The longest that a timer can wait. */
const SECONDS_MAX = Math.floor((2 ** 31 - 1) / 1_000)

function mustBeTime(seconds: number | undefined): void {
  if (seconds === undefined || (seconds > 0 && seconds <= SECONDS_MAX)) return
  throw new UsageError('--timeout is out of range.', {
    where: '--timeout',
    expected: `seconds above 0, at most ${SECONDS_MAX}`,
    found: String(seconds),
    action: 'Correct it or omit it.',
  })
}
