// Filings, and what differs from them now.
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

/** GET /api/filings/NAME: the same report made again now, held against it. */
export interface FilingDifference extends Stamped {
  readonly filing: FilingRow
  /** Columns change (added, removed, changed), line, field, before, after. */
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** What differs in short, which inputs changed, whether the journal still holds. */
  readonly notes: readonly string[]
  /** The command that prints the same. */
  readonly command: string
}
