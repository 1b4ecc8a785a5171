// What one account (or all of them together) holds of a coin, and how a quantity is taken from it. Nothing is
// invented: what the holding cannot supply is reported as missing.

import type { EventId, LotEvent, RuleContext, Sink } from './event.ts'
import type { Taken } from './parcel.ts'
import { compareAcquisition, cutFront, type Parcel, quantityOf } from './parcel.ts'
import { openLot } from './pieces.ts'
import { OldestFirst, type ParcelQueue } from './queue.ts'
import { smaller } from './share.ts'

export interface Holding {
  add(parcel: Parcel): void
  /** Takes up to `quantity`; the event identifies the disposal to a method with its own selection. */
  take(quantity: bigint, event: LotEvent): Taken
  /** What is left, oldest acquisition first; pools before lots. */
  left(): Parcel[]
}

/** Moves up to `wanted` from the front of the queue into `into`; returns the shortfall. */
export function drain(queue: ParcelQueue, wanted: bigint, into: Parcel[]): bigint {
  let open = wanted
  while (open > 0n) {
    const parcel = queue.peek()
    if (parcel === undefined) break
    const held = quantityOf(parcel)
    if (held > open) {
      into.push(cutFront(parcel, open))
      return 0n
    }
    queue.pop()
    if (held > 0n) into.push(parcel)
    open -= held
  }
  return open
}

export function inOrderOfAcquisition(parcels: Iterable<Parcel>): Parcel[] {
  return [...parcels].filter((parcel) => quantityOf(parcel) > 0n).sort(compareAcquisition)
}

/**
 * Lots in a queue in the method's order. A lot that the order cannot place, because its date or cost is
 * unknown, is kept apart and taken only when nothing else is left, oldest arrival first.
 */
export class QueuedHolding implements Holding {
  readonly #queue: ParcelQueue
  readonly #apart = new OldestFirst()
  readonly #isApart: (parcel: Parcel) => boolean
  #last: Parcel | undefined

  constructor(queue: ParcelQueue, isApart: (parcel: Parcel) => boolean) {
    this.#queue = queue
    this.#isApart = isApart
  }

  add(parcel: Parcel): void {
    this.#last = parcel
    if (this.#isApart(parcel)) this.#apart.push(parcel)
    else this.#queue.push(parcel)
  }

  take(quantity: bigint, { keptFrom }: LotEvent): Taken {
    const parcels: Parcel[] = []
    const kept = keptFrom === undefined ? 0n : this.#takeOfLast(keptFrom, quantity, parcels)
    let missing = drain(this.#queue, quantity - kept, parcels)
    if (missing > 0n) missing = drain(this.#apart, missing, parcels)
    return { parcels, missing }
  }

  /**
   * A fee follows immediately after the acquisition that it is withheld from. Returns what it took; an
   * emptied parcel stays in the queue until its turn.
   */
  #takeOfLast(keptFrom: EventId, wanted: bigint, into: Parcel[]): bigint {
    const last = this.#last
    if (last?.lot.id !== keptFrom) return 0n
    const quantity = smaller(wanted, quantityOf(last))
    if (quantity > 0n) into.push(cutFront(last, quantity))
    return quantity
  }

  left(): Parcel[] {
    return inOrderOfAcquisition([...this.#queue.values(), ...this.#apart.values()])
  }
}

export const isUndated = (parcel: Parcel): boolean => parcel.lot.acquiredAtUs === null
export const isUnvalued = (parcel: Parcel): boolean => parcel.lot.value === null

/** Holdings of one coin, one for each account, or one for all of them. */
export class Holdings<H extends Holding> {
  readonly #context: RuleContext
  readonly #create: () => H
  readonly #held = new Map<string, { readonly account: string | null; readonly holding: H }>()
  #order: number

  /** `order` is the last position used in the order of acquisition. */
  constructor(context: RuleContext, create: () => H, order = 0) {
    this.#context = context
    this.#create = create
    this.#order = order
  }

  get sink(): Sink {
    return this.#context.sink
  }

  keyOf(account: string): string {
    return this.#context.scope === 'account' ? account : ''
  }

  /** The last position used. */
  get lastOrder(): number {
    return this.#order
  }

  nextOrder(): number {
    this.#order += 1
    return this.#order
  }

  holding(account: string): H {
    const key = this.keyOf(account)
    let held = this.#held.get(key)
    if (held === undefined) {
      held = { account: this.#context.scope === 'account' ? account : null, holding: this.#create() }
      this.#held.set(key, held)
    }
    return held.holding
  }

  /** Every holding with what is left in it. */
  *left(): Iterable<{ readonly account: string | null; readonly parcels: Parcel[] }> {
    for (const { account, holding } of this.#held.values()) yield { account, parcels: holding.left() }
  }

  reportLeft(coin: string): void {
    for (const { account, parcels } of this.left())
      for (const parcel of parcels) this.sink.lot(openLot(parcel, coin, account))
  }
}
