// Lots: what is still held, and its cost.
import type { Amount, Page, Rows, Stamped, Time } from './shapes.ts'

/** GET /api/lots?account=&coin=&cursor=: open lots, oldest acquisition first within account and coin; 100 rows a page. */
export interface Lots extends Stamped {
  readonly lots: Page<LotRow>
  /** By account and coin, over all pages. */
  readonly holdings: Rows<HoldingRow>
  /** Disposals without a known basis, and quantities in lots without one. */
  readonly unknownBasis: Rows<UnknownBasisRow>
  readonly matching: Matching | null
}

export interface Matching {
  readonly method: string
  readonly scope: string
  readonly rules: string
  readonly time_zone: string
}

export interface LotRow {
  readonly account: string
  readonly coin: string
  readonly method: string
  readonly acquired_at: Time | null
  readonly quantity_left: Amount
  readonly cost_basis_left: Amount | null
  readonly currency: string | null
  /** Null for a pool. */
  readonly lot_id: string | null
  /** Distinguishes the row from others in this ledger; has no other meaning. */
  readonly rowid: number
}

export interface HoldingRow {
  readonly account: string
  readonly coin: string
  readonly lots: number
  readonly quantity_left: Amount
  /** Of the lots whose basis is known. */
  readonly cost_basis_left: Amount | null
  readonly currency: string | null
  /** Quantity in lots without a known basis. */
  readonly quantity_without_basis: Amount
}

export interface UnknownBasisRow {
  readonly account: string
  readonly coin: string
  readonly quantity: Amount
  readonly unvalued_quantity: Amount
  readonly disposals: number
}
