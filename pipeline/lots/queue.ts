// The orders in which parcels are queued: oldest first, newest first, or by any comparison. Acquisitions
// arrive in time order, so a deque or a stack serves them at constant cost. Only a parcel that was acquired
// earlier and moved in later needs the heap as well.
import { compareAcquisition, type Parcel } from './parcel.ts'

export interface ParcelQueue {
  push(parcel: Parcel): void
  peek(): Parcel | undefined
  pop(): Parcel | undefined
  /** All queued parcels, in no guaranteed order. */
  values(): Iterable<Parcel>
}

/** Binary heap: the parcel that compares least comes first. */
export class HeapQueue implements ParcelQueue {
  readonly #items: Parcel[] = []
  readonly #compare: (a: Parcel, b: Parcel) => number

  constructor(compare: (a: Parcel, b: Parcel) => number) {
    this.#compare = compare
  }

  peek(): Parcel | undefined {
    return this.#items[0]
  }

  values(): Iterable<Parcel> {
    return this.#items
  }

  push(parcel: Parcel): void {
    this.#rise(parcel, this.#items.length)
  }

  /**
   * The last element sinks to the bottom and rises from there: it belongs low, so few comparisons are needed.
   */
  pop(): Parcel | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let at = 0
    for (let below = 1; below < items.length; below = 2 * at + 1) {
      if (below + 1 < items.length && this.#compare(items[below + 1]!, items[below]!) < 0) below += 1
      items[at] = items[below]!
      at = below
    }
    this.#rise(last, at)
    return first
  }

  /** Puts it at this position, which is free, or above. */
  #rise(parcel: Parcel, from: number): void {
    const items = this.#items
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#compare(parcel, items[above]!) >= 0) break
      items[at] = items[above]!
      at = above
    }
    items[at] = parcel
  }
}

/** Deque that takes from its front; out-of-order arrivals go into a heap. */
export class OldestFirst implements ParcelQueue {
  #lane: Parcel[] = []
  #head = 0
  readonly #late = new HeapQueue(compareAcquisition)

  push(parcel: Parcel): void {
    const last = this.#lane[this.#lane.length - 1]
    if (this.#head < this.#lane.length && last!.lot.order >= parcel.lot.order) this.#late.push(parcel)
    else this.#lane.push(parcel)
  }

  peek(): Parcel | undefined {
    const early = this.#late.peek()
    const next = this.#lane[this.#head]
    if (early === undefined || next === undefined) return next ?? early
    return compareAcquisition(early, next) < 0 ? early : next
  }

  pop(): Parcel | undefined {
    const first = this.peek()
    if (first !== this.#lane[this.#head] || first === undefined) return this.#late.pop()
    this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#lane.length) {
      this.#lane = this.#lane.slice(this.#head)
      this.#head = 0
    }
    return first
  }

  *values(): Iterable<Parcel> {
    for (let at = this.#head; at < this.#lane.length; at += 1) yield this.#lane[at]!
    yield* this.#late.values()
  }
}

/** Newest acquisition first; parcels of one lot still from its front. */
function compareNewest(a: Parcel, b: Parcel): number {
  return b.lot.order - a.lot.order || compareAcquisition(a, b)
}

/** Stack that takes from its top; out-of-order arrivals go into a heap. */
export class NewestFirst implements ParcelQueue {
  readonly #stack: Parcel[] = []
  readonly #late = new HeapQueue(compareNewest)

  push(parcel: Parcel): void {
    const top = this.#stack[this.#stack.length - 1]
    if (top !== undefined && top.lot.order >= parcel.lot.order) this.#late.push(parcel)
    else this.#stack.push(parcel)
  }

  peek(): Parcel | undefined {
    const late = this.#late.peek()
    const top = this.#stack[this.#stack.length - 1]
    if (late === undefined || top === undefined) return top ?? late
    return compareNewest(late, top) < 0 ? late : top
  }

  pop(): Parcel | undefined {
    const first = this.peek()
    return first !== undefined && first === this.#stack[this.#stack.length - 1]
      ? this.#stack.pop()
      : this.#late.pop()
  }

  *values(): Iterable<Parcel> {
    yield* this.#stack
    yield* this.#late.values()
  }
}
