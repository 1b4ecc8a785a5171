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
  /** For a record: where it stands in the journal, its hash checked while this answer was made. */
  readonly evidence?: ProofEvidence
  readonly steps: readonly ProofStep[]
  /** Further steps that are not shown; ask with a larger limit. */
  readonly omitted?: number
}

export interface ProofEvidence {
  readonly frame: number
  /** From 0; null for the whole frame. */
  readonly row: number | null
  /** How the frame describes itself: kind, account, feed, at, request {method, path}, … */
  readonly meta: Readonly<Record<string, Cell>>
  /** Chain hash that ends with this frame, in hex; verified now. */
  readonly chain: string
  /** SHA-256 of the body as received; null when it was erased. */
  readonly body_sha256: string | null
  readonly body_bytes: number | null
  /** The body is gone on purpose; the chain holds. */
  readonly erased: boolean
  /** When; null where it is not erased, and where no note says it. */
  readonly erased_at: string | null
  /** Place of the row in the body, the end not included. */
  readonly row_bytes: readonly [number, number] | null
  readonly row_text: string | null
  /** Data about people stand as null in row_text. */
  readonly without_personal_data: boolean
}
