// A workbook of two sheets: a cover that says what the report is, whether it is whole and what it was made from, and the
// report itself, with filters, frozen headings, numbers that add up and dates that sort.
// A cell of a spreadsheet is a double with 15 digits. Where an amount of a column has more, the column stands twice: as
// numbers, for sums, and beside it as text, exact. Never a mix: a sum over a column would silently leave its text cells out.
import type { Stream } from 'node:stream'
import writeWorkbook, { type Feature, type Cell as SheetCell } from 'write-excel-file/node'
import { type Cell, cellText, type Row } from './cell.ts'
import type { Column } from './column.ts'
import { printable } from './table.ts'

const EXACT_DIGITS = 15
/** The workbook is made in memory; a sheet could hold five times as many. */
export const SHEET_ROW_LIMIT = 200_000
/** Characters that a cell holds. */
const TEXT_LIMIT = 32_767
/** Spreadsheets count days from 1900 on; an earlier one stays text. */
const FIRST_TIME = '1900-03-01'

/** Whether a double, and the 15 digits that a spreadsheet shows of it, hold the amount without a change. */
export function isExactInSheet(amount: string): boolean {
  const digits = amount.replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
  return /^[+-]?\d+(\.\d+)?$/.test(amount) && digits.length <= EXACT_DIGITS
}

export interface SheetReport {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly totals: readonly Row[]
  /** What makes the figures incomplete; stands first on the cover. */
  readonly warnings?: readonly string[] | undefined
  /** What the report was asked for and made from, by name: rules, zone, hashes. */
  readonly facts?: readonly (readonly [string, string])[] | undefined
  readonly notes: readonly string[]
}

/** What XML cannot hold, and the writer would drop: control characters, lone surrogates, two non-characters. */
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
  if (kind === 'amount') return { type: Number, value: Number(value) }
  if ((kind === 'time' || kind === 'date') && typeof value === 'string' && value >= FIRST_TIME)
    return {
      type: Date,
      value: new Date(value),
      format: kind === 'date' ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss',
    }
  // Of a whole number of 16 digits a spreadsheet shows 15.
  const isShort = typeof value === 'number' && (!Number.isInteger(value) || isExactInSheet(String(value)))
  return isShort ? { type: Number, value } : text(cellText(value))
}

/** What a column of the report becomes: itself, and beside it its exact text where numbers would lose digits. */
interface SheetColumn {
  readonly heading: string
  readonly width: number
  readonly cell: (row: Row) => SheetCell
}

function sheetColumns(column: Column, index: number, lines: readonly Row[]): SheetColumn[] {
  const { kind } = column
  const heading = (column.title ?? column.name) + (kind === 'time' ? ' (UTC)' : '')
  const plain = {
    heading,
    width: kind === 'text' || kind === undefined ? 18 : 24,
    cell: (row: Row) => sheetCell(row[index], kind),
  }
  const isExact = lines.every((row) => row[index] === null || isExactInSheet(String(row[index])))
  if (kind !== 'amount' || isExact) return [plain]
  const exact = (row: Row): SheetCell => (row[index] == null ? null : text(cellText(row[index])))
  return [plain, { heading: `${heading} (exact)`, width: 32, cell: exact }]
}

const bold = (value: string): SheetCell => ({ ...(text(value) as object), fontWeight: 'bold' }) as SheetCell

/** The bytes of an .xlsx file. */
export async function xlsxBytes(report: SheetReport): Promise<Uint8Array> {
  const { title, warnings = [], facts = [], notes, rows, totals } = report
  const lines = [...rows, ...totals]
  const columns = report.columns.flatMap((column, index) => sheetColumns(column, index, lines))
  const cover: SheetCell[][] = [
    [bold(title)],
    ...warnings.map((warning) => [bold(warning)]),
    ...facts.map(([name, value]) => [text(`${name}: ${value}`)]),
    ...notes.map((note) => [text(note)]),
  ]
  const data = [
    columns.map(({ heading }) => bold(heading)),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
    ...totals.map((row) => columns.map(({ cell }) => asTotal(cell(row)))),
  ]
  return await writeWorkbook(
    [
      { sheet: 'Cover', columns: [{ width: 120 }], data: cover },
      { sheet: 'Report', stickyRowsCount: 1, columns: columns.map(({ width }) => ({ width })), data },
    ],
    { features: [filters(rows.length + 1, columns.length)] },
  ).toBuffer()
}

const asTotal = (cell: SheetCell): SheetCell =>
  cell === null || typeof cell !== 'object' ? cell : ({ ...cell, fontWeight: 'bold' } as SheetCell)

/** A filter on the headings of the second sheet, over its rows and not its totals. */
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
