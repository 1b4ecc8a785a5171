// Shared by all answers: the shapes of values, the stamp of the ledger, rows with their query, and a refusal.

/** Decimal text, at most 18 decimals: `-1.5`. */
export type Amount = string
/** ISO-8601 in UTC: `2026-01-31T12:00:00.000Z`. */
export type Time = string
/** `2026-01-31`, a UTC day. */
export type Day = string

/** A value of a ledger column or a query: amounts, times and whole numbers beyond 2^53 are text. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell }
export type CellKind = 'amount' | 'number' | 'time' | 'date' | 'text'

export interface Column {
  readonly name: string
  readonly kind: CellKind
}

/** Which ledger an answer comes from. Two answers may be shown together only if they have the same `publication`. */
export interface Stamp {
  /** Identifies the published file: every file has a different value. Cursors contain it too. Short hex text, for display. */
  readonly publication: string
  /** SHA-256 of the ledger's content, as in filings; null until it has been calculated (seconds in large books). */
  readonly ledgerHash: string | null
  readonly publishedAt: Time
  readonly openErrors: number
  readonly openWarnings: number
}

/** Every answer that comes from the ledger. */
export interface Stamped {
  readonly stamp: Stamp
}

/** Rows with the query that returns them, values written out, so that it can be opened and run in the console. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly sql: string
}

/** Rows in pages: the next page is requested with `cursor=next`; null on the last. */
export interface Page<Row> extends Rows<Row> {
  readonly next: string | null
}

/** Body of every answer with status 400 or above. */
export interface Failure {
  readonly error: {
    /** UsageError, NoLedger, CorruptionError, Republished, Busy, Forbidden, … */
    readonly name: string
    readonly message: string
    readonly where?: string
    readonly expected?: string
    readonly found?: string
    /** What to do next. */
    readonly action: string
  }
}
