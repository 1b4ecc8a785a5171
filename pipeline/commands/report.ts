// `tieout report`: reads the published ledger, even while a run is writing.
import { oneOfThese } from '../../models/text.ts'
import type { CommandContext } from '../config/context.ts'
import { type Asked, compareWithFiling, freezeReport } from '../evidence/freeze.ts'
import { nodeDisk } from '../journal/disk.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { methods } from '../lots/engine.ts'
import { formOf } from '../output/ending.ts'
import { ledgerForPaper, PAPERS, paperOf, stampOf } from '../paper/paper.ts'
import { makeReport, type ReportName, reportNames } from '../reports/catalogue.ts'
import { defaultsOf } from '../reports/defaults.ts'
import { REPORT_FORMATS, type ReportFormat, writeReport } from '../reports/print.ts'
import type { Report } from '../reports/report.ts'
import { readAllocation, readSelection } from '../reports/selection.ts'
import { rulesList } from '../rules/catalogue.ts'
import { forms1099 } from '../rules/figures.ts'
import { askedForm, defineCommand, terminalOf, USUAL_FORM, wideOption } from './command.ts'
import { engineConfig, readingOptions } from './engine.ts'
import { engineOptions } from './engine-options.ts'

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

export const reportCommand = defineCommand({
  example: ['$0 report gains --year 2026 --method fifo --out gains.csv', 'for the accountant'],
  options: (parser) =>
    parser
      .positional('name', { choices: reportNames, demandOption: true, describe: 'Which report' })
      .option('account', text('Only this account'))
      .option('from', text('From this date on'))
      .option('to', text('To the end of this date'))
      .option('year', {
        type: 'number',
        describe: 'Calendar year in UTC; under --rules the tax year that begins in it',
        requiresArg: true,
      })
      .option('method', text(`${oneOfThese(methods)}; by year: fifo,2025:hifo`))
      .option('scope', text('account or universal; by year: universal,2025:account'))
      .option('rules', text(`Rules of a country: ${rulesList}`))
      .option('selection', text('CSV of lots for --method specific: disposal_id,lot_id,quantity'))
      .option(
        'allocation',
        text('CSV of lots for the move from scope universal to account: account,coin,lot_id,quantity'),
      )
      .option('form-1099-da', {
        choices: forms1099,
        describe: 'For US forms: what the broker reported',
        requiresArg: true,
      })
      .option('methods', text('For gains, compare these methods side by side: fifo,lifo,hifo'))
      .option('currency', text('Reporting currency'))
      .option('format', {
        requiresArg: true,
        choices: REPORT_FORMATS,
        defaultDescription: USUAL_FORM,
        describe: 'Output format; html is for printing, or for a PDF from a browser',
      })
      .option('freeze', text('Keep the report as a filing with this name, with hashes of its inputs'))
      .option('against', text('Show the differences from the filing with this name, line by line'))
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .option('wide', wideOption)
      .conflicts('freeze', 'against')
      .option('out', text('File or folder to write to: balances.csv, balances.xlsx'))
      .options(engineOptions),
  run: async (context, args) => {
    const config = engineConfig(context, args)
    const form = askedForm({ format: args.format as ReportFormat | undefined, json: args.json })
    const format = await formOf({ form, out: args.out }, { writes: REPORT_FORMATS, usual: 'table' })
    const opened = await openLedger(context.dir, readingOptions(context, config))
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
      const asked = { name: args.name as ReportName, options, defaults: defaultsOf(config) }
      const ledger = format === 'html' && PAPERS.has(asked.name) ? ledgerForPaper(opened) : opened
      const made = await reportOf(context, ledger, asked, args)
      const report = await forHandingOver(made, format, context, ledger, asked, args.against !== undefined)
      const terminal = terminalOf(context, args.wide)
      const destination = { out: args.out, dir: context.dir, terminal, signal: context.signal }
      const file = await writeReport(report, format, destination)
      if (file !== null) context.tell(`Wrote ${file}.`)
      return 0
    } finally {
      opened.close()
    }
  },
})

/** A workbook or a document is handed to others, so its cover states what it was made from. */
async function forHandingOver(
  report: Report,
  format: ReportFormat,
  { dir, clock }: CommandContext,
  ledger: Ledger,
  asked: Asked,
  isDifference: boolean,
): Promise<Report> {
  const context = { dir, clock, disk: nodeDisk }
  if (format === 'html' && !isDifference) return await paperOf(ledger, asked, report, context)
  if (format !== 'html' && format !== 'xlsx') return report
  // A workbook calculates with its times: they stay in UTC, as its headings say.
  const { facts } = await stampOf(ledger, asked, context, 'UTC')
  return { ...report, facts: [...(report.facts ?? []), ...facts] }
}

/** The report, frozen if asked; or the differences from a frozen one. */
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
  tell(`Frozen as ${file}.`)
  return report
}
