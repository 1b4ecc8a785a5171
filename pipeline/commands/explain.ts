// The command `explain`: from an id of a report down to the bytes that the venue sent.
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
          'A disposal_id, lot_id, entry_id, transaction_id, trade_id, line_id, break_id or id of the venue’s',
      })
      .option('limit', {
        type: 'number',
        default: 20,
        describe: 'How many branches to follow at once',
        requiresArg: true,
      })
      .option('method', text('How lots are matched, as in the report that the id is from'))
      .option('scope', text('account or universal, as in that report'))
      .option('rules', text('Rules of a country, as in that report'))
      .option('currency', text('Reporting currency, as in that report'))
      .option('from', text('For a line of a report: its period begins on this date'))
      .option('to', text('And it ends with this date'))
      .option('year', {
        type: 'number',
        describe: 'Or it is this year, as in that report',
        requiresArg: true,
      })
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, args) => {
    if (!Number.isInteger(args.limit) || args.limit < 1) {
      throw new UsageError('--limit is not a number of steps.', {
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
