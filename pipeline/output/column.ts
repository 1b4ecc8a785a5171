// What every format prints: named columns and rows of cells, in batches, so that a long result never stands in memory.
import type { CellKind, Row } from './value.ts'

export interface Column {
  /** Key in JSON and heading in CSV. */
  readonly name: string
  /** Heading for people; the name when absent. */
  readonly title?: string
  /** `decimal` lines amounts up at the decimal point. Follows from the kind when absent. */
  readonly align?: 'left' | 'right' | 'decimal'
  readonly kind?: CellKind
}

export type RowBatches = AsyncIterable<readonly Row[]>

/** Reads all batches into one list, for formats that must know every row before the first is printed. */
export async function allRows(batches: RowBatches): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) for (const row of batch) rows.push(row)
  return rows
}

/** Rows that are in memory already, as batches. */
export async function* asBatches(rows: readonly Row[]): RowBatches {
  if (rows.length > 0) yield rows
}
