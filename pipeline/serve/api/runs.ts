// Runs, and the one in progress.
import type { Page, Stamped, Time } from './shapes.ts'

/** GET /api/runs?cursor= */
export interface Runs extends Stamped {
  readonly runs: Page<RunRow>
}

export interface RunRow {
  readonly run_id: string | null
  readonly started_at: Time | null
  /** Null for a run that did not end. */
  readonly ended_at: Time | null
  readonly command: string | null
  readonly requests: number
  readonly rows: number
  readonly retries: number
  readonly outcome: string | null
}

/** GET /api/runs/live (null if none is running), and the event `run`. */
export interface LiveRun {
  readonly run: string
  readonly command: string
  readonly pid: number
  readonly startedAt: Time
  readonly updatedAt: Time
  /** fetching, building; died: the process is gone and its run did not finish. */
  readonly phase: 'fetching' | 'building' | 'died'
  readonly requestsDone: number
  /** Planned so far; feeds are planned one after the other, so it grows. */
  readonly requestsPlanned: number
  readonly rows: number
  /** Requests per minute since fetching started; null before the first. */
  readonly perMinute: number | null
  /** When everything planned will have been fetched, at the pace so far; null if that is not known. */
  readonly endsAbout: Time | null
  readonly feeds: readonly LiveFeed[]
  /** The latest messages of the run, newest last. */
  readonly notes: readonly string[]
}

export interface LiveFeed {
  readonly account: string
  readonly feed: string
  readonly requestsDone: number
  readonly requestsPlanned: number
  readonly rows: number
  /** Requests per minute that the venue's budget allows; null if none is known. */
  readonly budgetPerMinute: number | null
  /** Null while it is being fetched. */
  readonly status: string | null
}
