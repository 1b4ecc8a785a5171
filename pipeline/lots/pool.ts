// A pool of average cost: every unit costs the same, and lots lose their identity in it. An exact average
// would grow in digits without bound, so the pool's cost carries 18 digits beyond the 18 that are published.
// What is handed out is the difference of rounded totals, so nothing is lost.
import { drain, type Holding, inOrderOfAcquisition, isUnvalued } from './holding.ts'
import type { Taken } from './parcel.ts'
import { costOf, type Parcel, poolShare, quantityOf } from './parcel.ts'
import { OldestFirst } from './queue.ts'
import { roundDiv, smaller } from './share.ts'

const GUARD = 10n ** 18n

/** Section 104 pool, adjusted cost base, plain average: the same arithmetic for all three. */
export class Pool implements Holding {
  #quantity = 0n
  /** In units of 10^-36. */
  #cost = 0n
  /** Lots of unknown cost would make every average unknown: they are held back until the pool is empty. */
  readonly #apart = new OldestFirst()
  #apartQuantity = 0n

  get quantity(): bigint {
    return this.#quantity
  }

  get quantityOfUnknownCost(): bigint {
    return this.#apartQuantity
  }

  add(parcel: Parcel): void {
    if (isUnvalued(parcel)) {
      this.#apart.push(parcel)
      this.#apartQuantity += quantityOf(parcel)
      return
    }
    this.#quantity += quantityOf(parcel)
    this.#cost += (costOf(parcel) ?? 0n) * GUARD
  }

  /** Raises the cost of what is in the pool. */
  addCost(cost: bigint): void {
    this.#cost += cost * GUARD
  }

  take(quantity: bigint): Taken {
    const parcels: Parcel[] = []
    const pooled = smaller(quantity, this.#quantity)
    if (pooled > 0n) parcels.push(poolShare(pooled, this.#takeCost(pooled)))
    const missing = drain(this.#apart, quantity - pooled, parcels)
    this.#apartQuantity -= quantity - pooled - missing
    return { parcels, missing }
  }

  #takeCost(quantity: bigint): bigint {
    const before = inUnits(this.#cost)
    if (quantity === this.#quantity) this.#cost = 0n
    else this.#cost -= roundDiv(this.#cost * quantity, this.#quantity)
    this.#quantity -= quantity
    return before - inUnits(this.#cost)
  }

  left(): Parcel[] {
    const apart = inOrderOfAcquisition(this.#apart.values())
    if (this.#quantity === 0n) return apart
    return [poolShare(this.#quantity, inUnits(this.#cost)), ...apart]
  }
}

/**
 * Rounds to a whole unit, halves up. Not away from zero: whole units that are added to a total below zero must add just as
 * many once it is rounded, or a unit appears or vanishes where the total crosses zero.
 */
function inUnits(cost: bigint): bigint {
  const raised = cost + GUARD / 2n
  const above = raised % GUARD
  return (raised - (above < 0n ? above + GUARD : above)) / GUARD
}
