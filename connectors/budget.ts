// A rate budget that holds as the venue counts it, in any window of its interval. A slot is taken by a request and
// freed one interval after its answer: the venue received the request before it answered, so no delay on the way
// can bring two uses of a slot closer together there. After a time-out the request may still arrive: it counts too.
import PQueue from 'p-queue'
import type { Clock } from '../models/clock.ts'

/** Against whole milliseconds and timers that fire early. */
const SAFETY_MS = 2

export interface BudgetOptions {
  readonly count: number
  readonly perMs: number
  readonly clock: Clock
  /** Monotonic time before which nothing is sent: requests of an earlier process still count. */
  readonly notBefore: number
  /** Ends all waiting at once. */
  readonly closing: AbortSignal
}

export interface Turn {
  /** Gives up the place in the queue. Once the request is on its way its slot is spent all the same. */
  readonly signal?: AbortSignal
  /** A retry goes before first tries, since its time is limited. */
  readonly isRetry?: boolean
}

export class Budget {
  readonly #queue: PQueue
  readonly #options: BudgetOptions

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#queue = new PQueue({ concurrency: options.count })
  }

  /** Runs the task in a slot of the budget, when one is free. */
  run<T>(task: () => Promise<T>, { signal, isRetry = false }: Turn = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(signal?.reason)
      if (signal?.aborted === true) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      // The signal is not given to the queue: that would free the slot of a request that was sent.
      const slot = async (): Promise<void> => {
        await this.#waitUntil(this.#options.notBefore, signal)
        signal?.removeEventListener('abort', leave)
        if (signal?.aborted === true) return
        await task().then(resolve, reject)
        await this.#waitUntil(this.#options.clock.monotonic() + this.#options.perMs + SAFETY_MS)
      }
      void this.#queue.add(slot, { priority: isRetry ? 1 : 0 })
    })
  }

  async #waitUntil(due: number, signal?: AbortSignal): Promise<void> {
    const { clock, closing } = this.#options
    while (!closing.aborted && signal?.aborted !== true) {
      const rest = due - clock.monotonic()
      if (rest <= 0) return
      await clock.sleep(rest, signal ?? closing)
    }
  }
}
