// A single table cell, whatever format it is printed in. value.ts reads cells from the engine.

/** Amounts are decimal text, times ISO-8601 text in UTC, whole numbers beyond 2^53 text. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell }

export type Row = readonly Cell[]

/** Determines the alignment, and how a spreadsheet takes the cell. */
export type CellKind = 'amount' | 'number' | 'time' | 'date' | 'text'

/** A cell as one piece of text: empty for no value, JSON for lists and structures. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
