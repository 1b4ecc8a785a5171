// A workbook of two sheets: a cover that states what the report is, whether it is complete and what it was
// made from, and the report itself, with filters, frozen headings, numbers that add up, dates that sort, and
// columns as wide as their contents. On paper the headings are on every page, and no page ends in the middle
// of a line. A spreadsheet cell is a double with 15 digits. If an amount of a column has more, the column
// appears twice: as numbers, for sums, and beside it as exact text. Never a mix: a sum over a column would
// silently omit its text cells.
import { constants } from 'node:buffer'
import type { Stream } from 'node:stream'
import writeWorkbook, { type Feature, type Cell as SheetCell } from 'write-excel-file/node'
import { UsageError } from '../../models/error.ts'
import { type Cell, cellText, type Row } from './cell.ts'
import type { Column } from './column.ts'
import { printable } from './table.ts'

const EXACT_DIGITS = 15
/** The workbook is built in memory; a sheet could hold five times as many. */
export const SHEET_ROW_LIMIT = 200_000
/** Maximum number of characters in a cell. */
const TEXT_LIMIT = 32_767
/** Spreadsheets count days from 1900; an earlier one stays text. */
const FIRST_TIME = '1900-03-01'

/** Whether a double, and the 15 digits that a spreadsheet shows of it, hold the amount unchanged. */
export function isExactInSheet(amount: string): boolean {
  const digits = amount.replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
  return /^[+-]?\d+(\.\d+)?$/.test(amount) && digits.length <= EXACT_DIGITS
}

export interface SheetReport {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly totals: readonly Row[]
  /** What makes the figures incomplete; first on the cover. */
  readonly warnings?: readonly string[] | undefined
  /** What the report was asked for and made from, by name: rules, zone, hashes. */
  readonly facts?: readonly (readonly [string, string])[] | undefined
  readonly notes: readonly string[]
}

/**
 * Characters that XML cannot contain and the writer would drop: control characters, lone surrogates, two
 * non-characters.
 */
const NOT_XML = /[\p{Cs}\u{FFFE}\u{FFFF}]|(?![\t\n\r])\p{Cc}/gu

function text(value: string): SheetCell {
  const written = value.replace(NOT_XML, printable)
  return {
    type: String,
    value: written.length > TEXT_LIMIT ? `${written.slice(0, TEXT_LIMIT - 1)}…` : written,
  }
}

function sheetCell(value: Cell | undefined, kind: Column['kind']): SheetCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return { type: Boolean, value }
  if (kind === 'amount') return number(Number(value))
  if ((kind === 'time' || kind === 'date') && typeof value === 'string' && value >= FIRST_TIME)
    return instant(new Date(value), kind)
  // Of a whole number with 16 digits, a spreadsheet shows 15.
  const isShort = typeof value === 'number' && (!Number.isInteger(value) || isExactInSheet(String(value)))
  return isShort ? number(value) : text(cellText(value))
}

/**
 * A spreadsheet rounds to what it displays: without milliseconds, the last half second of a year becomes the
 * next year.
 */
const instant = (value: Date, kind: 'time' | 'date'): SheetCell => ({
  type: Date,
  value,
  format: kind === 'date' ? 'yyyy-mm-dd' : `yyyy-mm-dd hh:mm:ss${isWholeSecond(value) ? '' : '.000'}`,
})

const isWholeSecond = (at: Date): boolean => at.getUTCMilliseconds() === 0

/** Without a number format, a spreadsheet shows a satoshi as 1E-08. */
const number = (value: number): SheetCell => ({
  type: Number,
  value,
  format: Number.isInteger(value) ? '#,##0' : '#,##0.00################',
})

/** What a column of the report becomes: itself, and beside it its exact text if numbers would lose digits. */
interface SheetColumn {
  readonly heading: SheetCell
  readonly width: number
  readonly cell: (row: Row) => SheetCell
}

