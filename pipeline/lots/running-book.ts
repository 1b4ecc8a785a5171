// The book of a coin for methods that decide immediately: each disposal takes from what is held at that
// moment. Methods that look ahead have their own books.
import type { CoinBook, Gifts, LotEvent, RuleContext } from './event.ts'
import { type Holding, Holdings } from './holding.ts'
import { acquire, compareAcquisition, type Parcel } from './parcel.ts'
import { piecesOf } from './pieces.ts'
import { networkFee, Transfers, type Underway } from './transfers.ts'

export interface HeldParcel {
  /** Account that holds it; null under universal scope. */
  readonly account: string | null
  readonly parcel: Parcel
}

/** What a book hands over to its successor. */
export interface CarriedForward {
  readonly coin: string
  /** Oldest acquisition first. */
  readonly parcels: readonly HeldParcel[]
  readonly underway: Underway
  /** The last position used in the order of acquisition. */
  readonly order: number
}

/** A matching rule whose book can follow another. */
export type RunningRule = (context: RuleContext, inherited?: CarriedForward) => RunningBook

export class RunningBook implements CoinBook {
  readonly #holdings: Holdings<Holding>
  readonly #transfers: Transfers
  readonly #gifts: Gifts
  #coin: string

  constructor(context: RuleContext, create: () => Holding, inherited?: CarriedForward) {
    this.#coin = inherited?.coin ?? ''
    this.#gifts = context.gifts
    this.#holdings = new Holdings(context, create, inherited?.order)
    this.#transfers = new Transfers(this.#holdings, inherited?.underway)
    for (const { account, parcel } of inherited?.parcels ?? [])
      this.#holdings.holding(account ?? '').add(parcel)
  }

  apply(event: LotEvent): void {
    this.#coin = event.coin
    switch (event.kind) {
      case 'acquire':
        this.#holdings.holding(event.account).add(acquire(event, this.#holdings.nextOrder()))
        break
      case 'dispose':
        this.#dispose(event, 'disposal', event.quantity)
        break
      case 'give':
        if (this.#gifts === 'disposal') this.#dispose(event, 'disposal', event.quantity)
        else this.#transfers.give(event)
        break
      case 'transfer_in':
        this.#transfers.arrive(event)
        break
      case 'transfer_out': {
        this.#transfers.leave(event)
        const fee = networkFee(event)
        if (fee > 0n) this.#dispose(event, 'network fee', fee)
      }
    }
  }

  finish(): void {
    this.#holdings.reportLeft(this.#coin)
  }

  /** What it holds at this moment, for another book to follow it. The parcels are its own, and change if it goes on. */
  carried(): CarriedForward {
    const parcels: HeldParcel[] = []
    for (const { account, parcels: held } of this.#holdings.left())
      for (const parcel of held) parcels.push({ account, parcel })
    parcels.sort((a, b) => compareAcquisition(a.parcel, b.parcel))
    return { coin: this.#coin, parcels, underway: this.#transfers.underway, order: this.#holdings.lastOrder }
  }

  #dispose(event: LotEvent, kind: 'disposal' | 'network fee', quantity: bigint): void {
    const { account, coin, id, happenedAtUs: disposedAtUs, value: proceeds, fees = 0n } = event
    const taken = this.#holdings.holding(account).take(quantity, event)
    const disposal = { account, coin, kind, id, disposedAtUs, quantity, proceeds, fees }
    for (const piece of piecesOf(disposal, taken)) this.#holdings.sink.piece(piece)
  }
}
