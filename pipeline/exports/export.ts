// The books for other tools, from the published ledger alone: no lock is taken, and a run may write
// meanwhile.
import { UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { type Ledger, type LedgerOptions, openLedger } from '../ledger/ledger.ts'
import { outFile, writeFileFrom } from '../output/deliver.ts'
import { beancountText } from './beancount.ts'
import { beancountLotsText, LOT_BOOKINGS, type LotBooking } from './beancount-lots.ts'
import { inChunks } from './chunks.ts'
import { hledgerText } from './hledger.ts'
import { exportParquet } from './parquet-folder.ts'

export { LOT_BOOKINGS, type LotBooking }

export const EXPORT_KINDS = ['beancount', 'hledger', 'parquet'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

export interface ExportOptions extends LedgerOptions {
  /** A file, or a folder in which a file is created; for parquet the folder to create. */
  readonly out: string
  /** Beancount only: inventories at cost in the reporting currency, booked by this method. */
  readonly lots?: LotBooking
  readonly disk?: Disk
}

export interface Exported {
  /** What was written: a file, or the folder of parquet. */
  readonly path: string
  /** How many tables a folder contains; null for a file. */
  readonly tables: number | null
}

/** Long exports are not cut off by the time limit for a user's query. */
const TIMEOUT_MS = 24 * 3_600_000

/**
 * Writes the published books of `dir` in another tool's format. `out` changes only once everything is
 * written. UsageError for a path that cannot be written, and for amounts that the format would round.
 */
export async function exportBooks(dir: string, kind: ExportKind, options: ExportOptions): Promise<Exported> {
  const { out, lots, disk = nodeDisk } = options
  if (lots !== undefined && kind !== 'beancount') {
    throw new UsageError('Only the beancount export can book lots.', {
      where: '--lots',
      expected: 'export beancount',
      found: `export ${kind}`,
      action: 'Omit --lots.',
    })
  }
  const ledger = await openLedger(dir, { timeoutMs: TIMEOUT_MS, ...options })
  try {
    if (kind === 'parquet') {
      const { folder, tables } = await exportParquet(ledger, out, dir, disk)
      return { path: folder, tables: tables.length }
    }
    const name =
      kind === 'hledger' ? 'books.journal' : lots === undefined ? 'books.beancount' : `${lots}.beancount`
    const path = await outFile(out, name, dir)
    await writeFileFrom(disk, path, inChunks(textOf(ledger, kind, lots)))
    return { path, tables: null }
  } finally {
    ledger.close()
  }
}

function textOf(
  ledger: Ledger,
  kind: 'beancount' | 'hledger',
  lots: LotBooking | undefined,
): AsyncIterable<string> {
  if (kind === 'hledger') return hledgerText(ledger)
  return lots === undefined ? beancountText(ledger) : beancountLotsText(ledger, lots)
}
