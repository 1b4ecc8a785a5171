// Virtual time: a queue of events that decides alone what happens next. Time advances only when nothing real is under
// way: before each event all microtasks are drained, and an event that calls into DuckDB is awaited whole before the
// next one is looked at. So threads outside of JavaScript never decide an order.

interface Event {
  readonly due: number
  readonly order: number
  run: (() => void | Promise<void>) | null
}

/** More than any run needs; a run that reaches it goes round for ever. */
const EVENTS_MAX = 400_000

export class Scheduler {
  /** Milliseconds since the world began. */
  now = 0
  events = 0
  readonly #heap: Event[] = []
  #order = 0

  /** Runs something later; gives what takes it back. Equal times run in the order in which they were asked for. */
  after(ms: number, run: () => void | Promise<void>): () => void {
    const event: Event = { due: this.now + Math.max(0, ms), order: this.#order, run }
    this.#order += 1
    this.#push(event)
    return () => {
      event.run = null
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  /** Does something real while the world stands still. */
  event(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.after(0, () => work().then(resolve, reject))
    })
  }

  /** Lets time pass until the promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const mark = (): void => {
      settled = true
    }
    promise.then(mark, mark)
    for (;;) {
      await drained()
      if (settled) return promise
      const event = this.#pop()
      if (event === null)
        throw new Stuck('nothing is left to happen, and yet the run has not ended', this.now)
      this.now = event.due
      this.events += 1
      if (this.events > EVENTS_MAX) throw new Stuck(`more than ${EVENTS_MAX} events`, this.now)
      await event.run?.()
    }
  }

  #push(event: Event): void {
    const heap = this.#heap
    heap.push(event)
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!before(heap[at]!, heap[parent]!)) break
      swap(heap, at, parent)
      at = parent
    }
  }

  /** The next event that has not been taken back. */
  #pop(): Event | null {
    for (;;) {
      const event = this.#take()
      if (event === null || event.run !== null) return event
    }
  }

  #take(): Event | null {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined) return null
    if (heap.length === 0) return first
    heap[0] = last
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let least = at
      if (left < heap.length && before(heap[left]!, heap[least]!)) least = left
      if (right < heap.length && before(heap[right]!, heap[least]!)) least = right
      if (least === at) return first
      swap(heap, at, least)
      at = least
    }
  }
}

/** The run does not end. */
export class Stuck extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(`${message}, at ${at} ms`)
    this.at = at
  }
}

const before = (a: Event, b: Event): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

function swap(heap: Event[], a: number, b: number): void {
  const kept = heap[a]!
  heap[a] = heap[b]!
  heap[b] = kept
}

/** A macrotask begins only when every microtask, and what those have queued, is done. */
const drained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
