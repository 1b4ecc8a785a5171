// What stands in one place of a table, whatever it is printed as. How it is read of the engine stands in value.ts.

/** Amounts are decimal text, times ISO-8601 text in UTC, whole numbers beyond 2^53 text. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell }

export type Row = readonly Cell[]

/** Decides alignment, and how a spreadsheet takes the cell. */
export type CellKind = 'amount' | 'number' | 'time' | 'date' | 'text'

/** A cell as one piece of text: nothing for no value, JSON for lists and structures. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
