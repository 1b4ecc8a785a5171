// From lots held across all accounts to lots held by account: what is left is allotted to the accounts that
// hold the coins, by the owner's own allocation first, then oldest acquisition first to the accounts in order
// of their names (Rev. Proc. 2024-28 calls the two specific unit and global allocation). Lots are split only
// if necessary.
import type { Allocation, DisposalPiece, EventId, LotEvent, MovedPiece, Sink } from './event.ts'
import { cutFront, type Parcel, quantityOf } from './parcel.ts'
import type { CarriedForward, HeldParcel } from './running-book.ts'
import { smaller } from './share.ts'
import { excess, networkFee } from './transfers.ts'

/**
 * What each account may claim of lots that all accounts hold together: what came in less what went out of
 * known lots. The claims sum to the lots; a negative claim means that the account has used lots of others.
 */
export class Claims {
  readonly #claims = new Map<string, bigint>()

  /** Must be called with every event before the book applies it; disposals are learned from the pieces. */
  see(event: LotEvent): void {
    if (event.kind === 'acquire') this.#add(event.account, event.quantity)
    else if (event.kind === 'transfer_in')
      this.#add(event.account, event.twin === undefined ? event.quantity : excess(event))
    else if (event.kind === 'transfer_out' && event.twin !== undefined) {
      // Coins in transit already belong to their destination.
      const moving = event.quantity - networkFee(event)
      this.#add(event.account, -moving)
      this.#add(event.twin.account, moving)
    }
  }

  /** The lots that an account begins with. */
  begin(account: string, quantity: bigint): void {
    this.#add(account, quantity)
  }

  /** Passes everything on and deducts what left known lots. */
  watching(sink: Sink): Sink {
    return {
      lot: (lot) => sink.lot(lot),
      problem: (problem) => sink.problem(problem),
      shortSale: (piece) => sink.shortSale(piece),
      borrowed: (coins) => sink.borrowed(coins),
      piece: (piece: DisposalPiece) => {
        if (piece.basis !== 'missing') this.#add(piece.account, -piece.quantity)
        sink.piece(piece)
      },
      moved: (piece: MovedPiece) => {
        // Between accounts that hold their lots together no piece moves: these have left them all.
        if (piece.basis !== 'missing') this.#add(piece.fromAccount, -piece.quantity)
        sink.moved(piece)
      },
    }
  }

  /** Accounts with a positive claim, by name. */
  open(): Map<string, bigint> {
    const names = [...this.#claims.keys()].sort()
    return new Map(
      names.flatMap((name) => {
        const claim = this.#claims.get(name) ?? 0n
        return claim > 0n ? [[name, claim] as const] : []
      }),
    )
  }

  #add(account: string, quantity: bigint): void {
    this.#claims.set(account, (this.#claims.get(account) ?? 0n) + quantity)
  }
}

/** When lots are allotted, and where problems are reported. */
export interface Occasion {
  readonly atUs: bigint
  readonly sink: Sink
}

/**
 * The lots carried over, with every parcel in an account. A line that asks for more than there is is reported
 * and reduced.
 */
export function allocate(
  carried: CarriedForward,
  claims: Claims,
  wishes: readonly Allocation<EventId>[],
  occasion: Occasion,
): CarriedForward {
  const open = claims.open()
  const allotted: HeldParcel[] = []
  const give = (parcel: Parcel, account: string, wanted: bigint): bigint => {
    const quantity = smaller(smaller(wanted, open.get(account) ?? 0n), quantityOf(parcel))
    if (quantity === 0n) return 0n
    open.set(account, (open.get(account) ?? 0n) - quantity)
    allotted.push({ account, parcel: cutFront(parcel, quantity) })
    return quantity
  }
  for (const wish of wishes) {
    if (wish.coin !== carried.coin) continue
    let lacking = wish.quantity
    for (const { parcel } of carried.parcels)
      if (parcel.lot.id === wish.lotId) lacking -= give(parcel, wish.account, lacking)
    if (lacking > 0n) occasion.sink.problem(notThere(wish, lacking, occasion))
  }
  for (const { parcel } of carried.parcels)
    for (const account of open.keys()) give(parcel, account, quantityOf(parcel))
  return { ...carried, parcels: allotted }
}

function notThere({ account, coin, lotId }: Allocation<EventId>, quantity: bigint, { atUs }: Occasion) {
  const problem = 'allotted lot not held' as const
  return { problem, account, coin, happenedAtUs: atUs, eventId: lotId, lotId, quantity }
}
