// Specific identification: a disposal or an outgoing transfer takes the lots that its owner named for it.
// Whatever the selection leaves open is taken first in, first out; a named lot that is not held is reported.
// If the law requires a withheld fee to be paid from the coins it was withheld from, no selection changes
// that.
import type { EventId, LotEvent, NamedLotsOf, RuleContext, Selection } from '../event.ts'
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
  readonly lotId: EventId
  quantity: bigint
}

/**
 * What each selection still has to give: a transfer draws on its selection twice, for the move and for the
 * fee.
 */
class OpenSelections {
  readonly #selections: NamedLotsOf
  readonly #ofTransfers = new Map<EventId, OpenSelection[]>()

  constructor(selections: NamedLotsOf) {
    this.#selections = selections
  }

  for(event: LotEvent): readonly OpenSelection[] {
    const begun = this.#ofTransfers.get(event.id)
    if (begun !== undefined) return begun
    const named = this.#selections.get(event.id) ?? NOTHING_NAMED
    const isOfCoin = ({ coin }: Selection<EventId>): boolean => coin === undefined || coin === event.coin
    if (event.kind !== 'transfer_out') return named.some(namesCoin) ? named.filter(isOfCoin) : named
    const open = named.filter(isOfCoin).map(({ lotId, quantity }) => ({ lotId, quantity }))
    this.#ofTransfers.set(event.id, open)
    return open
  }
}

const namesCoin = ({ coin }: Selection<EventId>): boolean => coin !== undefined

const NOTHING_NAMED: readonly Selection<EventId>[] = []

class SelectedHolding implements Holding {
  readonly #context: RuleContext
  readonly #selections: OpenSelections
  readonly #dated = new OldestFirst()
  readonly #undated = new OldestFirst()
  /**
   * The same parcels by lot, most of which have only one; an emptied one stays in its queue until its turn.
   */
  readonly #byLot = new Map<EventId | null, Parcel | readonly Parcel[]>()

  constructor(context: RuleContext, selections: OpenSelections) {
    this.#context = context
    this.#selections = selections
  }

  add(parcel: Parcel): void {
    const queue = isUndated(parcel) ? this.#undated : this.#dated
    queue.push(parcel)
    const held = this.#parcelsOf(parcel.lot.id)
    this.#byLot.set(parcel.lot.id, held.length === 0 ? parcel : [...held, parcel])
  }

  take(quantity: bigint, event: LotEvent): Taken {
    const parcels: Parcel[] = []
    let open = event.keptFrom === undefined ? quantity : this.#takeFromLot(event.keptFrom, quantity, parcels)
    let unnamed = quantity
    for (const selection of this.#selections.for(event)) {
      const wanted = smaller(open, selection.quantity)
      const named = smaller(unnamed, selection.quantity)
      unnamed -= named
      if (named > wanted && selection.lotId !== event.keptFrom)
        this.#context.sink.problem(
          problemOf(event, 'selected lot not needed', named - wanted, selection.lotId),
        )
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

  #parcelsOf(lotId: EventId | null): readonly Parcel[] {
    const held = this.#byLot.get(lotId)
    if (held === undefined) return NONE
    return 'lot' in held ? [held] : held
  }

  /** Returns the lot's shortfall. */
  #takeFromLot(lotId: EventId, wanted: bigint, into: Parcel[]): bigint {
    let open = wanted
    for (const parcel of this.#parcelsOf(lotId)) {
      const quantity = smaller(open, quantityOf(parcel))
      if (quantity > 0n) into.push(cutFront(parcel, quantity))
      open -= quantity
      if (quantityOf(parcel) === 0n) this.#forget(parcel)
    }
    return open
  }

  /**
   * A parcel that is taken whole leaves the queue itself; it must be forgotten here before another account
   * holds it.
   */
  #takeOldest(queue: OldestFirst, wanted: bigint, into: Parcel[]): bigint {
    if (wanted === 0n) return 0n
    const already = into.length
    const lacking = drain(queue, wanted, into)
    for (let at = already; at < into.length; at += 1) this.#forget(into[at]!)
    return lacking
  }

  /** What was cut off a parcel is not one of those kept, so there is nothing to forget. */
  #forget(gone: Parcel): void {
    const held = this.#byLot.get(gone.lot.id)
    if (held === undefined) return
    const left = 'lot' in held ? (held === gone ? NONE : null) : held.filter((parcel) => parcel !== gone)
    if (left === null) return
    const [first, second] = left
    if (first === undefined) this.#byLot.delete(gone.lot.id)
    else this.#byLot.set(gone.lot.id, second === undefined ? first : left)
  }
}

const NONE: readonly Parcel[] = []
