// The command that brings a broker's sub-accounts into the books.
import { randomBytes } from 'node:crypto'
import { addSubaccounts } from '../calls/subaccounts.ts'
import { defineCommand, jsonOption } from './command.ts'

export const addSubaccountsCommand = defineCommand({
  example: ['$0 add-subaccounts 4871 4872 --account broker --write', 'nightly then covers them'],
  options: (parser) =>
    parser
      .positional('uids', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Uids of the sub-accounts',
      })
      .option('account', { type: 'string', describe: 'The broker’s main account', requiresArg: true })
      .option('ip', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Bind the keys to these addresses',
        requiresArg: true,
      })
      .option('write', {
        type: 'boolean',
        default: false,
        describe: 'Make the changes; without --write, only show them',
      })
      .option('json', jsonOption),
  run: async (context, { uids, account, ip, write, json }) => {
    const newPassphrase = (): string => randomBytes(16).toString('hex')
    const options = { uids, account, addresses: ip, write, newPassphrase }
    const added = await addSubaccounts(context, options, json ? () => undefined : context.print)
    if (json) context.print(JSON.stringify(added, null, 2))
    return 0
  },
})
