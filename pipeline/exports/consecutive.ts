// Groups sorted rows by the cell that names what they belong to.

import type { Row } from '../output/cell.ts'
import type { RowBatches } from '../output/column.ts'

/** Runs of rows with an equal cell at `key`, in their order; memory holds one run and one batch. */
export async function* consecutive(rows: RowBatches, key: number): AsyncIterable<readonly [Row, ...Row[]]> {
  let run: Row[] = []
  for await (const batch of rows) {
    for (const row of batch) {
      if (run.length > 0 && run[0]?.[key] !== row[key]) {
        yield run as [Row, ...Row[]]
        run = []
      }
      run.push(row)
    }
  }
  if (run.length > 0) yield run as [Row, ...Row[]]
}
