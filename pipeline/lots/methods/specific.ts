// Specific identification: a disposal or an outgoing transfer takes the lots that its owner named for it.
// What the selection leaves open goes first in, first out; a named lot that is not held is reported.
import type { LotEvent, NamedLotsOf, RuleContext, Selection } from '../event.ts'
import { drain, type Holding, inOrderOfAcquisition, isUndated } from '../holding.ts'
import type { Taken } from '../parcel.ts'
import { cutFront, type Parcel, quantityOf } from '../parcel.ts'
import { OldestFirst } from '../queue.ts'
import { RunningBook, type RunningRule } from '../running-book.ts'
import { smaller } from '../share.ts'
import { problemOf } from '../transfers.ts'

export const specific: RunningRule = (context, inherited) => {
  const openSelections = new OpenSelections(context.selections)
  return new RunningBook(context, () => new SelectedHolding(context, openSelections), inherited)
}

interface OpenSelection {
  readonly lotId: string
  quantity: bigint
}

/** What each selection still has to give: a transfer draws on its own twice, for the move and for the fee. */
class OpenSelections {
  readonly #selections: NamedLotsOf
  readonly #ofTransfers = new Map<string, OpenSelection[]>()

  constructor(selections: NamedLotsOf) {
    this.#selections = selections
  }

  for(event: LotEvent): readonly OpenSelection[] {
    const begun = this.#ofTransfers.get(event.id)
    if (begun !== undefined) return begun
    const named = this.#selections.get(event.id) ?? NOTHING_NAMED
    const isOfCoin = ({ coin }: Selection): boolean => coin === undefined || coin === event.coin
    if (event.kind !== 'transfer_out') return named.every(isOfCoin) ? named : named.filter(isOfCoin)
    const open = named.filter(isOfCoin).map(({ lotId, quantity }) => ({ lotId, quantity }))
    this.#ofTransfers.set(event.id, open)
    return open
  }
}

const NOTHING_NAMED: readonly Selection[] = []

class SelectedHolding implements Holding {
  readonly #context: RuleContext
  readonly #selections: OpenSelections
  readonly #dated = new OldestFirst()
  readonly #undated = new OldestFirst()
  /** The same parcels by lot; an emptied one stays in its queue until its turn comes. */
  readonly #byLot = new Map<string, Parcel[]>()

  constructor(context: RuleContext, selections: OpenSelections) {
    this.#context = context
    this.#selections = selections
  }

  add(parcel: Parcel): void {
    const queue = isUndated(parcel) ? this.#undated : this.#dated
    queue.push(parcel)
    const lotId = parcel.lot.id ?? ''
    const same = this.#byLot.get(lotId)
    if (same === undefined) this.#byLot.set(lotId, [parcel])
    else same.push(parcel)
  }

  take(quantity: bigint, event: LotEvent): Taken {
    const parcels: Parcel[] = []
    let open = quantity
    for (const selection of this.#selections.for(event)) {
      const wanted = smaller(open, selection.quantity)
      if (wanted === 0n) continue
      const lacking = this.#takeFromLot(selection.lotId, wanted, parcels)
      if (event.kind === 'transfer_out') selection.quantity -= wanted
      open -= wanted - lacking
      if (lacking > 0n)
        this.#context.sink.problem(problemOf(event, 'selected lot not held', lacking, selection.lotId))
    }
    open = this.#takeOldest(this.#dated, open, parcels)
    return { parcels, missing: this.#takeOldest(this.#undated, open, parcels) }
  }

  left(): Parcel[] {
    return inOrderOfAcquisition([...this.#dated.values(), ...this.#undated.values()])
  }

  /** Answers what the lot lacked. */
  #takeFromLot(lotId: string, wanted: bigint, into: Parcel[]): bigint {
    let open = wanted
    for (const parcel of this.#byLot.get(lotId) ?? []) {
      const quantity = smaller(open, quantityOf(parcel))
      if (quantity === 0n) continue
      into.push(cutFront(parcel, quantity))
      open -= quantity
    }
    this.#forget(lotId, (parcel) => quantityOf(parcel) === 0n)
    return open
  }

  /** A parcel taken whole leaves the queue itself; it must be forgotten here before another account holds it. */
  #takeOldest(queue: OldestFirst, wanted: bigint, into: Parcel[]): bigint {
    const already = into.length
    const lacking = drain(queue, wanted, into)
    for (let at = already; at < into.length; at += 1) {
      const taken = into[at]!
      this.#forget(taken.lot.id ?? '', (parcel) => parcel === taken)
    }
    return lacking
  }

  #forget(lotId: string, isGone: (parcel: Parcel) => boolean): void {
    const same = this.#byLot.get(lotId)
    if (same === undefined || !same.some(isGone)) return
    if (same.length === 1) this.#byLot.delete(lotId)
    else
      this.#byLot.set(
        lotId,
        same.filter((parcel) => !isGone(parcel)),
      )
  }
}
