// A workbook of two sheets: a cover that states what the report is, whether it is complete and what it was
// made from, and the report itself, with filters, frozen headings, numbers that add up, dates that sort, and
// columns as wide as their contents. On paper the headings are on every page, and no page ends in the middle
// of a line. A spreadsheet cell is a double with 15 digits. If an amount of a column has more, the column
// appears twice: as numbers, for sums, and beside it as exact text. Never a mix: a sum over a column would
// silently omit its text cells.
//
// A sheet begins with its columns and their widths, so the rows are read twice: to measure them, and to write
// them. Neither they nor the sheet are ever in memory as a whole.
import { deserialize, serialize } from 'node:v8'
import { type Cell, cellText, type Row } from './cell.ts'
import { type Column, type RowBatches, tooManyRows } from './column.ts'
import { Spool } from './spool.ts'
import {
  cellOfText,
  PART_BYTES,
  SHEET_ROWS,
  type SheetCell,
  type SheetRow,
  workbookBytes,
} from './workbook.ts'

const EXACT_DIGITS = 15
/** Spreadsheets count days from 1900; an earlier one stays text. */
const FIRST_TIME = '1900-03-01'
const DAY_MS = 86_400_000
/** 1970-01-01, in days since 1899-12-30. */
const DAY_OF_1970 = 25_569

/** Whether a double, and the 15 digits that a spreadsheet shows of it, hold the amount unchanged. */
export function isExactInSheet(amount: string): boolean {
  if (!/^[+-]?\d+(\.\d+)?$/.test(amount)) return false
  if (amount.length <= EXACT_DIGITS) return true
  const digits = amount.replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
  return digits.length <= EXACT_DIGITS
}

export interface SheetReport {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: RowBatches
  readonly totals: readonly Row[]
  /** What makes the figures incomplete; first on the cover. */
  readonly warnings?: readonly string[] | undefined
  /** What the report was asked for and made from, by name: rules, zone, hashes. */
  readonly facts?: readonly (readonly [string, string])[] | undefined
  readonly notes: readonly string[]
}

export interface SheetRoom {
  /** Folder tmp of the books, for the rows of long reports. */
  readonly tempDir?: string | undefined
  /** The limits of the format. */
  readonly sheetRows?: number
  readonly partBytes?: number
}

function sheetCell(value: Cell | undefined, kind: Column['kind']): SheetCell | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return { value, format: 'plain' }
  if (kind === 'amount') return number(Number(value), value)
  if ((kind === 'time' || kind === 'date') && typeof value === 'string' && value >= FIRST_TIME)
    return instant(new Date(value).getTime(), kind, value)
  // Of a whole number with 16 digits, a spreadsheet shows 15.
  const isShort = typeof value === 'number' && (!Number.isInteger(value) || isExactInSheet(String(value)))
  return isShort ? number(value, value) : cellOfText(cellText(value))
}

/** A cell cannot hold what is not a number; it then has the text that the number was read from. */
const number = (value: number, from: Cell): SheetCell =>
  Number.isFinite(value)
    ? { value, format: Number.isInteger(value) ? 'whole' : 'decimal' }
    : cellOfText(cellText(from))

const instant = (ms: number, kind: 'time' | 'date', from: string): SheetCell =>
  Number.isFinite(ms)
    ? {
        value: ms / DAY_MS + DAY_OF_1970,
        format: kind === 'date' ? 'date' : ms % 1000 === 0 ? 'time' : 'fineTime',
      }
    : cellOfText(from)

/** Characters of the widest column; longer text wraps in its cell. */
const WIDEST = 60
/** Space for the filter button. */
const BUTTON = 3
/** `2026-01-02 12:00:00`, and with milliseconds; a column of dates is as wide, for its heading. */
const [TIME_WIDTH, FINE_TIME_WIDTH] = [20, 24]

/** As spreadsheets show them. */
const DECIMALS = 18
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: DECIMALS })

/** Ratio of the width of bold digits to that of the digits by which columns are measured. */
const BOLD_DIGITS = 1.1

/** Length of a number with a comma between thousands, `1,234.5`. */
export function shownLength(value: number): number {
  const digits = String(value)
  // Of numbers with an exponent, a sheet shows all digits.
  if (digits.includes('e')) return NUMBER.format(value).length
  const sign = value < 0 ? 1 : 0
  const point = digits.indexOf('.')
  if (point !== -1 && digits.length - point - 1 > DECIMALS) return NUMBER.format(value).length
  const whole = (point === -1 ? digits.length : point) - sign
  return digits.length + Math.floor((whole - 1) / 3)
}

function charactersOf(cell: SheetCell | null): number {
  if (cell === null) return 0
  const { value, format } = cell
  if (format === 'fineTime') return FINE_TIME_WIDTH
  if (format === 'time' || format === 'date') return TIME_WIDTH
  return typeof value === 'number' ? shownLength(value) : String(value).length
}

const isLeft = (kind: Column['kind']): boolean => kind === undefined || kind === 'text'

const bold = (value: string): SheetCell => ({ ...cellOfText(value), isBold: true })

const heading = (title: string, kind: Column['kind']): SheetCell => ({
  ...bold(title),
  isRight: !isLeft(kind),
})

const exactCell = (value: Cell | undefined): SheetCell | null =>
  value === null || value === undefined ? null : { ...cellOfText(cellText(value)), isRight: true }