function sheetColumns(
  column: Column,
  index: number,
  rows: readonly Row[],
  totals: readonly Row[],
): SheetColumn[] {
  const { kind } = column
  const lines = [...rows, ...totals]
  const title = (column.title ?? column.name) + (kind === 'time' ? ' (UTC)' : '')
  const cell = (row: Row): SheetCell => sheetCell(row[index], kind)
  const width = widthOf(title, rows.map(cell), totals.map(cell))
  const heading = isLeft(kind) ? bold(title) : atRight(bold(title))
  const plain = { heading, width, cell }
  const isExact = lines.every((row) => row[index] === null || isExactInSheet(String(row[index])))
  if (kind !== 'amount' || isExact) return [plain]
  const exact = (row: Row): SheetCell => (row[index] == null ? null : atRight(text(cellText(row[index]))))
  const exactTitle = `${title} (exact)`
  const exactWidth = widthOf(exactTitle, rows.map(exact), totals.map(exact))
  return [
    plain,
    {
      heading: atRight(bold(exactTitle)),
      width: exactWidth,
      cell: exact,
    },
  ]
}

const isLeft = (kind: Column['kind']): boolean => kind === undefined || kind === 'text'

/** With a little space before the text that may begin in the next column. */
const atRight = (cell: SheetCell): SheetCell =>
  ({ ...(cell as object), align: 'right', indent: 1 }) as SheetCell

/** Characters of the widest column; longer text wraps in its cell. */
const WIDEST = 60
/** Space for the filter button. */
const BUTTON = 3
/** `2026-01-02 12:00:00`, and with milliseconds. */
const [TIME_WIDTH, FINE_TIME_WIDTH] = [20, 24]

/** As `number` shows them. */
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 18 })

/** Ratio of the width of bold digits to that of the digits by which columns are measured. */
const BOLD_DIGITS = 1.1

function widthOf(heading: string, cells: readonly SheetCell[], totals: readonly SheetCell[]): number {
  let widest = heading.length + BUTTON
  for (const cell of cells) widest = Math.max(widest, charactersOf(cell))
  for (const cell of totals) widest = Math.max(widest, Math.ceil(charactersOf(cell) * BOLD_DIGITS))
  return Math.min(widest, WIDEST) + 1
}

function charactersOf(cell: SheetCell): number {
  if (cell === null || typeof cell !== 'object' || !('value' in cell)) return 0
  const { value } = cell
  if (value instanceof Date) return isWholeSecond(value) ? TIME_WIDTH : FINE_TIME_WIDTH
  if (typeof value !== 'number') return String(value).length
  return NUMBER.format(value).length
}

/**
 * Height of a line of text in points; spreadsheets do not calculate row heights for files that they have not
 * written.
 */
const LINE_HEIGHT = 14
/** A row is at most 409 points high. */
const MOST_LINES = 29

/** Ratio of the width of a letter to that of the digits by which columns are measured. */
const NARROW_LETTERS = 1.1

/**
 * The cells of a row in columns of these widths. If a text needs more than one line, the row is high enough
 * for it, and all its cells are top-aligned. Other rows have no style of their own, because styles are most
 * of what a workbook costs.
 */
function placed(cells: SheetCell[], widths: readonly number[]): SheetCell[] {
  const needed = (cell: SheetCell, at: number): number =>
    Math.ceil(charactersOf(cell) / (NARROW_LETTERS * (widths[at] ?? WIDEST)))
  const lines = Math.max(1, ...cells.map(needed))
  if (lines === 1) return cells
  const height = Math.min(lines, MOST_LINES) * LINE_HEIGHT
  return cells.map((cell) =>
    cell === null ? null : ({ ...(cell as object), alignVertical: 'top', wrap: true, height } as SheetCell),
  )
}

/** Without a family, a bold font has no name, and a spreadsheet chooses one. */
const BOLD = { fontWeight: 'bold', fontFamily: 'Arial' } as const

const bold = (value: string): SheetCell => ({ ...(text(value) as object), ...BOLD }) as SheetCell

