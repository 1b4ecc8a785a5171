// Overview: worth, profit and loss, and how the books stand.
import type { BreakTotals, Severity } from './breaks.ts'
import type { FeedStatus } from './coverage.ts'
import type { RunRow } from './runs.ts'
import type { Amount, Day, Rows, Stamped, Time } from './shapes.ts'

/** GET /api/overview?account= */
export interface Overview extends Stamped {
  /** How all the books stand, as `tieout status` has it in its first line. */
  readonly verdict: { readonly meaning: string; readonly text: string }
  /** As the breaks have it. */
  readonly unpublished: BreakTotals | null
  readonly netWorth: Rows<NetWorthRow>
  readonly pnl: Rows<PnlRow>
  readonly breaks: Rows<BreakCountRow>
  /** The worst; `feedCount` counts all of them. */
  readonly coverage: Rows<FeedStatus>
  readonly feedCount: number
  /** Feed that the venue begins to forget first; null where none is known to. In the past: it has begun. */
  readonly forgetsNext: FeedStatus | null
  readonly lastRun: Rows<RunRow>
  readonly lastGoodRunAt: Time | null
}

export interface NetWorthRow {
  readonly day: Day
  /** Null where nothing has a price. */
  readonly value: Amount | null
  readonly currency: string | null
  readonly unpriced_coins: number
}

export type PnlKind = 'gains' | 'futures' | 'fees' | 'funding' | 'interest' | 'liquidations'

export interface PnlRow {
  /** First day of the month. */
  readonly month: Day
  readonly kind: PnlKind
  /** Coin or currency of the amount: amounts of different coins are never added. */
  readonly coin: string | null
  /** Null where no gain is known. */
  readonly amount: Amount | null
  /** Pieces of disposals without a known gain, of kind gains. */
  readonly unknown_pieces: number
}

export interface BreakCountRow {
  readonly severity: Severity
  readonly age: 'day' | 'week' | 'month' | 'older'
  readonly count: number
}
