// The methods that are purely an order: first in first out, last in first out, highest and lowest unit cost.
// Equal times are ordered by place: LIFO takes the later row first; equal unit costs are ordered by time,
// then place.
import { isUndated, isUnvalued, QueuedHolding } from '../holding.ts'
import { compareAcquisition, compareUnitCost, type Parcel } from '../parcel.ts'
import { HeapQueue, NewestFirst, OldestFirst } from '../queue.ts'
import { RunningBook, type RunningRule } from '../running-book.ts'

export const fifo: RunningRule = (context, inherited) =>
  new RunningBook(context, () => new QueuedHolding(new OldestFirst(), isUndated), inherited)

export const lifo: RunningRule = (context, inherited) =>
  new RunningBook(context, () => new QueuedHolding(new NewestFirst(), isUndated), inherited)

export const hifo: RunningRule = (context, inherited) =>
  new RunningBook(context, () => new QueuedHolding(new HeapQueue(compareDearest), isUnvalued), inherited)

export const lofo: RunningRule = (context, inherited) =>
  new RunningBook(context, () => new QueuedHolding(new HeapQueue(compareCheapest), isUnvalued), inherited)

function compareDearest(a: Parcel, b: Parcel): number {
  return compareUnitCost(b.lot, a.lot) || compareAcquisition(a, b)
}

function compareCheapest(a: Parcel, b: Parcel): number {
  return compareUnitCost(a.lot, b.lot) || compareAcquisition(a, b)
}
