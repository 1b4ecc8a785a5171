// What the journal holds: one frame for each response that counted and for each statement of our own.
// Landing is a pure function of these frames, so whatever the ledger needs must stand in them.
import type { Range } from '../../models/ranges.ts'

interface Common {
  /** When the frame was made: ISO-8601, UTC, milliseconds. */
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
  /** How many secrets of ours in the body were replaced by a marker of equal length; absent for none. */
  readonly redacted?: number
}

/** A successful answer whose rows land. */
export interface PageMeta extends FromVenue {
  readonly kind: 'page'
  /** ISO-8601 by the venue's clock; absent where the machine's, by which `at` is, is within a minute of it, or nobody knows. */
  readonly answeredAt?: string
  readonly window?: Range
  readonly cursor?: string
  /** What this page proves complete: every record of the range has now been received. */
  readonly covers?: Range
  /**
   * Cursor with which the window, or a list without one, goes on; null when it is finished. Absent where no cursor need be
   * kept, for feeds whose every page proves a range, and for lists in frames of earlier versions.
   */
  readonly next?: string | null
}

/** A refusal that decides something: the feed does not apply, a permission is missing, a key is wrong. */
export interface RefusalMeta extends FromVenue {
  readonly kind: 'refusal'
  readonly code: string
}

export type CoverageStatus = 'lost' | 'failed' | 'pending' | 'unproven' | 'not_applicable'

/** Our own word on a range that was not had. Without a range it is about the whole partition. */
export interface StatementMeta extends Common {
  readonly kind: 'statement'
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly range?: Range
  readonly status: CoverageStatus
  /** Code of the venue, or a word of ours such as `no credential`. */
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
  /** What the run called now: ISO-8601. */
  readonly now: string
  /** The feeds that the command line named, in their order; absent where it named none, and in frames of earlier versions. */
  readonly feeds?: readonly string[]
}

export interface RunEndMeta extends Common {
  readonly kind: 'run-end'
  /** What the run called now at its end: ISO-8601. Absent in frames of earlier versions. */
  readonly now?: string
  readonly requests: number
  readonly rows: number
  readonly retries: number
  readonly outcome: string
}

/** A request that changes something at the venue, about to be sent. The frame's body is the request's, without secrets. */
export interface WriteIntentMeta extends Common {
  readonly kind: 'write-intent'
  readonly account: string
  /** Contract name. */
  readonly endpoint: string
  readonly request: Pick<RequestMeta, 'method' | 'path'>
}

/** partial: the venue carried out some items of the request and refused the others. */
export type WriteOutcome = 'done' | 'refused' | 'partial' | 'unknown'

/** What became of an intent; of several the last counts. The frame's body is the answer, without secrets. */
export interface WriteOutcomeMeta extends Common {
  readonly kind: 'write-outcome'
  /** Number of the intent's frame. */
  readonly intent: number
  readonly outcome: WriteOutcome
  /** The venue's code, or a word of ours such as `time-out`. */
  readonly code: string
  /** Our own words; null where the venue's stand in the body. */
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
   * How the export of another service is read: the whole mapping as it was, the account, the time zone. Absent for a file
   * in the format of tieout.
   */
  readonly reading?: unknown
}

/** The user takes an import back: its rows no longer count. The frame of the import stays as it is. */
export interface ImportWithdrawalMeta extends Common {
  readonly kind: 'import-withdrawal'
  /** Number of the import's frame. */
  readonly withdraws: number
}

/** What a user has to say of a break. The frame's body is the note; the last word on a break counts. */
export interface NoteMeta extends Common {
  readonly kind: 'note'
  readonly breakId: string
  /** `figures_hash` of the break that was explained: with other figures it is another matter, and open again. */
  readonly figures: string
  /** The note is taken back; there is no body. */
  readonly isWithdrawn: boolean
}

/** Stands for a frame that was damaged and set aside, so that those behind it keep their numbers. */
export interface SetAsideMeta extends Common {
  readonly kind: 'set-aside'
  /** What the frame was, as far as its header was whole; null where nothing is known of it. */
  readonly was: {
    readonly kind: string
    readonly at: string
    readonly account?: string
    readonly feed?: string
    readonly partition?: string
  } | null
}

/** A range, or with null all of a partition, whose coverage rested on a frame that is gone. */
export interface Reopened {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly range: Range | null
}

/** Damaged frames were set aside, and the chain was made anew from there. The frame's body lists the bytes. */
export interface RepairMeta extends Common {
  readonly kind: 'repair'
  /** Numbers of the frames that were set aside, as ranges with both ends. */
  readonly setAside: readonly { readonly from: number; readonly to: number }[]
  /** File beside the segments that holds their bytes; null where there were none. */
  readonly file: string | null
  /** The first frame whose chain hash is another than it was; the frames before it have theirs still. */
  readonly rechainedFrom: number
  /** Hex of the chain hash that the last whole frame had before. */
  readonly oldChain: string
  /** What is to be fetched again: claims of earlier frames count no longer there. */
  readonly reopens: readonly Reopened[]
}

/**
 * What a source of prices answered for one series: the venue's candles of a pair, or reference rates of a currency. The
 * frame's body is the answer. An answer that could not be had or read covers nothing and says why.
 */
export interface PricesMeta extends Common {
  readonly kind: 'prices'
  readonly source: 'candles' | 'ecb'
  /** What is priced, and in what. */
  readonly asset: string
  readonly currency: string
  /** Length of a candle; a rate of a day. */
  readonly unit: '1h' | '1d'
  readonly request: Pick<RequestMeta, 'method' | 'path'>
  /** HTTP status; null where no answer came. */
  readonly status: number | null
  /** Times of prices that were asked for and are complete with this answer; absent where it could not be had or read. */
  readonly covers?: Range
  /** Those of them of which the answer had something that is no price; absent for none, and in frames of earlier versions. */
  readonly lacks?: readonly Range[]
  /** Our own words; null where all is well. */
  readonly problem: string | null
  /** How many secrets of ours in the body were replaced by a marker of equal length; absent for none. */
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
  /** From 1, without gaps; the `page_id` of the rows it brought. */
  readonly seq: number
  readonly meta: FrameMeta
  /** As received; null when it has been erased. */
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
  /** Frames with seq ≥ from, in order, each verified; memory does not grow with the journal. */
  read(from?: number): AsyncIterable<Frame>
  close(): Promise<void>
}
