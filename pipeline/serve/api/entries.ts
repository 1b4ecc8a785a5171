// Ledger: entries in pages, and the values to filter them by.
import type { Amount, Page, Rows, Stamped, Time } from './shapes.ts'

/**
 * Filters of GET /api/entries, /api/entries/facets and /api/csv/entries. Several values are separated by commas.
 * `from` and `to` are days (both inclusive) or times; `id` is an entry_id, a transaction_id or the venue's own id.
 */
export interface EntryFilter {
  readonly account?: string
  readonly ledger?: string
  readonly coin?: string
  readonly kind?: string
  readonly symbol?: string
  readonly from?: string
  readonly to?: string
  readonly id?: string
}

/** GET /api/entries?…filters&cursor=: newest first, 100 rows a page. */
export interface Entries extends Stamped {
  readonly entries: Page<EntryRow>
}

export interface EntryRow {
  readonly entry_id: string
  readonly transaction_id: string
  readonly account: string
  readonly ledger: string
  readonly product_line: string | null
  readonly coin: string
  readonly amount: Amount
  readonly kind: string
  readonly occurred_at: Time
  readonly symbol: string | null
  readonly type: string | null
  readonly source_feed: string
  readonly source_id: string
  /** Order of the record among all of the account's records. */
  readonly place: number
  /** Balance of account, ledger and coin after this entry, whatever the filters. */
  readonly balance: Amount
}

/** GET /api/entries/facets?…filters: each facet is counted under all filters except its own. */
export interface EntryFacets extends Stamped {
  /** Exact count under all filters. */
  readonly count: Rows<{ readonly count: number }>
  readonly facets: Rows<FacetRow>
}

export interface FacetRow {
  readonly facet: 'account' | 'ledger' | 'coin' | 'kind' | 'symbol'
  readonly value: string | null
  readonly count: number
}
