// Overview: net worth, profit and loss, and the state of the books.
import type { BreakTotals, Severity } from './breaks.ts'
import type { FeedStatus } from './coverage.ts'
import type { RunRow } from './runs.ts'
import type { Amount, Day, Rows, Stamped, Time } from './shapes.ts'

/** GET /api/overview?account= */
export interface Overview extends Stamped {
  /** The state of the books as a whole, as in the first line of `tieout status`. */
  readonly verdict: { readonly meaning: string; readonly text: string }
  /** As the breaks have it. */
  readonly unpublished: BreakTotals | null
  readonly netWorth: Rows<NetWorthRow>
  readonly pnl: Rows<PnlRow>
  readonly breaks: Rows<BreakCountRow>
  /** The worst; `feedCount` counts all of them. */
  readonly coverage: Rows<FeedStatus>
  readonly feedCount: number
  /** The feed that the venue forgets soonest; null if none has a known limit. A time in the past means that it has started. */
  readonly forgetsNext: FeedStatus | null
  readonly lastRun: Rows<RunRow>
  readonly lastGoodRunAt: Time | null
}

export interface NetWorthRow {
  readonly day: Day
  /** Null if nothing has a price. */
  readonly value: Amount | null
  readonly currency: string | null
  readonly unpriced_coins: number
}

export type PnlKind = 'gains' | 'futures' | 'fees' | 'funding' | 'interest' | 'liquidations'

export interface PnlRow {
  /** First day of the month. */
  readonly month: Day
  readonly kind: PnlKind
  /** Coin or currency of the amount: amounts in different coins are never added. */
  readonly coin: string | null
  /** Null if no gain is known. */
  readonly amount: Amount | null
  /** Pieces of disposals without a known gain, of kind gains. */
  readonly unknown_pieces: number
}

export interface BreakCountRow {
  readonly severity: Severity
  readonly age: 'day' | 'week' | 'month' | 'older'
  readonly count: number
}
