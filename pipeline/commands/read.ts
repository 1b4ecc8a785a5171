// Commands that only read the published ledger: report, sql, status. They work while a run writes.
import type { ExitCode } from '../../models/error.ts'
import { oneOfThese } from '../../models/text.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { type Asked, compareWithFiling, freezeReport } from '../evidence/freeze.ts'
import { nodeDisk } from '../journal/disk.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { methods } from '../lots/engine.ts'
import { QUERY_FORMATS, type QueryFormat } from '../reports/answer.ts'
import { answerApart } from '../reports/apart.ts'
import { makeReport, type ReportName, reportNames } from '../reports/catalogue.ts'
import { REPORT_FORMATS, type ReportFormat, writeReport } from '../reports/print.ts'
import type { Report } from '../reports/report.ts'
import { readAllocation, readSelection } from '../reports/selection.ts'
import { runQuery } from '../reports/sql.ts'
import { hasOpenBreaks, readStatus } from '../reports/status.ts'
import { describeStatus } from '../reports/status-text.ts'
import { rulesList } from '../rules/catalogue.ts'
import { forms1099 } from '../rules/figures.ts'
import { defineCommand } from './command.ts'

/** Standard output as reports use it; its width is that of the terminal, if it is one. */
export const terminalOf = (context: CommandContext) => ({
  stdout: process.stdout,
  tell: context.tell,
  ...(process.stdout.isTTY ? { width: process.stdout.columns } : {}),
})

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

const reportCommand = defineCommand({
  command: 'report <name>',
  describe: 'Balances, PnL, gains, income or a statement, as a table, CSV, XLSX, HTML or JSON',
  example: ['$0 report gains --year 2026 --method fifo --format csv --out gains.csv', 'for the accountant'],
  options: (parser) =>
    parser
      .positional('name', { choices: reportNames, demandOption: true, describe: 'Which report' })
      .option('account', text('Only this account'))
      .option('from', text('From this date on'))
      .option('to', text('Until the end of this date'))
      .option('year', {
        type: 'number',
        describe: 'Calendar year in UTC; under --rules the tax year that begins in it',
        requiresArg: true,
      })
      .option('method', text(`${oneOfThese(methods)}; by year: fifo,2025:hifo`))
      .option('scope', text('account or universal; by year: universal,2025:account'))
      .option('rules', text(`Rules of a country: ${rulesList}`))
      .option('selection', text('CSV of lots for --method specific: disposal_id,lot_id,quantity'))
      .option('allocation', text('CSV of lots that leave the scope universal: account,coin,lot_id,quantity'))
      .option('form-1099-da', { choices: forms1099, describe: 'For US forms: what the broker reported' })
      .option('methods', text('Compare methods side by side, for gains: fifo,lifo,hifo'))
      .option('currency', text('Reporting currency'))
      .option('format', {
        choices: REPORT_FORMATS,
        default: 'table' as const,
        describe: 'Form of the output',
      })
      .option('freeze', text('Keep the report as a filing of this name, with hashes of its inputs'))
      .option('against', text('Show what differs from the filing of this name, line by line'))
      .conflicts('freeze', 'against')
      .option('out', text('File or folder to write to')),
  run: async (context, args) => {
    const config = optionalConfig(context)
    const ledger = await openLedger(context.dir, {
      signal: context.signal,
      engine: engineSettings(config.engine),
    })
    try {
      const options = {
        account: args.account,
        from: args.from,
        to: args.to,
        year: args.year,
        method: args.method,
        scope: args.scope,
        rules: args.rules,
        selection: args.selection === undefined ? undefined : readSelection(args.selection),
        allocation: args.allocation === undefined ? undefined : readAllocation(args.allocation),
        currency: args.currency,
        form1099: args['form-1099-da'],
        methods: args.methods,
      }
      const { method, scope, rules, time_zone: timeZone } = config.reports
      const defaults = { method, scope, rules, timeZone }
      const asked = { name: args.name as ReportName, options, defaults }
      const report = await reportOf(context, ledger, asked, args)
      const destination = { out: args.out, dir: context.dir, terminal: terminalOf(context) }
      const file = await writeReport(report, args.format as ReportFormat, destination)
      if (file !== null) context.tell(`Wrote ${file}.`)
      return 0
    } finally {
      ledger.close()
    }
  },
})

/** The report as it is; frozen as it is answered; or what differs from a frozen one. */
async function reportOf(
  { dir, clock, tell }: CommandContext,
  ledger: Ledger,
  asked: Asked,
  { freeze, against }: { readonly freeze?: string | undefined; readonly against?: string | undefined },
): Promise<Report> {
  const filings = { dir, clock, disk: nodeDisk }
  if (against !== undefined) return await compareWithFiling(ledger, asked, against, filings)
  if (freeze === undefined) return await makeReport(ledger, asked.name, asked.options, asked.defaults)
  const { report, file } = await freezeReport(ledger, asked, freeze, filings)
  tell(`Frozen in ${file}.`)
  return report
}

const sqlCommand = defineCommand({
  command: 'sql <query>',
  describe: 'Ask the published ledger; read-only, also while a run writes',
  example: ['$0 sql "select coin, sum(quantity) from balances group by coin"', 'any SQL that reads'],
  options: (parser) =>
    parser
      .positional('query', { type: 'string', demandOption: true, describe: 'One SQL statement that reads' })
      .option('format', { choices: QUERY_FORMATS, default: 'table' as const, describe: 'Form of the output' })
      .option('out', text('File to write to'))
      .option('timeout', { type: 'number', describe: 'Longest time in seconds', requiresArg: true })
      .option('memory', text('Memory limit, such as 1GB; half of what the machine has when absent')),
  run: async (context, args) => {
    await runQuery(context.dir, args.query, {
      format: args.format as QueryFormat,
      terminal: terminalOf(context),
      answer: answerApart,
      signal: context.signal,
      engine: engineSettings(optionalConfig(context).engine),
      ...(args.out === undefined ? {} : { out: args.out }),
      ...(args.timeout === undefined ? {} : { timeoutMs: args.timeout * 1_000 }),
      ...(args.memory === undefined ? {} : { memoryLimit: args.memory }),
    })
    return 0
  },
})

const statusCommand = defineCommand({
  command: 'status',
  describe: 'Coverage, freshness, what the venue will forget and when, last runs, open breaks',
  example: ['$0 status --json', 'for a monitor; exit code 3 means open breaks'],
  options: (parser) => parser.option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, args): Promise<ExitCode> => {
    const config = optionalConfig(context)
    const retentionDays = config.venue.retention_days
    const status = await readStatus(context.dir, {
      now: context.now(),
      retentionDays,
      engine: engineSettings(config.engine),
    })
    context.print(
      args.json ? JSON.stringify(status, null, 2) : describeStatus(status, terminalOf(context).width),
    )
    return hasOpenBreaks(status) ? 3 : 0
  },
})

export const readCommands = [reportCommand, sqlCommand, statusCommand]
