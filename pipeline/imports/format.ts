// What an import is: its kind, the table that it lands in, and how a file of it becomes rows. Reading is a pure function
// of the bytes, for the journal keeps the file and landing reads it again; a rule that refuses may be lifted, never added.
import { UsageError } from '../../models/error.ts'
import type { FieldValue } from '../../models/record.ts'
import type { Column, Table } from '../engine/table.ts'
import type { CsvFile, CsvLine } from './csv.ts'
import { refuseCell } from './refusals.ts'

export const importKinds = ['trades', 'lots', 'prices'] as const

export type ImportKind = (typeof importKinds)[number]

/** One row as it lands. */
export interface ImportedRow {
  /** Line of the file, from 1. */
  readonly line: number
  /**
   * In the order of the table's columns after page_id and page_row; a time is a bigint of Unix microseconds.
   */
  readonly values: readonly FieldValue[]
  /** Cells whose amounts had more decimals than are kept. */
  readonly rounded: number
}

export interface ImportFormat {
  readonly kind: ImportKind
  readonly table: Table
  /** Columns whose values identify a row: two rows with the same values are an error. */
  readonly identity: readonly string[]
  /** UsageError with the positions of everything that is wrong. */
  readonly read: (file: CsvFile) => ImportedRow[]
}

/** Leading columns of an imported row's landing table, before its own. */
export const PLACE_COLUMNS = ['page_id', 'page_row'] as const

/** The columns of an imported row itself, in the order of its values. */
export const ownColumns = ({ table }: Pick<ImportFormat, 'table'>): readonly Column[] =>
  table.columns.slice(PLACE_COLUMNS.length)

/** The position of a column's value in a row; -1 if the kind has no such column. */
export const placeOf = (format: Pick<ImportFormat, 'table'>, column: string): number =>
  ownColumns(format).findIndex(({ name }) => name === column)

/** Hint for a header saved by a spreadsheet with a decimal comma, which puts semicolons between the cells. */
export const separatorHint = (cells: readonly string[]): string =>
  cells.length === 1 && /[;\t]/.test(cells[0] ?? '')
    ? ', with commas between the cells and points for decimals'
    : ''

/**
 * A header with most of these names, in another order, in capitals or with spaces: it is meant to be ours.
 */
export const resembles = (cells: readonly string[], columns: readonly string[]): boolean =>
  cells.filter((cell) => columns.includes(cell.trim().toLowerCase())).length > columns.length / 2

/** UsageError for a header that is not one of these. */
export function requireHeader(
  file: string,
  header: CsvLine,
  known: readonly (readonly string[])[],
): readonly string[] {
  const found = known.find(
    (columns) =>
      columns.length === header.cells.length && columns.every((name, at) => header.cells[at] === name),
  )
  if (found !== undefined) return found
  const nearest = known[0] ?? []
  const wrong = nearest.findIndex((name, at) => header.cells[at] !== name)
  const at = wrong < 0 ? nearest.length : wrong
  throw new UsageError('Unexpected header.', {
    where: `${file}:${header.number}, column ${nearest[at] ?? header.cells[at] ?? at + 1}`,
    expected: known.map((columns) => columns.join(',')).join(' or ') + separatorHint(header.cells),
    found: header.cells.length === 0 ? 'an empty file' : header.cells.join(','),
    action: 'Give the file this header and import it again; nothing of it has been imported.',
  })
}

/** Refuses an identity that an earlier row of the same file already has. */
export class SeenOnce {
  readonly #file: string
  readonly #column: string
  readonly #lines = new Map<string, number>()

  constructor(file: string, column: string) {
    this.#file = file
    this.#column = column
  }

  /** Returns the identity if no earlier row has it. */
  add(identity: string, line: number): string {
    const before = this.#lines.get(identity)
    if (before !== undefined)
      throw refuseCell(this.#file, line, this.#column, {
        message: `Two rows of the file have the same ${this.#column}.`,
        expected: `a different ${this.#column} in each row`,
        found: `${identity}, as in line ${before}`,
      })
    this.#lines.set(identity, line)
    return identity
  }
}
