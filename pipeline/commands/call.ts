// Commands that use single endpoints: call, and writes, which shows what was changed at the venue and settles by hand
// what stayed open.
import { randomUUID } from 'node:crypto'
import { UnknownRefusal } from '../../connectors/errors.ts'
import { call } from '../calls/call.ts'
import { listWrites, settleByHand } from '../calls/settle-by-hand.ts'
import { defineCommand } from './command.ts'

export const callCommand = defineCommand({
  example: ['$0 call futures.positions productType=USDT-FUTURES --account main', 'what is open now'],
  options: (parser) =>
    parser
      .positional('endpoint', {
        type: 'string',
        demandOption: true,
        describe: 'A name of `tieout endpoints`',
      })
      .positional('values', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'key=value; lists as a,b or JSON; @FILE reads a file',
      })
      .option('account', { type: 'string', describe: 'Account of the configuration', requiresArg: true })
      .option('write', {
        type: 'boolean',
        default: false,
        describe: 'Send what changes something at the venue',
      })
      .option('json', { type: 'boolean', default: false, describe: 'On one line, for a script' })
      .option('save-as', {
        type: 'string',
        describe: 'Name for the credentials of a created key (default: sub-UID)',
        requiresArg: true,
      }),
  run: async (context, args) => {
    const { endpoint, values, account, write, json } = args
    const newId = (): string => `tieout-${randomUUID().replaceAll('-', '')}`
    try {
      await call(context, { endpoint, values, account, write, json, saveAs: args['save-as'], newId })
      return 0
    } catch (error) {
      // Of one request, a refusal by a code that nothing is known of is the venue's word: running again is no cure.
      if (!(error instanceof UnknownRefusal)) throw error
      context.tell(`tieout: ${error.describe()}`)
      return 4
    }
  },
})

export const writesCommand = defineCommand({
  example: ['$0 writes --settle 17 --as done', 'after looking at the venue'],
  options: (parser) =>
    parser
      .option('settle', { type: 'number', describe: 'Number of the write to settle', requiresArg: true })
      .option('as', {
        choices: ['done', 'refused'] as const,
        describe: 'What became of it',
        requiresArg: true,
      })
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' })
      .implies('settle', 'as')
      .implies('as', 'settle'),
  run: async (context, args) => {
    if (args.settle !== undefined && args.as !== undefined) await settleByHand(context, args.settle, args.as)
    else await listWrites(context, args.json)
    return 0
  },
})

/** Everything that asks single endpoints. */
