// CSV by RFC 4180: UTF-8 without a byte-order mark, a heading line, fields quoted if necessary. Lines end in
// LF, which every reader accepts and which leaves no stray character in the last column of line tools. No
// value is an empty field, an empty text is "", as PostgreSQL and DuckDB read them.

import { cellText, type Row } from './cell.ts'
import type { Column, RowBatches } from './column.ts'

const FORMULA_START = /^[=+\-@\t\r]/
const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * A text that a spreadsheet would run as a formula gets a leading `'`, so that it stays text. Numbers keep
 * their sign. JSON shows the text unchanged.
 */
export function withoutFormula(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
}

function field(cell: unknown): string {
  if (cell === '') return '""'
  const text = withoutFormula(cellText(cell))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: readonly unknown[]): string => {
  const text = cells.map(field).join(',')
  // A single column without a value would otherwise be a blank line, which readers skip.
  return text === '' && cells.length === 1 ? '""\n' : `${text}\n`
}

export async function* csvText(columns: readonly Column[], rows: RowBatches): AsyncIterable<string> {
  yield line(columns.map((column) => column.name))
  for await (const batch of rows) yield batch.map((row: Row) => line(row)).join('')
}
