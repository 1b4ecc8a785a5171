// What all answers share: the shapes of values, the stamp of the ledger, rows with their query, and a refusal.

/** Decimal text, at most 18 decimals: `-1.5`. */
export type Amount = string
/** ISO-8601 in UTC: `2026-01-31T12:00:00.000Z`. */
export type Time = string
/** `2026-01-31`, a day of UTC. */
export type Day = string

/** A value of a ledger column or a query: amounts, times and whole numbers beyond 2^53 are text. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell }
export type CellKind = 'amount' | 'number' | 'time' | 'date' | 'text'

export interface Column {
  readonly name: string
  readonly kind: CellKind
}

/** Which ledger an answer is from. Two answers of one page belong together only with the same `publication`. */
export interface Stamp {
  /** Names the published file: another file has another one. Cursors hold it too. Short hex text, to be shown. */
  readonly publication: string
  /** SHA-256 over what the ledger says, as filings keep it; null until it has been calculated (seconds in large books). */
  readonly ledgerHash: string | null
  readonly publishedAt: Time
  readonly openErrors: number
  readonly openWarnings: number
}

/** Every answer that is made of the ledger. */
export interface Stamped {
  readonly stamp: Stamp
}

/** Rows with the query that answers them, values written out: it can be opened and run in the console. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly sql: string
}

/** Rows in pages: the next page is asked for with `cursor=next`; null on the last. */
export interface Page<Row> extends Rows<Row> {
  readonly next: string | null
}

/** Body of every answer with a status of 400 and above. */
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
