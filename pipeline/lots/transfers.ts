// Transfers between own accounts carry basis and acquisition date; which lots move follows the method. Coins
// that leave and do not arrive are a network fee, coins that arrive without having left have an unknown
// basis, and a leg without its twin is reported, never guessed.
import type { EventId, LotEvent, LotProblem, Sink } from './event.ts'
import type { Holding } from './holding.ts'
import type { Taken } from './parcel.ts'
import { costOf, type Parcel, quantityOf, undated } from './parcel.ts'
import { smaller } from './share.ts'

/** What a book must provide for its transfers to work. */
export interface Wallets {
  readonly sink: Sink
  /** Accounts with equal keys hold their lots together. */
  keyOf(account: string): string
  holding(account: string): Holding
  /** The next position in the order of acquisition. */
  nextOrder(): number
}

/** What leaves with this leg and does not arrive. */
export function networkFee(out: LotEvent): bigint {
  if (out.twin === undefined) return 0n
  return out.quantity - smaller(out.quantity, out.twin.quantity)
}

/** What arrives with this leg without having left. */
export function excess(into: LotEvent): bigint {
  if (into.twin === undefined) return 0n
  return into.quantity - smaller(into.quantity, into.twin.quantity)
}

/** Both legs belong to accounts that hold their lots together, so nothing moves but a fee. */
export function staysInside(leg: LotEvent, wallets: Pick<Wallets, 'keyOf'>): boolean {
  return leg.twin !== undefined && wallets.keyOf(leg.twin.account) === wallets.keyOf(leg.account)
}

/**
 * When the event takes effect: what arrived must have left before, whatever the clocks of two venues show.
 */
export function effectiveAtUs(event: LotEvent): bigint {
  if (event.kind !== 'transfer_out' || event.twin === undefined) return event.happenedAtUs
  return smaller(event.happenedAtUs, event.twin.happenedAtUs)
}

export function problemOf(
  event: LotEvent,
  problem: LotProblem['problem'],
  quantity: bigint,
  lotId: EventId | null = null,
): LotProblem {
  const { account, coin, happenedAtUs, id } = event
  return { problem, account, coin, happenedAtUs, eventId: id, lotId, quantity }
}

/** By the id of the outgoing leg. */
export type Underway = Map<EventId, { readonly out: LotEvent; readonly taken: Taken }>

/** Lots that have left one account and not yet arrived in the other. */
export class Transfers {
  readonly #wallets: Wallets
  readonly #underway: Underway

  constructor(wallets: Wallets, underway: Underway = new Map()) {
    this.#wallets = wallets
    this.#underway = underway
  }

  get underway(): Underway {
    return this.#underway
  }

  /** Takes out what will arrive; the network fee stays, for the book to dispose of. */
  leave(out: LotEvent): void {
    const { sink } = this.#wallets
    if (out.twin === undefined) {
      sink.problem(problemOf(out, 'transfer without its second leg', out.quantity))
      this.#record(out, null, this.#wallets.holding(out.account).take(out.quantity, out))
      return
    }
    if (staysInside(out, this.#wallets)) return
    const arriving = out.quantity - networkFee(out)
    this.#underway.set(out.id, { out, taken: this.#wallets.holding(out.account).take(arriving, out) })
  }

  /** A gift leaves with its basis and its date, and without a gain. */
  give(event: LotEvent): void {
    this.#record(event, null, this.#wallets.holding(event.account).take(event.quantity, event))
  }

  arrive(into: LotEvent): void {
    const { sink } = this.#wallets
    if (into.twin === undefined) {
      sink.problem(problemOf(into, 'transfer without its first leg', into.quantity))
      this.#addUndated(into, into.quantity)
      return
    }
    const tooMuch = excess(into)
    if (tooMuch > 0n) sink.problem(problemOf(into, 'more arrived than left', tooMuch))
    const moving = this.#underway.get(into.twin.id)
    this.#underway.delete(into.twin.id)
    if (moving !== undefined) {
      this.#record(moving.out, into.account, moving.taken)
      for (const parcel of moving.taken.parcels) this.#wallets.holding(into.account).add(parcel)
    }
    this.#addUndated(into, tooMuch + (moving?.taken.missing ?? 0n))
  }

  #addUndated(into: LotEvent, quantity: bigint): void {
    if (quantity === 0n) return
    this.#wallets.holding(into.account).add(undated(into, quantity, this.#wallets.nextOrder()))
  }

  #record(out: LotEvent, toAccount: string | null, taken: Taken): void {
    const { coin, id: eventId, happenedAtUs: movedAtUs, account: fromAccount } = out
    const leg = { coin, eventId, movedAtUs, fromAccount, toAccount }
    for (const parcel of taken.parcels) this.#wallets.sink.moved({ ...leg, ...pieceOf(parcel) })
    if (taken.missing === 0n) return
    const unknown = { acquiredAtUs: null, costBasis: null, lotId: null, basis: 'missing' } as const
    this.#wallets.sink.moved({ ...leg, ...unknown, quantity: taken.missing })
  }
}

function pieceOf(parcel: Parcel) {
  return {
    acquiredAtUs: parcel.lot.acquiredAtUs,
    quantity: quantityOf(parcel),
    costBasis: costOf(parcel),
    lotId: parcel.lot.id,
    basis: parcel.lot.value === null ? ('unvalued' as const) : ('known' as const),
  }
}
