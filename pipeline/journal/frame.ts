// What the journal holds: one frame for each response that matters and for each statement of our own. Landing is a pure
// function of these frames, so they must hold everything that the ledger needs.
import type { Range } from '../../models/ranges.ts'

interface Common {
  /** When the frame was written: ISO-8601, UTC, milliseconds. */
  readonly at: string
  readonly run: string
}

/** The request as sent, without credentials: path with query, and the body of a POST. */
export interface RequestMeta {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

interface FromVenue extends Common {
  readonly account: string
  /** Contract name of the endpoint. */
  readonly feed: string
  readonly partition: string
  readonly request: RequestMeta
  /** HTTP status. */
  readonly status: number
  /** How many of our secrets in the body were replaced by a marker of equal length; absent for none. */
  readonly redacted?: number
}

/** A successful answer whose rows land. */
export interface PageMeta extends FromVenue {
  readonly kind: 'page'
  /**
   * ISO-8601 by the venue's clock; absent if the machine's clock, which `at` uses, is within a minute of it, or if it
   * is unknown.
   */
  readonly answeredAt?: string
  readonly window?: Range
  readonly cursor?: string
  /** The range that this page proves complete: every record in it has now been received. */
  readonly covers?: Range
  /**
   * Cursor that continues the window, or a list without one; null when it is finished. Absent if no cursor needs to be
   * stored (feeds whose every page proves a range), and for lists in frames of earlier versions.
   */
  readonly next?: string | null
}

/** A conclusive refusal: the feed does not apply, a permission is missing, or a key is wrong. */
export interface RefusalMeta extends FromVenue {
  readonly kind: 'refusal'
  readonly code: string
}

export type CoverageStatus = 'lost' | 'failed' | 'pending' | 'unproven' | 'not_applicable'

/** Our own statement about a range that was not fetched. Without a range it is about the whole partition. */
export interface StatementMeta extends Common {
  readonly kind: 'statement'
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly range?: Range
  readonly status: CoverageStatus
  /** The venue's code, or a code of ours such as `no credential`. */
  readonly code: string
  readonly reason: string
  /** The configuration names this feed, so its absence is a warning. */
  readonly named: boolean
}

export interface AccountMeta extends Common {
  readonly kind: 'account'
  readonly account: string
  readonly venue: string
  readonly uid: string | null
  readonly accountKind: 'unified' | 'classic' | 'unknown'
  readonly accountMode: string | null
}

export interface RunStartMeta extends Common {
  readonly kind: 'run-start'
  readonly command: string
  /** The run's current time: ISO-8601. */
  readonly now: string
  /** The feeds named on the command line, in order; absent if there were none, and in frames of earlier versions. */
  readonly feeds?: readonly string[]
}

export interface RunEndMeta extends Common {
  readonly kind: 'run-end'
  /** The run's current time at its end: ISO-8601. Absent in frames of earlier versions. */
  readonly now?: string
  readonly requests: number
  readonly rows: number
  readonly retries: number
  readonly outcome: string
}

/**
 * A request about to be sent that changes something at the venue. The frame's body is the request's, without secrets.
 */
export interface WriteIntentMeta extends Common {
  readonly kind: 'write-intent'
  readonly account: string
  /** Contract name. */
  readonly endpoint: string
  readonly request: Pick<RequestMeta, 'method' | 'path'>
}

/** partial: the venue carried out some items of the request and refused the others. */
export type WriteOutcome = 'done' | 'refused' | 'partial' | 'unknown'

/**
 * The outcome of an intent; if there are several, the last one applies. The frame's body is the answer, without
 * secrets.
 */
export interface WriteOutcomeMeta extends Common {
  readonly kind: 'write-outcome'
  /** Number of the intent's frame. */
  readonly intent: number
  readonly outcome: WriteOutcome
  /** The venue's code, or a code of ours such as `time-out`. */
  readonly code: string
  /** Our own words; null if the venue's are in the body. */
  readonly reason: string | null
  /** How many secrets in the body were replaced by a marker of equal length; absent for none. */
  readonly redacted?: number
}

/** A file of the user's: history from elsewhere, opening lots or prices. The frame's body is the file. */
export interface ImportMeta extends Common {
  readonly kind: 'import'
  readonly imports: 'trades' | 'lots' | 'prices'
  /** Name of the file, without its folder. */
  readonly file: string
  readonly rows: number
  /** Hex SHA-256 of the file. */
  readonly sha256: string
  /**
   * How the export of another service is read: the whole mapping as it was, the account and the time zone. Absent for a
   * file in tieout's own format.
   */
  readonly reading?: unknown
}

/** The user takes an import back: its rows are no longer included. The frame of the import stays as it is. */
export interface ImportWithdrawalMeta extends Common {
  readonly kind: 'import-withdrawal'
  /** Number of the import's frame. */
  readonly withdraws: number
}

/** A user's explanation of a break. The frame's body is the note; the last note on a break applies. */
export interface NoteMeta extends Common {
  readonly kind: 'note'
  readonly breakId: string
  /** `figures_hash` of the break that was explained: with other figures it is a different break, and open again. */
  readonly figures: string
  /** The note is withdrawn; there is no body. */
  readonly isWithdrawn: boolean
}

/** Replaces a frame that was damaged and set aside, so that those after it keep their numbers. */
export interface SetAsideMeta extends Common {
  readonly kind: 'set-aside'
  /** What the frame was, if its header was intact; null if nothing is known about it. */
  readonly was: {
    readonly kind: string
    readonly at: string
    readonly account?: string
    readonly feed?: string
    readonly partition?: string
  } | null
}

/** A range, or with null all of a partition, whose coverage depended on a lost frame. */
export interface Reopened {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly range: Range | null
}

/** Damaged frames were set aside, and the chain was recomputed from there on. The frame's body lists the bytes. */
export interface RepairMeta extends Common {
  readonly kind: 'repair'
  /** Numbers of the frames that were set aside, as inclusive ranges. */
  readonly setAside: readonly { readonly from: number; readonly to: number }[]
  /** File beside the segments that holds their bytes; null if there were none. */
  readonly file: string | null
  /** The first frame whose chain hash has changed; the frames before it keep theirs. */
  readonly rechainedFrom: number
  /** Hex of the previous chain hash of the last intact frame. */
  readonly oldChain: string
  /** What is to be fetched again: the claims of earlier frames no longer apply there. */
  readonly reopens: readonly Reopened[]
}

/**
 * A price source's answer for one series: the venue's candles of a pair, or reference rates of a currency. The frame's
 * body is the answer. An answer that could not be fetched or read covers nothing and states why.
 */
export interface PricesMeta extends Common {
  readonly kind: 'prices'
  readonly source: 'candles' | 'ecb'
  /** What is priced, and in what. */
  readonly asset: string
  readonly currency: string
  /** Length of a candle; a reference rate is for a day. */
  readonly unit: '1h' | '1d'
  readonly request: Pick<RequestMeta, 'method' | 'path'>
  /** HTTP status; null if no answer arrived. */
  readonly status: number | null
  /** The requested price times that this answer completes; absent if it could not be fetched or read. */
  readonly covers?: Range
  /**
   * Those of them for which the answer had something that is not a price; absent for none, and in frames of earlier
   * versions.
   */
  readonly lacks?: readonly Range[]
  /** Our own words; null if all is well. */
  readonly problem: string | null
  /** How many of our secrets in the body were replaced by a marker of equal length; absent for none. */
  readonly redacted?: number
}

export type FrameMeta =
  | SetAsideMeta
  | RepairMeta
  | PageMeta
  | RefusalMeta
  | StatementMeta
  | AccountMeta
  | RunStartMeta
  | RunEndMeta
  | WriteIntentMeta
  | WriteOutcomeMeta
  | ImportMeta
  | ImportWithdrawalMeta
  | NoteMeta
  | PricesMeta

export interface Frame {
  /** From 1, without gaps; the `page_id` of the frame's rows. */
  readonly seq: number
  readonly meta: FrameMeta
  /** As received; null once erased. */
  readonly body: Uint8Array | null
  /** Hex of the chain hash up to and including this frame. */
  readonly chain: string
}

/** The journal as its users see it. */
export interface Journal {
  readonly lastSeq: number
  readonly lastChain: string
  /** Resolves once the frame is safe on disk; concurrent appends share one sync. */
  append(meta: FrameMeta, body?: Uint8Array): Promise<Frame>
  /** Frames with seq ≥ from, in order, each verified; memory use does not grow with the journal. */
  read(from?: number): AsyncIterable<Frame>
  close(): Promise<void>
}
