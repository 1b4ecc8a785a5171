// Gains: pieces of disposals as published, and methods side by side.
import type { Matching } from './lots.ts'
import type { Amount, Cell, Column, Failure, Page, Rows, Stamp, Stamped, Time } from './shapes.ts'

/**
 * Filters of gains. `from`, `to` (days or times, inclusive) or `year` (the tax year of the published rules); `term` as the
 * column; `known`: `no` keeps only pieces without a known gain.
 */
export interface GainFilter {
  readonly account?: string
  readonly coin?: string
  readonly from?: string
  readonly to?: string
  readonly year?: string
  readonly term?: string
  readonly known?: 'yes' | 'no'
}

/** GET /api/gains?…filters&cursor=: pieces of disposals as published, newest first; 100 rows a page. */
export interface Gains extends Stamped {
  readonly pieces: Page<DisposalRow>
  /** By coin and term; pieces without a known gain are in separate rows. */
  readonly totals: Rows<GainTotalRow>
  /** The same over all coins, by term. */
  readonly together: Rows<Omit<GainTotalRow, 'coin' | 'quantity'>>
  /** Tax years in which something was disposed of, newest first. */
  readonly years: readonly number[]
  readonly matching: Matching | null
}

export interface DisposalRow {
  readonly account: string
  readonly coin: string
  readonly method: string
  readonly rules: string
  readonly disposed_at: Time
  readonly acquired_at: Time | null
  readonly quantity: Amount
  readonly proceeds: Amount | null
  readonly cost_basis: Amount | null
  readonly denied_loss: Amount | null
  readonly gain: Amount | null
  readonly currency: string | null
  readonly holding_days: number | null
  readonly term: string | null
  readonly disposal_id: string
  readonly lot_id: string | null
  /** What the proceeds are net of; absent from books of an earlier version. */
  readonly fees?: Amount | null
  /** Distinguishes the row from others in this ledger; has no other meaning. */
  readonly rowid: number
}

export interface GainTotalRow {
  readonly coin: string
  readonly currency: string | null
  readonly term: string | null
  readonly is_known: boolean
  readonly pieces: number
  readonly quantity: Amount
  readonly proceeds: Amount | null
  readonly cost_basis: Amount | null
  readonly denied_loss: Amount | null
  readonly gain: Amount | null
  /** What the proceeds are net of; absent from books of an earlier version. */
  readonly fees?: Amount | null
}

/**
 * GET /api/gains/methods?methods=fifo,lifo,hifo&account=&from=&to=&year=: NDJSON, one MethodLine per line. Aborting the
 * fetch cancels it. Its figures are those of `tieout report gains --methods`.
 */
export type MethodLine =
  | { readonly kind: 'progress'; readonly method: string; readonly done: number; readonly of: number }
  | {
      readonly kind: 'complete'
      readonly stamp: Stamp
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
      readonly totals: readonly (readonly Cell[])[]
      readonly notes: readonly string[]
    }
  | ({ readonly kind: 'failed' } & Failure)
