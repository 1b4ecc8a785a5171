// The parts of a workbook, as an unzipping reader sees them.
import { strFromU8, unzipSync } from 'fflate'
import type { Row } from '../../pipeline/output/cell.ts'
import { asBatches } from '../../pipeline/output/column.ts'
import { type SheetReport, type SheetRoom, xlsxBytes } from '../../pipeline/output/xlsx.ts'

export type Filled = Omit<SheetReport, 'rows'> & { readonly rows: readonly Row[] }

export async function bytesOf(report: Filled, room?: SheetRoom): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of xlsxBytes({ ...report, rows: asBatches(report.rows) }, room)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Text of each part, by name. */
export async function unzipped(report: Filled, room?: SheetRoom): Promise<Record<string, string>> {
  const files = unzipSync(await bytesOf(report, room))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
}
