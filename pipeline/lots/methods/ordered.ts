// The methods that are nothing but an order: first in first out, last in first out, highest and lowest unit cost.
// Equal times go by place: LIFO takes the later row first; equal unit costs go by time, then place.
import type { MatchingRule } from '../event.ts'
import { isUndated, isUnvalued, QueuedHolding } from '../holding.ts'
import { compareAcquisition, compareUnitCost, type Parcel } from '../parcel.ts'
import { HeapQueue, NewestFirst, OldestFirst } from '../queue.ts'
import { RunningBook } from '../running-book.ts'

export const fifo: MatchingRule = (context) =>
  new RunningBook(context, () => new QueuedHolding(new OldestFirst(), isUndated))

export const lifo: MatchingRule = (context) =>
  new RunningBook(context, () => new QueuedHolding(new NewestFirst(), isUndated))

export const hifo: MatchingRule = (context) =>
  new RunningBook(context, () => new QueuedHolding(new HeapQueue(compareDearest), isUnvalued))

export const lofo: MatchingRule = (context) =>
  new RunningBook(context, () => new QueuedHolding(new HeapQueue(compareCheapest), isUnvalued))

function compareDearest(a: Parcel, b: Parcel): number {
  return compareUnitCost(b.lot, a.lot) || compareAcquisition(a, b)
}

function compareCheapest(a: Parcel, b: Parcel): number {
  return compareUnitCost(a.lot, b.lot) || compareAcquisition(a, b)
}
