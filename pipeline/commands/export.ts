// The command `export`: the published books for beancount, hledger, or any tool that reads Parquet.

import { counted } from '../../models/text.ts'
import {
  EXPORT_KINDS,
  type ExportKind,
  exportBooks,
  LOT_BOOKINGS,
  type LotBooking,
} from '../exports/export.ts'
import { formOf } from '../output/ending.ts'
import { defineCommand, jsonOption } from './command.ts'
import { engineConfig, readingOptions } from './engine.ts'
import { engineOptions } from './engine-options.ts'

export const exportCommand = defineCommand({
  example: ['$0 export beancount --out books.beancount', 'then `bean-check books.beancount`'],
  options: (parser) =>
    parser
      .positional('kind', { choices: EXPORT_KINDS, demandOption: true, describe: 'Export format' })
      .option('out', {
        type: 'string',
        describe: 'File or folder to write to; for parquet, the folder to create',
        demandOption: true,
        requiresArg: true,
      })
      .option('lots', {
        choices: LOT_BOOKINGS,
        describe: 'beancount only: inventories at cost, for beancount to book by this method',
        requiresArg: true,
      })
      .option('json', jsonOption)
      .options(engineOptions),
  run: async (context, args) => {
    const kind = args.kind as ExportKind
    await formOf({ form: kind, out: args.out }, { writes: EXPORT_KINDS, usual: kind })
    const { path, tables } = await exportBooks(context.dir, kind, {
      out: args.out,
      ...readingOptions(context, engineConfig(context, args)),
      ...(args.lots === undefined ? {} : { lots: args.lots as LotBooking }),
    })
    if (args.json) context.print(JSON.stringify({ path, tables }, null, 2))
    else context.tell(tables === null ? `Wrote ${path}.` : `Wrote ${counted(tables, 'table')} into ${path}.`)
    return 0
  },
})
