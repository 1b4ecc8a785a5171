// Texts of the venue and the user in every form of output: no markup, no formula, no command to a terminal, and what a
// file holds reads back.
import { parse } from 'csv-parse/sync'
import { asBatches, type Column } from '../../../../pipeline/output/column.ts'
import { csvText } from '../../../../pipeline/output/csv.ts'
import { htmlText } from '../../../../pipeline/output/html.ts'
import { jsonText } from '../../../../pipeline/output/json.ts'
import { printTable } from '../../../../pipeline/output/table.ts'
import { unzipped } from '../../../support/workbook.ts'
import { BOUND_MS, must, type Target } from '../target.ts'

const COLUMNS: readonly Column[] = [{ name: 'text' }, { name: 'amount', kind: 'amount' }]

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Brackets of a page; words between backticks are set as code by the page itself, and what a text says of it is escaped. */
const marks = (page: string): string => page.replace(/<\/?code>/g, '').replace(/[^<>]/g, '')

export const outputTarget: Target = {
  name: 'output',
  shape: {
    kind: 'bytes',
    tokens: [
      '=HYPERLINK("http://x","y")',
      '\u001b[31m',
      '<img src=x onerror=y>',
      'DDE(',
      '\t=1',
      ' =1',
      '＝1+1',
    ],
  },
  boundMs: BOUND_MS,
  open: () => ({
    run: async (input) => {
      const text = input.subarray(0, 4_000).toString('utf8')
      const rows = [
        [text, '1.5'],
        ['', null],
      ]
      const csv = await whole(csvText(COLUMNS, asBatches(rows)))
      const [, first] = parse(csv, { relax_column_count: false }) as string[][]
      const cell = first?.[0] ?? ''
      must(cell === text || cell === `'${text}`, 'a text in CSV reads back')
      must(!FORMULA.test(cell) || NUMBER.test(cell), 'no text in CSV is a formula')
      must(
        JSON.stringify(JSON.parse(await whole(jsonText(COLUMNS, asBatches(rows))))[0].text) ===
          JSON.stringify(text),
        'a text in JSON reads back',
      )
      const html = await whole(
        htmlText({ title: text, columns: COLUMNS, rows: asBatches(rows), totals: [], notes: [text] }),
      )
      const plain = await whole(
        htmlText({
          title: 'x',
          columns: COLUMNS,
          rows: asBatches([
            ['x', '1.5'],
            ['', null],
          ]),
          totals: [],
          notes: ['x'],
        }),
      )
      must(marks(html) === marks(plain), 'no text in HTML is markup')
      must(
        html.split('<code>').length === text.split(/`[^`]+`/).length,
        'code are the words between backticks and nothing else',
      )
      const table = printTable([{ name: text }], [[text]], { width: 60 })
      must(
        !/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(table),
        'no text in a table is a command to the terminal',
      )
      must(table.split('\n').length === 3, 'a text in a table stays on its line')
      const book = await unzipped({ title: text, columns: COLUMNS, rows, totals: [], notes: [text] })
      must(
        !/<t[^>]*>[^<]*<(?!\/t>)/.test(book['xl/sharedStrings.xml'] ?? '<t><'),
        'no text in a workbook is markup',
      )
      return `${Math.min(text.length, 3)} ${cell === text}`
    },
  }),
}
