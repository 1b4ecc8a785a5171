// What every format prints: named columns and rows of cells, in batches, so that a long result is never held
// in memory.
import type { DuckDBDataChunk, DuckDBType } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import type { CellKind, Row } from './cell.ts'

export interface Column {
  /** Key in JSON and heading in CSV. */
  readonly name: string
  /** Heading for people; the name if absent. */
  readonly title?: string
  /** `decimal` aligns amounts at the decimal point. Follows from the kind if absent. */
  readonly align?: 'left' | 'right' | 'decimal'
  readonly kind?: CellKind
}

/** A result as DuckDB returns it, before its values are read. */
export interface RawResult {
  readonly names: readonly string[]
  readonly types: readonly DuckDBType[]
  readonly chunks: AsyncIterable<DuckDBDataChunk>
}

export type RowBatches = AsyncIterable<readonly Row[]>

/**
 * Reads all batches into one list, for formats that must know every row before the first is printed.
 * UsageError if there are more than `limit` rows: nothing is dropped silently.
 */
export async function allRows(batches: RowBatches, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) {
    for (const row of batch) rows.push(row)
    if (rows.length > limit) throw tooManyRows(`${limit} rows`)
  }
  return rows
}

export const tooManyRows = (atMost: string): UsageError =>
  new UsageError('There are too many rows for this format.', {
    expected: `at most ${atMost}`,
    action: 'Use --format csv or json, which have no limit, or narrow the request.',
  })

/** Rows that are already in memory, as batches. */
export async function* asBatches(rows: readonly Row[]): RowBatches {
  if (rows.length > 0) yield rows
}
