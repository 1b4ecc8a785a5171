// A table on a terminal: the most important columns, as many as fit, and the first rows. A figure is shown in
// full or its column is left out, words wrap onto further lines, and omissions are listed below. Without a
// terminal, tables are complete (table.ts).

import { cellText, type Row } from './cell.ts'
import type { Column, RowBatches } from './column.ts'
import { fits, isId, leastWidths, NARROWEST, printTable, widthOf } from './table.ts'

/** Names of columns, the most important first; columns that are meaningful only together are in one list. */
export type Importance = readonly (string | readonly string[])[]

export interface Screen {
  /** Columns of the terminal. */
  readonly width: number
  /**
   * If not all columns fit, only those listed here are shown. Without it the order of the table is used, ids
   * last.
   */
  readonly importance?: Importance | undefined
  readonly totals?: readonly Row[]
  /** How to get all rows, for the line that counts those not shown. */
  readonly whole?: string
}

const ALL_OF_THEM = '--wide shows all, --out FILE.csv writes them to a file'

/** Lines per row; a longer text would push the other rows off the screen. */
const MOST_LINES = 6

/** More rows would scroll the beginning away. */
export const ROWS_ON_SCREEN = 25

/** The table, and a line for each way in which it is incomplete. */
export async function screenTable(
  columns: readonly Column[],
  rows: RowBatches,
  { width, importance = [], totals = [], whole = ALL_OF_THEM }: Screen,
): Promise<{
  readonly table: string
  readonly leftOut: readonly string[]
  readonly notShown: readonly string[]
}> {
  const { first, more } = await beginning(rows)
  const { table, leftOut } = fitted(columns, first, { width, importance, totals })
  const missing =
    leftOut.length === 0 ? [] : [`Left out at ${width} columns (--wide shows all): ${leftOut.join(', ')}.`]
  return { table, leftOut, notShown: [...rest(first.length, more, whole), ...missing] }
}

/** All rows, in the columns that fit; and the headings of those that do not. */
export function fitted(
  columns: readonly Column[],
  rows: readonly Row[],
  { width, importance = [], totals = [] }: Screen,
): { readonly table: string; readonly leftOut: readonly string[] } {
  const lines = [...rows, ...totals]
  if (fits(columns, lines, width)) return { table: printTable(columns, rows, { totals }), leftOut: [] }

  const brief = columns.map(withoutSeconds)
  const short = rows.map((row) => toTheMinute(columns, row))
  const sums = totals.map((row) => toTheMinute(columns, row))
  const kept = chosen(brief, [...short, ...sums], width, importance)
  const [first = 0] = kept
  const withLabels = labelled(columns, sums, kept)
  const least = leastWidths(brief, [...short, ...sums])
  const ofLabels = leastWidths(brief, withLabels)[first] ?? 0
  least[first] = Math.max(least[first] ?? 0, Math.min(ofLabels, NARROWEST))
  // A label makes room for itself by wrapping, and never at the expense of a figure.
  const hasRoom = widthOf(kept.map((index) => least[index] ?? 0)) <= width
  const only = (row: Row): Row => kept.map((index) => row[index] ?? null)
  const table = printTable(
    kept.map((index) => brief[index] as Column),
    short.map(only),
    { width, lines: MOST_LINES, totals: (hasRoom ? withLabels : sums).map(only) },
  )
  const leftOut = columns.filter((_, index) => !kept.includes(index)).map(({ title, name }) => title ?? name)
  return { table, leftOut }
}

/** Totals keep their label even if its column, the first, is left out: it moves to the first column shown. */
function labelled(columns: readonly Column[], totals: readonly Row[], kept: readonly number[]): Row[] {
  const [first = 0] = kept
  if ((columns[first]?.kind ?? 'text') !== 'text') return [...totals]
  return totals.map((row) => {
    const at = row.findIndex((cell) => cell !== null)
    if (at === -1 || kept.includes(at) || row[first] !== null) return row
    return row.map((cell, index) => (index === first ? (row[at] ?? null) : cell))
  })
}

/** The first rows, and the number of the rest, which are counted and not kept. */
async function beginning(
  rows: RowBatches,
): Promise<{ readonly first: readonly Row[]; readonly more: number }> {
  const first: Row[] = []
  let count = 0
  for await (const batch of rows) {
    count += batch.length
    if (first.length < ROWS_ON_SCREEN) first.push(...batch.slice(0, ROWS_ON_SCREEN - first.length))
  }
  return { first, more: count - first.length }
}

const rest = (shown: number, more: number, whole: string): string[] =>
  more === 0 ? [] : [`… the first ${shown} of ${shown + more} rows: ${whole}.`]

const withoutSeconds = (column: Column): Column =>
  column.kind === 'time' ? { ...column, title: `${column.title ?? column.name} UTC` } : column

/** Times to the minute, for people; everything else unchanged. */
const toTheMinute = (columns: readonly Column[], row: Row): Row =>
  row.map((cell, index) =>
    columns[index]?.kind === 'time' && typeof cell === 'string' ? cell.slice(0, 16).replace('T', ' ') : cell,
  )

const idsLast =
  (columns: readonly Column[]) =>
  ([one = 0]: readonly number[], [other = 0]: readonly number[]): number =>
    Number(isId(columns[one]?.name)) - Number(isId(columns[other]?.name)) || one - other

/**
 * Positions of the columns that fit, in the order of the table: by importance, skipping those that are too
 * wide or contain nothing. A column of unknown amounts is shown too, if there is still room.
 */
function chosen(
  columns: readonly Column[],
  lines: readonly Row[],
  width: number,
  importance: Importance,
): number[] {
  const least = leastWidths(columns, lines)
  const place = (name: string): number => columns.findIndex((column) => column.name === name)
  const saysNothing = (index: number): boolean => lines.every((row) => cellText(row[index] ?? null) === '')
  const named = importance.map((group) =>
    [group]
      .flat()
      .map(place)
      .filter((index) => index !== -1 && !(lines.length > 0 && saysNothing(index))),
  )
  const unknown = importance
    .flat()
    .map(place)
    .filter((index) => columns[index]?.kind === 'amount' && saysNothing(index))
    .map((index) => [index])
  const groups =
    importance.length > 0
      ? [...named, ...unknown]
      : columns.map((_, index) => [index]).toSorted(idsLast(columns))
  const kept = new Set<number>()
  for (const group of groups) {
    const tried = [...new Set([...kept, ...group])]
    if (kept.size === 0 || widthOf(tried.map((index) => least[index] ?? 0)) <= width)
      for (const index of group) kept.add(index)
  }
  return [...kept].toSorted((one, other) => one - other)
}
