// Filings, and what differs from them today.
import type { Cell, Column, Stamped, Time } from './shapes.ts'

/** GET /api/filings */
export interface Filings {
  readonly filings: readonly FilingRow[]
}

export interface FilingRow {
  readonly name: string
  readonly frozenAt: Time
  readonly report: string
  readonly title: string
  readonly lines: number
  /** As given to `tieout report`, by name. */
  readonly options: Readonly<Record<string, unknown>>
  readonly ledgerHash: string
  readonly version: string
  /** Why it cannot be read; the other fields are then empty. */
  readonly problem: string | null
}

/** GET /api/filings/NAME: the same report, generated again and compared with it. */
export interface FilingDifference extends Stamped {
  readonly filing: FilingRow
  /** Columns change (added, removed, changed), line, field, before, after. */
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** A summary of the differences, which inputs changed, and whether the journal is still intact. */
  readonly notes: readonly string[]
  /** The command that prints the same. */
  readonly command: string
}
