// A workbook of two sheets: the report, and its notes.
// A cell of a spreadsheet is a double with 15 digits. A column of amounts is written as numbers only when every
// amount in it has at most 15 digits; else the whole column is text, exact. Never a mix: a sum over a column would
// silently leave its text cells out.
import writeWorkbook, { type Cell as SheetCell } from 'write-excel-file/node'
import type { Column } from './column.ts'
import { printable } from './table.ts'
import { cellText, type Row } from './value.ts'

const EXACT_DIGITS = 15
/** The workbook is made in memory; a sheet could hold five times as many. */
export const SHEET_ROW_LIMIT = 200_000
/** Characters that a cell holds. */
const TEXT_LIMIT = 32_767

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
  /** What makes the figures incomplete. */
  readonly warnings?: readonly string[] | undefined
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

function sheetCell(value: unknown, asNumber: boolean): SheetCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return { type: Boolean, value }
  // Of a whole number of 16 digits a spreadsheet shows 15.
  const isShort = typeof value === 'number' && (!Number.isInteger(value) || isExactInSheet(String(value)))
  if (isShort || asNumber) return { type: Number, value: Number(value) }
  return text(cellText(value))
}

/** The bytes of an .xlsx file. */
export async function xlsxBytes(report: SheetReport): Promise<Uint8Array> {
  const lines = [...report.rows, ...report.totals]
  const asNumber = report.columns.map(
    (column, index) =>
      column.kind === 'amount' &&
      lines.every((row) => row[index] === null || isExactInSheet(String(row[index]))),
  )
  const asText = report.columns.filter(
    (column, index) => column.kind === 'amount' && asNumber[index] === false,
  )
  const heading = report.columns.map(
    (column): SheetCell => ({
      type: String,
      value: column.title ?? column.name,
      fontWeight: 'bold',
    }),
  )
  const { warnings = [] } = report
  const notes = [report.title, ...warnings, ...report.notes]
  if (asText.length > 0) {
    const names = asText.map((column) => column.title ?? column.name).join(', ')
    notes.push(`Written as text, because a spreadsheet would round them: ${names}.`)
  }
  return await writeWorkbook([
    {
      sheet: 'Report',
      stickyRowsCount: 1 + warnings.length,
      columns: report.columns.map((column) => ({ width: column.kind === 'text' ? 18 : 24 })),
      data: [
        ...warnings.map((warning): SheetCell[] => [{ type: String, value: warning, fontWeight: 'bold' }]),
        heading,
        ...lines.map((row) => row.map((value, index) => sheetCell(value, asNumber[index] === true))),
      ],
    },
    { sheet: 'Notes', columns: [{ width: 120 }], data: notes.map((note) => [text(note)]) },
  ]).toBuffer()
}
