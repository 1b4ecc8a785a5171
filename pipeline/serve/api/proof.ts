// Proof: from an id down to the bytes.
import type { Cell, Stamped } from './shapes.ts'

/**
 * GET /api/proof?id=&limit=&method=&scope=&rules=&currency=: what an id means, down to the bytes that the venue sent. The
 * same as `tieout explain ID --json`. 400 with near matches in `error.found` or `error.expected` for an unknown id.
 */
export interface Proof extends Stamped {
  readonly id: string
  /** Every meaning of the id. */
  readonly steps: readonly ProofStep[]
  /** The command that prints the same. */
  readonly command: string
}

export interface ProofStep {
  /** disposal, piece, lot, event, trade, transaction, entry, record, imported row, deal, valuation, price, break, line, frame, withdrawn row or quarantined row. */
  readonly what: string
  readonly id: string
  readonly fields: Readonly<Record<string, Cell>>
  /** For a record: its place in the journal; its hash was verified while this answer was produced. */
  readonly evidence?: ProofEvidence
  readonly steps: readonly ProofStep[]
  /** Further steps that are not shown; request them with a larger limit. */
  readonly omitted?: number
}

export interface ProofEvidence {
  readonly frame: number
  /** From 0; null for the whole frame. */
  readonly row: number | null
  /** How the frame describes itself: kind, account, feed, at, request {method, path}, … */
  readonly meta: Readonly<Record<string, Cell>>
  /** Chain hash up to and including this frame, in hex; verified now. */
  readonly chain: string
  /** SHA-256 of the body as received; null if it was erased. */
  readonly body_sha256: string | null
  readonly body_bytes: number | null
  /** The body was erased on purpose; the chain is intact. */
  readonly erased: boolean
  /** When; null if it is not erased, or if no note records when. */
  readonly erased_at: string | null
  /** Position of the row in the body, excluding the end. */
  readonly row_bytes: readonly [number, number] | null
  readonly row_text: string | null
  /** Personal data is null in row_text. */
  readonly without_personal_data: boolean
}
