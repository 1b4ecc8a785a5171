// Plain tables for a terminal: no colours, amounts aligned at the decimal point, nothing rounded. If a width
// is given, running text wraps onto as many lines as a row may have, and is cut (with …) in the last;
// amounts, times, numbers and ids are never cut. Written here because the table printers on npm neither align
// at a decimal point nor keep foreign control characters out.
import stringWidth from 'string-width'
import { cellText } from './cell.ts'
import { allRows, type Column, type RowBatches } from './column.ts'
import { beginning, wrapped } from './wrap.ts'

export interface TableOptions {
  /** Columns of the terminal; without it nothing is wrapped or cut. */
  readonly width?: number
  /** How many lines a row may have if its text is too wide; one if absent. */
  readonly lines?: number
  /** Rows below a second rule: sums of the rows above. */
  readonly totals?: readonly (readonly unknown[])[]
}

type Align = 'left' | 'right' | 'decimal'

const GAP = '  '
/** Minimum width of wrapped text. */
export const NARROWEST = 8

/** Everything that could move the cursor, ring, recolour or reverse the text of a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu

/** One line of printable text: anything that a terminal would interpret is shown as its code. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '\\n'
    return `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

function alignment(column: Column): Align {
  if (column.align !== undefined) return column.align
  if (column.kind === 'amount') return 'decimal'
  return column.kind === 'number' ? 'right' : 'left'
}

const decimals = (text: string): number => {
  const point = text.indexOf('.')
  return point === -1 ? 0 : text.length - point
}

/** Pads amounts on the right so that their decimal points are aligned. */
function atPoint(texts: readonly string[]): string[] {
  const most = texts.reduce((longest, text) => Math.max(longest, decimals(text)), 0)
  return texts.map((text) => (text === '' ? '' : text + ' '.repeat(most - decimals(text))))
}

export const isId = (name = ''): boolean => /(_id|_hash)$/.test(name)

/** Running text may be wrapped; an id is only useful whole. */
const mayBreak = (column: Column): boolean =>
  alignment(column) === 'left' && (column.kind ?? 'text') === 'text' && !isId(column.name)

/**
 * Narrows the widest text columns until the table fits, as far as possible; words are broken only as a last
 * resort.
 */
function shrink(
  widths: number[],
  narrows: readonly boolean[],
  words: readonly number[],
  width: number,
): number[] {
  const whole = narrowed(
    widths,
    narrows.map((mayNarrow, index) => (mayNarrow ? Math.max(NARROWEST, words[index] ?? 0) : Infinity)),
    width,
  )
  return narrowed(
    whole,
    narrows.map((mayNarrow) => (mayNarrow ? NARROWEST : Infinity)),
    width,
  )
}

/** Narrows the widest column that is above its minimum, until the table fits or none is. */
function narrowed(widths: readonly number[], least: readonly number[], width: number): number[] {
  const fitted = [...widths]
  for (let excess = widthOf(fitted) - width; excess > 0; excess -= 1) {
    let widest = -1
    fitted.forEach((each, index) => {
      if (each > (least[index] ?? 0) && (widest === -1 || each > (fitted[widest] ?? 0))) widest = index
    })
    if (widest === -1) return fitted
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}

/** A text in a limited number of lines; the last shows that it continues. */
function linesOf(text: string, width: number, most: number): string[] {
  const lines = wrapped(text, width)
  if (lines.length <= most) return lines
  const rest = lines.slice(most - 1).join(' ')
  return [...lines.slice(0, most - 1), `${beginning(rest, width - 1)}…`]
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return right ? space + text : text + space
}

interface Measured {
  readonly titles: readonly string[]
  /** Texts by column, then by line. */
  readonly cells: readonly (readonly string[])[]
  /** Widths at which every cell fits on one line. */
  readonly widths: number[]
}

function measured(columns: readonly Column[], lines: readonly (readonly unknown[])[]): Measured {
  const titles = columns.map((column) => printable(column.title ?? column.name))
  const cells = columns.map((column, index) => {
    const texts = lines.map((row) => printable(cellText(row[index])))
    return alignment(column) === 'decimal' ? atPoint(texts) : texts
  })
  const widths = titles.map((title, index) =>
    (cells[index] ?? []).reduce((widest, text) => Math.max(widest, stringWidth(text)), stringWidth(title)),
  )
  return { titles, cells, widths }
}

/** Minimum width for readable running text. */
const READABLE = 16
/** A name up to this length is kept whole; a longer one wraps like any text. */
const LONGEST_WORD = 32

/** The widest word of each column that must be kept whole. */
const wordsOf = (cells: readonly (readonly string[])[]): number[] =>
  cells.map((texts) =>
    texts
      .flatMap((text) => text.split(' ').map((word) => stringWidth(word)))
      .filter((width) => width <= LONGEST_WORD)
      .reduce((widest, width) => Math.max(widest, width), 0),
  )

/** The minimum width of each column, with running text as narrow as still readable. */
export function leastWidths(columns: readonly Column[], lines: readonly (readonly unknown[])[]): number[] {
  const { cells, widths } = measured(columns, lines)
  const words = wordsOf(cells)
  return widths.map((width, index) =>
    mayBreak(columns[index] as Column) ? Math.min(width, Math.max(READABLE, words[index] ?? 0)) : width,
  )
}

/** The width of a table with columns of these widths. */
export const widthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1)

/** Whether every row of the table fits on one line. */
export const fits = (
  columns: readonly Column[],
  lines: readonly (readonly unknown[])[],
  width: number,
): boolean => widthOf(measured(columns, lines).widths) <= width

/** A heading, a rule and the rows, without a trailing line break. */
export function printTable(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  options: TableOptions = {},
): string {
  const { totals = [], lines: most = 1 } = options
  const { titles, cells, widths: natural } = measured(columns, [...rows, ...totals])
  const narrows = columns.map(mayBreak)
  const widths =
    options.width === undefined ? natural : shrink(natural, narrows, wordsOf(cells), options.width)
  const line = (texts: readonly string[]): string => {
    const broken = texts.map((text, index) =>
      narrows[index] === true ? linesOf(text, widths[index] ?? 0, most) : [text],
    )
    const height = Math.max(...broken.map((lines) => lines.length))
    return Array.from({ length: height }, (_, nth) =>
      broken
        .map((lines, index) =>
          pad(lines[nth] ?? '', widths[index] ?? 0, alignment(columns[index] as Column) !== 'left'),
        )
        .join(GAP)
        .trimEnd(),
    ).join('\n')
  }
  const rule = widths.map((width) => '─'.repeat(width)).join(GAP)
  const body = Array.from({ length: rows.length + totals.length }, (_, row) =>
    line(cells.map((texts) => texts[row] ?? '')),
  )
  if (totals.length > 0) body.splice(rows.length, 0, rule)
  return [line(titles), rule, ...body].join('\n')
}

/**
 * Nobody reads more lines than this on a terminal, and a table must know all of them before it prints the
 * first.
 */
export const TABLE_ROW_LIMIT = 100_000

export async function* tableText(
  columns: readonly Column[],
  rows: RowBatches,
  options: TableOptions = {},
): AsyncIterable<string> {
  yield `${printTable(columns, await allRows(rows, TABLE_ROW_LIMIT), options)}\n`
}
