// The command `explain`: from an id in a report down to the bytes that the venue sent.
import { UsageError } from '../../models/error.ts'
import { optionalConfig } from '../config/context.ts'
import { explain } from '../evidence/explain.ts'
import { describeExplanation, explanationJson } from '../evidence/print.ts'
import { openLedger } from '../ledger/ledger.ts'
import { lotsOf } from '../reports/catalogue.ts'
import { defaultsOf } from '../reports/defaults.ts'
import { defineCommand } from './command.ts'
import { readingOptions } from './engine.ts'

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

export const explainCommand = defineCommand({
  example: ['$0 explain main/tax.records/1387526618150338560/amount', 'an id from a report'],
  options: (parser) =>
    parser
      .positional('id', {
        type: 'string',
        demandOption: true,
        describe:
          'A disposal_id, lot_id, entry_id, transaction_id, trade_id, line_id, break_id or the venue’s own id',
      })
      .option('limit', {
        type: 'number',
        default: 20,
        describe: 'Maximum number of branches to follow at each step',
        requiresArg: true,
      })
      .option('method', text('How lots are matched, as in the report the id comes from'))
      .option('scope', text('account or universal, as in that report'))
      .option('rules', text('Rules of a country, as in that report'))
      .option('currency', text('Reporting currency, as in that report'))
      .option('from', text('For a line of a report: first date of its period'))
      .option('to', text('Last date of that period'))
      .option('year', {
        type: 'number',
        describe: 'Or the year of that period, as in that report',
        requiresArg: true,
      })
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, args) => {
    if (!Number.isInteger(args.limit) || args.limit < 1) {
      throw new UsageError('--limit is not a number of branches.', {
        where: '--limit',
        expected: 'a whole number from 1',
        found: String(args.limit),
        action: 'Correct it.',
      })
    }
    const config = optionalConfig(context)
    const lots = lotsOf('gains', args, defaultsOf(config)) ?? {}
    const ledger = await openLedger(context.dir, readingOptions(context, config))
    try {
      const explanation = await explain(ledger, context.dir, String(args.id), {
        limit: args.limit,
        lots,
        currency: args.currency,
        period: { from: args.from, to: args.to, year: args.year },
        showPersonalData: config.privacy.publish_personal_data,
      })
      context.print(
        args.json ? JSON.stringify(explanationJson(explanation), null, 2) : describeExplanation(explanation),
      )
      return 0
    } finally {
      ledger.close()
    }
  },
})
