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

export class UnknownBasis {
  readonly #rows = new Map<string, UnknownBasisRow & { lastDisposalId: EventId | null }>()

  /** What earlier disposals add up to. */
  constructor(broughtForward: readonly UnknownBasisRow[] = []) {
    for (const row of broughtForward)
      this.#rows.set(keyOf(row.account, row.coin), { ...row, lastDisposalId: null })
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
    return [...this.#rows.values()]
  }

  #row(account: string, coin: string) {
    const key = keyOf(account, coin)
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = { account, coin, quantity: 0n, unvaluedQuantity: 0n, disposals: 0, lastDisposalId: null }
      this.#rows.set(key, row)
    }
    return row
  }
}

const keyOf = (account: string, coin: string): string => JSON.stringify([account, coin])
