// The book of a coin for methods that decide at once: each disposal takes from what is held at that moment.
// Methods that look ahead (`uk`, `ca`) have books of their own.
import type { CoinBook, LotEvent, RuleContext } from './event.ts'
import { type Holding, Holdings } from './holding.ts'
import { acquire } from './parcel.ts'
import { type Disposal, piecesOf } from './pieces.ts'
import { networkFee, Transfers } from './transfers.ts'

export class RunningBook implements CoinBook {
  readonly #holdings: Holdings<Holding>
  readonly #transfers: Transfers
  #coin = ''

  constructor(context: RuleContext, create: () => Holding) {
    this.#holdings = new Holdings(context, create)
    this.#transfers = new Transfers(this.#holdings)
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
        this.#dispose(event, 'gift', event.quantity)
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

  #dispose(event: LotEvent, kind: Disposal['kind'], quantity: bigint): void {
    const { account, coin, id, happenedAtUs: disposedAtUs, value: proceeds } = event
    const taken = this.#holdings.holding(account).take(quantity, event)
    const disposal = { account, coin, kind, id, disposedAtUs, quantity, proceeds }
    for (const piece of piecesOf(disposal, taken)) this.#holdings.sink.piece(piece)
  }
}
