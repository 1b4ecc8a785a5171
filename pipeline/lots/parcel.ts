// A lot is what one acquisition brought; a parcel is a stretch of it, from one position on the lot to
// another. Parcels are cut and moved between accounts, never merged. A parcel's cost follows from its two
// ends alone, so the parcels of a lot sum to the lot to the last unit, however it was cut.
import type { EventId, LotEvent } from './event.ts'
import { shareUpTo } from './share.ts'

export interface Lot {
  /** Id of the acquiring row; null for a share of a pool. */
  readonly id: EventId | null
  /** Account of the acquisition; null for a share of a pool. */
  readonly account: string | null
  /** Null if unknown: a share of a pool, or a transfer from an unknown source. */
  readonly acquiredAtUs: bigint | null
  /** Ascending by time, then place: the order of acquisition. */
  readonly order: number
  readonly quantity: bigint
  readonly value: bigint | null
  /** Approximate value per quantity: decides most comparisons of unit costs without exact arithmetic. */
  readonly nearUnitCost: number
}

/** The stretch [from, to) of a lot's quantity, with the lot's cost up to both ends. */
export interface Parcel {
  readonly lot: Lot
  from: bigint
  readonly to: bigint
  costFrom: bigint
  readonly costTo: bigint
}

/** What was taken from a holding. */
export interface Taken {
  /** In the order in which they were taken. */
  readonly parcels: Parcel[]
  /** The quantity requested beyond everything that is known. */
  missing: bigint
}

/** The parcel of a new lot: all of it, or what short sales have left of it. */
export function acquire(event: LotEvent, order: number): Parcel {
  const { id, account, happenedAtUs } = event
  const { quantity, value } = event.whole ?? event
  const parcel = wholeLot(id, account, happenedAtUs, order, quantity, value)
  if (event.quantity < quantity) cutFront(parcel, quantity - event.quantity)
  return parcel
}

/** Coins from an unknown source: their date and cost are unknown. */
export function undated(event: LotEvent, quantity: bigint, order: number): Parcel {
  return wholeLot(event.id, event.account, null, order, quantity, null)
}

/** A share of a pool, which retains neither lots nor dates. */
export function poolShare(quantity: bigint, value: bigint): Parcel {
  return wholeLot(null, null, null, 0, quantity, value)
}

export function wholeLot(
  id: EventId | null,
  account: string | null,
  acquiredAtUs: bigint | null,
  order: number,
  quantity: bigint,
  value: bigint | null,
): Parcel {
  const nearUnitCost = value === null ? 0 : Number(value) / Number(quantity)
  const lot: Lot = { id, account, acquiredAtUs, order, quantity, value, nearUnitCost }
  return { lot, from: 0n, to: quantity, costFrom: 0n, costTo: value ?? 0n }
}

export function quantityOf(parcel: Parcel): bigint {
  return parcel.to - parcel.from
}

/** Null if the cost of the lot is unknown. */
export function costOf(parcel: Parcel): bigint | null {
  return parcel.lot.value === null ? null : parcel.costTo - parcel.costFrom
}

/** Cuts `quantity` off the front; the parcel keeps the rest, which may be nothing. */
export function cutFront(parcel: Parcel, quantity: bigint): Parcel {
  const { lot, from, costFrom } = parcel
  const cut = from + quantity
  const costTo =
    lot.value === null ? 0n : cut === parcel.to ? parcel.costTo : shareUpTo(lot.value, cut, lot.quantity)
  parcel.from = cut
  parcel.costFrom = costTo
  return { lot, from, to: cut, costFrom, costTo }
}

/** A double quotient has a relative error below 2^-51; closer ones are decided by cross-multiplication. */
const NEAR = 2 ** -50

/** Exact order of two unit costs: of the lots as acquired, fee included, however little of them is left. */
export function compareUnitCost(a: Lot, b: Lot): number {
  const gap = a.nearUnitCost - b.nearUnitCost
  if (Math.abs(gap) > NEAR * (Math.abs(a.nearUnitCost) + Math.abs(b.nearUnitCost))) return gap
  const left = (a.value ?? 0n) * b.quantity
  const right = (b.value ?? 0n) * a.quantity
  return left < right ? -1 : left > right ? 1 : 0
}

/** Earlier acquisition first; parcels of one lot from its front. */
export function compareAcquisition(a: Parcel, b: Parcel): number {
  return a.lot.order - b.lot.order || (a.from < b.from ? -1 : a.from > b.from ? 1 : 0)
}
