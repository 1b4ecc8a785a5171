// Coverage: what was received from each feed, what was not and why, and the runs that received it.
import type { Rows, Stamped, Time } from './shapes.ts'

/** GET /api/coverage?account=&feed=&from=&to= (days) */
export interface Coverage extends Stamped {
  /** Intervals that overlap the days; the grid of days is drawn from them. */
  readonly intervals: Rows<CoverageRow>
  /** One for each account, feed and partition. */
  readonly feeds: Rows<FeedStatus>
  /** The server's current time, for days and hours left. */
  readonly now: Time
}

export type CoverageStatus =
  | 'complete'
  | 'empty'
  | 'lost'
  | 'failed'
  | 'pending'
  | 'unproven'
  | 'missing'
  | 'not_applicable'

export interface CoverageRow {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** Null if the status applies to the whole feed. */
  readonly starts_at: Time | null
  readonly ends_at: Time | null
  readonly status: CoverageStatus
  readonly code: string | null
  readonly reason: string | null
}

/**
 * GET /api/coverage/runs?account=&feed=&partition=&from=&to= (days): the runs that received one feed's records for
 * those days, newest first.
 */
export interface CoverageRuns extends Stamped {
  readonly runs: Rows<CoverageRun>
}

export interface CoverageRun {
  readonly run_id: string
  readonly started_at: Time | null
  readonly command: string | null
  readonly outcome: string | null
  /** The extent of the ranges that it proved, not limited to these days. */
  readonly starts_at: Time
  readonly ends_at: Time
  readonly pages: number
  readonly rows: number
}

/** As in `tieout status --json`. */
export interface FeedStatus {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly from: Time | null
  readonly to: Time | null
  readonly behindMs: number | null
  readonly gaps: readonly {
    readonly from: Time
    readonly to: Time
    readonly status: string
    readonly reason: string | null
  }[]
  readonly status: string | null
  readonly reason: string | null
  /** How long the venue remembers the feed; null if no limit is known. */
  readonly retentionDays: number | null
  /** When the venue starts to forget what has not been fetched; in the past if it already has. */
  readonly forgetsAt: Time | null
}
