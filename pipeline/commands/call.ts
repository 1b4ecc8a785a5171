// Commands for single endpoints: call, and writes, which lists the changes made at the venue and settles by hand those
// whose outcome is unknown.
import { randomUUID } from 'node:crypto'
import { UnknownRefusal } from '../../connectors/errors.ts'
import { call } from '../calls/call.ts'
import { listWrites, settleByHand } from '../calls/settle-by-hand.ts'
import { defineCommand } from './command.ts'

export const callCommand = defineCommand({
  example: ['$0 call futures.positions productType=USDT-FUTURES --account main', 'the positions open now'],
  options: (parser) =>
    parser
      .positional('endpoint', {
        type: 'string',
        demandOption: true,
        describe: 'A name listed by `tieout endpoints`',
      })
      .positional('values', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'key=value; lists as a,b or JSON; @FILE reads a file',
      })
      .option('account', { type: 'string', describe: 'An account from the configuration', requiresArg: true })
      .option('write', {
        type: 'boolean',
        default: false,
        describe: 'Send a call that changes something at the venue',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON on one line, for a script' })
      .option('save-as', {
        type: 'string',
        describe: 'Name under which to store a new key’s credentials (default: sub-UID)',
        requiresArg: true,
      }),
  run: async (context, args) => {
    const { endpoint, values, account, write, json } = args
    const newId = (): string => `tieout-${randomUUID().replaceAll('-', '')}`
    try {
      await call(context, { endpoint, values, account, write, json, saveAs: args['save-as'], newId })
      return 0
    } catch (error) {
      // For a single request, an unknown refusal code is the venue's answer; running again would not help.
      if (!(error instanceof UnknownRefusal)) throw error
      context.tell(`tieout: ${error.describe()}`)
      return 4
    }
  },
})

export const writesCommand = defineCommand({
  example: ['$0 writes --settle 17 --as done', 'after checking at the venue'],
  options: (parser) =>
    parser
      .option('settle', { type: 'number', describe: 'Number of the write to settle', requiresArg: true })
      .option('as', {
        choices: ['done', 'refused'] as const,
        describe: 'Outcome of the write',
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
