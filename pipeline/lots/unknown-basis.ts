// Coins that left an account without a known cost, summed by account and coin: one break each, never one for
// each sale.
import type { DisposalPiece, EventId, MovedPiece } from './event.ts'

export interface UnknownBasisRow {
  readonly account: string
  readonly coin: string
  /** Beyond all known lots: lots left − this = the balance. */
  quantity: bigint
  /** From lots whose cost is not known. */
  unvaluedQuantity: bigint
  disposals: number
}

type Row = UnknownBasisRow & { lastDisposalId: EventId | null }

export class UnknownBasis {
  /** By coin, then by account. */
  readonly #rows = new Map<string, Map<string, Row>>()

  /** What earlier disposals add up to. */
  constructor(broughtForward: readonly UnknownBasisRow[] = []) {
    for (const row of broughtForward) this.#of(row.coin).set(row.account, { ...row, lastDisposalId: null })
  }

  disposed({
    account,
    coin,
    quantity,
    basis,
    disposalId,
  }: Pick<DisposalPiece, 'account' | 'coin' | 'quantity' | 'basis' | 'disposalId'>): void {
    if (basis === 'known') return
    const row = this.#row(account, coin)
    if (basis === 'missing') row.quantity += quantity
    else row.unvaluedQuantity += quantity
    // The pieces of one disposal are adjacent, so each disposal is counted once.
    if (row.lastDisposalId !== disposalId) row.disposals += 1
    row.lastDisposalId = disposalId
  }

  /**
   * Unknown coins that were sent on or given away are missing here, and arrive elsewhere as a lot, if at all.
   */
  moved({ fromAccount, coin, quantity, basis }: MovedPiece): void {
    if (basis === 'missing') this.#row(fromAccount, coin).quantity += quantity
  }

  rows(): UnknownBasisRow[] {
    return [...this.#rows.values()].flatMap((accounts) => [...accounts.values()])
  }

  rowsOf(coin: string): UnknownBasisRow[] {
    return [...(this.#rows.get(coin)?.values() ?? [])]
  }

  #of(coin: string): Map<string, Row> {
    let accounts = this.#rows.get(coin)
    if (accounts === undefined) {
      accounts = new Map()
      this.#rows.set(coin, accounts)
    }
    return accounts
  }

  #row(account: string, coin: string): Row {
    const accounts = this.#of(coin)
    let row = accounts.get(account)
    if (row === undefined) {
      row = { account, coin, quantity: 0n, unvaluedQuantity: 0n, disposals: 0, lastDisposalId: null }
      accounts.set(account, row)
    }
    return row
  }
}
