// `tieout worksheet`: arrivals without a known cost, as a CSV file to fill in and import.
import { counted } from '../../models/text.ts'
import { optionalConfig } from '../config/context.ts'
import { nodeDisk } from '../journal/disk.ts'
import { openLedger } from '../ledger/ledger.ts'
import { forScreen, outFile, writeFileFrom, writeOut } from '../output/deliver.ts'
import { formOf } from '../output/ending.ts'
import { worksheet, worksheetText } from '../reports/worksheet.ts'
import { defineCommand, jsonOption, terminalOf } from './command.ts'
import { readingOptions } from './engine.ts'

export const worksheetCommand = defineCommand({
  example: ['$0 worksheet --out lots.csv', 'fill in what is known, then: tieout import lots lots.csv'],
  options: (parser) =>
    parser
      .option('out', { type: 'string', describe: 'File or folder to write to', requiresArg: true })
      .option('json', { ...jsonOption, describe: 'As JSON instead of the CSV for import' }),
  run: async (context, { out, json }) => {
    const form = await formOf(
      { form: json ? 'json' : undefined, out },
      { writes: ['csv', 'json'], usual: 'csv' },
    )
    const ledger = await openLedger(context.dir, readingOptions(context, optionalConfig(context)))
    try {
      const { text, counts } = worksheetText(await worksheet(ledger), form)
      if (out === undefined) {
        const terminal = terminalOf(context)
        await writeOut(terminal.stdout, forScreen(terminal.width, text))
      } else {
        const file = await outFile(out, `worksheet.${form}`, context.dir)
        await writeFileFrom(nodeDisk, file, text)
        context.tell(`Wrote ${file}: ${counted(counts.all, 'arrival')} without a known cost.`)
      }
      if (counts.all === 0 && out === undefined)
        context.tell('Nothing to fill in: there are no arrivals without a known cost.')
      if (counts.open > 0)
        context.tell(
          `${counted(counts.open, 'row')} without a price at the time of arrival: fill in the basis or delete the row before importing.`,
        )
      return 0
    } finally {
      ledger.close()
    }
  },
})
