// The published ledger, opened once for each publication: opening it takes as long as some reports.
import { join } from 'node:path'
import { identityOf } from '../../pipeline/ledger/identity.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'

/**
 * The ledger of the books that were asked for last, which may be replaced or removed meanwhile. Not for tests that run beside each
 * other on different books: the next closes the last.
 */
export class PublishedLedger {
  #open: { readonly file: string; readonly ledger: Promise<Ledger> } | null = null

  /** That of these books as they are published now. */
  of(dir: string): Promise<Ledger> {
    const path = join(dir, 'ledger.duckdb')
    const file = `${path} ${identityOf(path)}`
    if (this.#open?.file !== file) {
      this.close()
      this.#open = { file, ledger: openLedger(dir) }
    }
    return this.#open.ledger
  }

  close(): void {
    // Whoever asked for a ledger that could not be opened has been told.
    this.#open?.ledger.then(
      (ledger) => ledger.close(),
      () => undefined,
    )
    this.#open = null
  }
}