/** What a column of the report becomes: itself, and beside it its exact text if numbers would lose digits. */
class SheetColumn {
  readonly #kind: Column['kind']
  readonly #index: number
  readonly #title: string
  readonly #exactTitle: string
  #isExact = true
  /** Characters of the column, and of its exact text. */
  #widest: number
  #widestExact: number

  constructor({ kind, name, title }: Column, index: number) {
    this.#kind = kind
    this.#index = index
    this.#title = (title ?? name) + (kind === 'time' ? ' (UTC)' : '')
    this.#exactTitle = `${this.#title} (exact)`
    this.#widest = this.#title.length + BUTTON
    this.#widestExact = this.#exactTitle.length + BUTTON
  }

  /** `ratio` is the width of its characters. */
  measure(row: Row, ratio = 1): void {
    const value = row[this.#index]
    const wide = (cell: SheetCell | null): number => Math.ceil(charactersOf(cell) * ratio)
    this.#widest = Math.max(this.#widest, wide(sheetCell(value, this.#kind)))
    if (this.#kind !== 'amount' || value === null || value === undefined) return
    this.#widestExact = Math.max(this.#widestExact, wide(exactCell(value)))
    this.#isExact &&= isExactInSheet(String(value))
  }

  get widths(): number[] {
    const widths = this.#isExact ? [this.#widest] : [this.#widest, this.#widestExact]
    return widths.map((widest) => Math.min(widest, WIDEST) + 1)
  }

  get headings(): SheetCell[] {
    const plain = heading(this.#title, this.#kind)
    return this.#isExact ? [plain] : [plain, heading(this.#exactTitle, this.#kind)]
  }

  addCells(row: Row, cells: (SheetCell | null)[]): void {
    const value = row[this.#index]
    cells.push(sheetCell(value, this.#kind))
    if (!this.#isExact) cells.push(exactCell(value))
  }
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
 * A row in columns of these widths. If a text needs more than one line, the row is high enough for it. Other
 * rows have no height of their own, and their texts no style, because that is most of what a workbook costs.
 */
function placed(cells: readonly (SheetCell | null)[], widths: readonly number[]): SheetRow {
  let lines = 1
  for (const [at, width] of widths.entries()) {
    // Everything in a narrower column fits: it is as wide as its contents.
    if (width <= WIDEST) continue
    lines = Math.max(lines, Math.ceil(charactersOf(cells[at] ?? null) / (NARROW_LETTERS * width)))
  }
  return lines === 1 ? { cells } : { cells, height: Math.min(lines, MOST_LINES) * LINE_HEIGHT }
}

/** Without the backticks around commands and column names: a cell has no separate font for them. */
const asPlain = (sentence: string): string => sentence.replace(/`([^`]+)`/g, '$1')

const COVER_WIDTH = 100

function coverOf({ title, warnings = [], facts = [], notes }: SheetReport): SheetRow[] {
  return [
    bold(title),
    ...warnings.map(asPlain).map(bold),
    ...facts.map(([name, value]) => cellOfText(`${name}: ${asPlain(value)}`)),
    ...notes.map(asPlain).map(cellOfText),
  ].map((line) => placed([line], [COVER_WIDTH]))
}

/** Rows of which the cells are in memory at a time; with a thousand, collecting them takes a quarter of the time. */
const PIECE_ROWS = 100

/**
 * The bytes of an .xlsx file. UsageError, before the first byte, if the report has more rows than a sheet; and
 * if the file would be larger than the format allows.
 */
export async function* xlsxBytes(
  report: SheetReport,
  { tempDir, sheetRows = SHEET_ROWS, partBytes = PART_BYTES }: SheetRoom = {},
): AsyncIterable<Uint8Array> {
  const { title, totals } = report
  const columns = report.columns.map((column, index) => new SheetColumn(column, index))
  const kept = new Spool(tempDir)
  try {
    const most = sheetRows - 1 - totals.length
    let count = 0
    for await (const batch of report.rows) {
      count += batch.length
      if (count > most) throw tooManyRows(`${most} rows, which with their headings and totals fill a sheet`)
      for (let at = 0; at < batch.length; at += PIECE_ROWS) {
        const rows = batch.slice(at, at + PIECE_ROWS)
        for (const row of rows) for (const column of columns) column.measure(row)
        await kept.add(serialize(rows))
      }
    }
    for (const row of totals) for (const column of columns) column.measure(row, BOLD_DIGITS)
    const widths = columns.flatMap((column) => column.widths)
    const cellsOf = (row: Row): (SheetCell | null)[] => {
      const cells: (SheetCell | null)[] = []
      for (const column of columns) column.addCells(row, cells)
      return cells
    }
    async function* table(): AsyncIterable<readonly SheetRow[]> {
      yield [{ cells: columns.flatMap((column) => column.headings) }]
      for await (const piece of kept.pieces())
        yield (deserialize(piece) as Row[]).map((row) => placed(cellsOf(row), widths))
      yield totals.map((row) => ({ cells: cellsOf(row).map(asTotal) }))
    }
    yield* workbookBytes(
      title,
      {
        cover: { widths: [COVER_WIDTH], rows: [coverOf(report)] },
        table: { widths, rows: table(), filtered: count + 1 },
      },
      { tempDir, partBytes },
    )
  } finally {
    await kept.close()
  }
}

const asTotal = (cell: SheetCell | null): SheetCell | null => cell && { ...cell, isBold: true }