/** Without the backticks around commands and column names: a cell has no separate font for them. */
const asPlain = (sentence: string): string => sentence.replace(/`([^`]+)`/g, '$1')

const COVER_WIDTH = 100

/**
 * The bytes of an .xlsx file. UsageError if a sheet, or all its cell texts together, would be longer than a
 * string in Node.js may be.
 */
export async function xlsxBytes(
  report: SheetReport,
  longest: number = constants.MAX_STRING_LENGTH,
): Promise<Uint8Array> {
  const { title, warnings = [], facts = [], notes, rows, totals } = report
  const columns = report.columns.flatMap((column, index) => sheetColumns(column, index, rows, totals))
  const cover = [
    bold(title),
    ...warnings.map(asPlain).map(bold),
    ...facts.map(([name, value]) => text(`${name}: ${asPlain(value)}`)),
    ...notes.map(asPlain).map(text),
  ].map((line) => placed([line], [COVER_WIDTH]))
  const widths = columns.map(({ width }) => width)
  const data = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) =>
      placed(
        columns.map(({ cell }) => cell(row)),
        widths,
      ),
    ),
    ...totals.map((row) => columns.map(({ cell }) => asTotal(cell(row)))),
  ]
  mustFit(title, data, longest)
  return await writeWorkbook(
    [
      { sheet: 'Cover', columns: [{ width: COVER_WIDTH }], data: cover, orientation: 'landscape' },
      {
        sheet: 'Report',
        stickyRowsCount: 1,
        columns: widths.map((width) => ({ width })),
        data,
        orientation: 'landscape',
      },
    ],
    { features: [paged(title), filters(rows.length + 1, columns.length)] },
  ).toBuffer()
}

/** The minimum that the writer adds for a row, a numeric cell, a text cell, and all texts. */
const [ROW_MARKUP, CELL_MARKUP, TEXT_MARKUP, SHEET_MARKUP] = [80, 80, 40, 50_000]

/** The writer builds one string per sheet, and one of all cell texts. */
function mustFit(title: string, data: readonly (readonly SheetCell[])[], longest: number): void {
  let [sheet, texts] = [SHEET_MARKUP, SHEET_MARKUP]
  for (const row of data) {
    sheet += ROW_MARKUP
    for (const cell of row) {
      if (cell === null || typeof cell !== 'object' || !('value' in cell)) continue
      sheet += CELL_MARKUP
      if (typeof cell.value === 'string') texts += TEXT_MARKUP + lengthInXml(cell.value)
    }
  }
  const found = Math.max(sheet, texts)
  if (found <= longest) return
  throw new UsageError('The report is too large for a workbook.', {
    where: title,
    expected: `at most ${longest} characters in a sheet, and in the texts of its cells`,
    found: `about ${found}, in ${data.length - 1} rows`,
    action: 'Use --format csv or json, which have no limit, or narrow the request.',
  })
}

/** `&amp;` is the longest escape of a character. */
const lengthInXml = (value: string): number => value.length + 4 * (value.match(/[&<>]/g)?.length ?? 0)

const asTotal = (cell: SheetCell): SheetCell =>
  cell === null || typeof cell !== 'object' ? cell : ({ ...cell, ...BOLD } as SheetCell)

/** On paper: a page is as wide as the sheet, has a title, and repeats the headings of the report. */
function paged(title: string): Feature<Stream | Buffer | Blob> {
  // An ampersand begins a code; Excel allows at most 255 characters.
  const head = `&L${title.slice(0, 200).replaceAll('&', '&&')}&RPage &P of &N`
  const header = head
    .replace(NOT_XML, printable)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transform: (xml) =>
            xml
              .replace(/<worksheet [^>]*>/, '$&<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>')
              .replace(/<pageSetup ([^>]*?)\/?>/, (_, of) => `<pageSetup ${of.trim()} fitToHeight="0"/>`)
              .replace(
                '</worksheet>',
                () => `<headerFooter><oddHeader>${header}</oddHeader></headerFooter></worksheet>`,
              ),
        },
        'xl/workbook.xml': {
          transform: (xml) =>
            xml.replace(
              /<definedNames\s*\/>/,
              '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="1">Report!$1:$1</definedName></definedNames>',
            ),
        },
      },
    },
  }
}

/** A filter on the headings of the second sheet, over its rows but not its totals. */
function filters(rows: number, columns: number): Feature<Stream | Buffer | Blob> {
  const range = `A1:${columnName(columns)}${rows}`
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transform: (xml, _options, { sheetIndex }) =>
            sheetIndex === 1 && columns > 0
              ? xml.replace('</sheetData>', `</sheetData><autoFilter ref="${range}"/>`)
              : xml,
        },
      },
    },
  }
}

/** `A` for 1, `AA` for 27. */
function columnName(number: number): string {
  const rest = (number - 1) % 26
  const before = Math.floor((number - 1) / 26)
  return (before === 0 ? '' : columnName(before)) + String.fromCharCode(65 + rest)
}
