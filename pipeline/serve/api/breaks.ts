// Breaks, and the notes on them.
import type { Amount, Failure, Page, Rows, Stamped, Time } from './shapes.ts'

export type Severity = 'error' | 'warning' | 'notice'
export type BreakStatus = 'open' | 'explained' | 'resolved'

/** Filters of breaks. Several values are separated by commas; status is `open` if absent, `all` for every status. */
export interface BreakFilter {
  readonly status?: string
  readonly severity?: string
  readonly check?: string
  readonly account?: string
  readonly coin?: string
  readonly from?: string
  readonly to?: string
}

/** GET /api/breaks?…filters&cursor=: by severity, then newest first; 100 rows a page. */
export interface Breaks extends Stamped {
  readonly breaks: Page<BreakRow>
  /** Counts for the filters, by severity, check and status. */
  readonly counts: Rows<BreakGroupRow>
  /** Breaks of the last build, if it was not published; null if the published ledger is the last build. */
  readonly unpublished: BreakTotals | null
}

export interface BreakTotals {
  readonly error: number
  readonly warning: number
  readonly notice: number
}

export interface BreakRow {
  readonly break_id: string
  readonly check_name: string
  readonly severity: Severity
  readonly account: string | null
  readonly ledger: string | null
  readonly coin: string | null
  readonly occurred_at: Time | null
  readonly expected: Amount | null
  readonly found: Amount | null
  /** found − expected. */
  readonly difference: Amount | null
  readonly explanation: string
  /** JSON list of ids, each of which has a proof. */
  readonly evidence: string
  readonly first_seen_at: Time
  readonly status: BreakStatus
  readonly note: string | null
  readonly noted_at: Time | null
  /** A note applies as long as this does not change. */
  readonly figures_hash: string
}

export interface BreakGroupRow {
  readonly severity: Severity
  readonly check_name: string
  readonly status: BreakStatus
  readonly count: number
}

/** GET /api/breaks/BREAK_ID */
export interface OneBreak extends Stamped {
  readonly break: Rows<BreakRow>
  /** All notes on it, past and current, oldest first. */
  readonly notes: Rows<NoteRow>
  /** Why a note cannot be saved now; null if it can. */
  readonly noNote: string | null
  /** The command that saves the note. */
  readonly command: string
}

export interface NoteRow {
  readonly noted_at: Time
  /** Null if it was withdrawn or erased. */
  readonly note: string | null
  readonly is_withdrawn: boolean
  /** Whether it applies to the current figures. */
  readonly is_of_these_figures: boolean
}

/** POST /api/breaks/BREAK_ID/note; null withdraws the note. Answers 202 with NoteProgress, or 409 with who holds the lock. */
export interface NoteRequest {
  readonly note: string | null
}

/** GET /api/notes/current (null if none was saved since the start), and the event `note`. */
export interface NoteProgress {
  readonly breakId: string
  readonly note: string | null
  /** building, noted (journaled, publishing), published, unpublished (errors stopped it), failed. */
  readonly state: 'building' | 'noted' | 'published' | 'unpublished' | 'failed'
  readonly since: Time
  readonly error: Failure['error'] | null
}
