// The command that brings in what the venue does not tell: history from elsewhere, opening lots and prices. It builds
// and publishes the books, so that the next report has it.

import type { ExitCode } from '../../models/error.ts'
import { openBooks } from '../books/books.ts'
import { type ImportOutcome, importInto, readImport } from '../books/import.ts'
import { buildBooks } from '../books/night.ts'
import { optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { type ImportKind, importKinds } from '../imports/format.ts'
import { nodeDisk } from '../journal/disk.ts'
import { counted } from '../reports/notes.ts'
import { describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { defineCommand } from './command.ts'

const HEADERS = [
  'KIND is one of',
  '  trades  history from elsewhere:  id,time,account,type,asset,quantity,currency,total,fee,fee_currency',
  '  lots    opening lots:            id,time,account,asset,quantity,basis,currency',
  '  prices  plain:                   time,asset,currency,price  with or without  source',
  '          or the reference rates of the ECB: eurofxref-hist.csv',
].join('\n')

export const importCommand = defineCommand({
  example: ['$0 import trades kraken-2024.csv', 'then: tieout report gains --year 2024'],
  options: (parser) =>
    parser
      .positional('kind', { choices: importKinds, demandOption: true, describe: 'What the file holds' })
      .positional('file', { type: 'string', demandOption: true, describe: 'CSV in UTF-8' })
      .option('build', {
        type: 'boolean',
        default: true,
        describe: 'Build and publish afterwards; --no-build leaves it to a later `build`',
      })
      .epilog(HEADERS),
  run: async (context, args): Promise<ExitCode> => {
    const config = optionalConfig(context)
    const read = await readImport(nodeDisk, args.kind as ImportKind, args.file)
    const books = await openBooks(context.dir, {
      clock: context.clock,
      command: 'import',
      onNote: context.tell,
      engine: engineSettings(config.engine),
    })
    try {
      const outcome = await importInto(books, read, { id: context.run, clock: context.clock })
      context.print(describeImport(args.file, outcome))
      if (!args.build) return 0
      const result = await buildBooks(context, config, books, { publishAnyway: false })
      context.print(describeBreaks(result))
      if (result.published) return 0
      context.tell(NOT_PUBLISHED)
      return 1
    } finally {
      await books.close()
    }
  },
})

function describeImport(file: string, { rows, added }: ImportOutcome): string {
  if (rows === 0) return `${file} has no rows; nothing was imported.`
  if (added === 0) return `Nothing new: the books have all of ${file} already (${counted(rows, 'row')}).`
  const known = rows - added
  const rest = known === 0 ? '' : `; the books had ${counted(known, 'row')} of it already`
  return `Imported ${counted(added, 'row')} of ${file}${rest}.`
}
