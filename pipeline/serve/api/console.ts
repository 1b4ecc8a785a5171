// Console: queries, their files, and completions.
import type { Cell, CellKind, Column, Failure, Stamp, Stamped } from './shapes.ts'

/** POST /api/console/run. One query at a time and four waiting; a fifth is refused with 429. */
export interface ConsoleRequest {
  /** Chosen by the page, unique; named by cancel. */
  readonly id: string
  readonly sql: string
  /** Seconds until the last row, at most 600; 30 if absent. */
  readonly timeout?: number
}

/** Answer of run: NDJSON, one object per line. The last line is always `end`; a stream without it was cut off. */
export type ConsoleLine =
  | { readonly kind: 'waiting'; readonly ahead: number }
  | { readonly kind: 'begun'; readonly stamp: Stamp }
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  /** `total`: rows so far, including these. */
  | { readonly kind: 'rows'; readonly total: number; readonly rows: readonly (readonly Cell[])[] }
  | ConsoleEnd

export interface ConsoleEnd {
  readonly kind: 'end'
  /** complete: every row is here; cut: a limit was reached, there is more; stopped: cancelled or out of time; failed. */
  readonly how: 'complete' | 'cut' | 'stopped' | 'failed'
  readonly rows: number
  readonly elapsedMs: number
  /** Which limit cut it: `10000 rows` or `16 MB`. */
  readonly limit?: string
  readonly error?: Failure['error']
}

/** POST /api/console/cancel; answers 204, even if the query no longer exists. */
export interface ConsoleCancel {
  readonly id: string
}

/** POST /api/console/download; answers ConsoleTicket. */
export interface ConsoleDownload {
  readonly sql: string
  readonly format: 'csv' | 'parquet'
}

/** A GET of `url` returns the file, once and within 60 s; a failure half-way breaks the connection. */
export interface ConsoleTicket {
  readonly url: string
}

/** POST /api/console/complete */
export interface CompleteRequest {
  readonly sql: string
  /** Offset of the cursor in sql, in UTF-16 units. */
  readonly position: number
}

export interface Completion {
  readonly suggestions: readonly {
    readonly text: string
    /** Offset in sql from which `text` replaces the text before the cursor. */
    readonly from: number
  }[]
}

/** GET /api/console/schema */
export interface ConsoleSchema extends Stamped {
  readonly tables: readonly SchemaTable[]
  /** Keywords of the dialect, for highlighting. */
  readonly keywords: readonly string[]
  readonly functions: readonly string[]
  readonly types: readonly string[]
}

export interface SchemaTable {
  readonly name: string
  readonly says: string
  readonly grain: string
  readonly keys: string
  /** Null for a view, which has no rows of its own. */
  readonly rows: number | null
  readonly columns: readonly SchemaColumn[]
}

export interface SchemaColumn {
  readonly name: string
  readonly type: string
  readonly kind: CellKind
  readonly says: string
}

/** GET /api/console/examples */
export interface ConsoleExamples {
  readonly examples: readonly { readonly title: string; readonly sql: string }[]
}
