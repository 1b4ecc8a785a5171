// A rate budget that holds by the venue's count, in every sliding window of its interval. A request takes a slot and
// frees it one interval after its answer. Because the venue received the request before answering, no network delay can
// bring two uses of a slot closer together at the venue. A request that timed out may still arrive, so it counts too.
import PQueue from 'p-queue'
import type { Clock } from '../models/clock.ts'

/** Allows for whole milliseconds and timers that fire early. */
const SAFETY_MS = 2

export interface BudgetOptions {
  readonly count: number
  readonly perMs: number
  readonly clock: Clock
  /** Monotonic time before which nothing is sent, because requests of an earlier process still count. */
  readonly notBefore: number
  /** Ends all waiting immediately. */
  readonly closing: AbortSignal
}

export interface Turn {
  /** Leaves the queue. Once the request has been sent, its slot is spent regardless. */
  readonly signal?: AbortSignal
  /** Retries go before first tries, because their time is limited. */
  readonly isRetry?: boolean
}

export class Budget {
  readonly #queue: PQueue
  readonly #options: BudgetOptions

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#queue = new PQueue({ concurrency: options.count })
  }

  /** Runs the task in a slot of the budget as soon as one is free. */
  run<T>(task: () => Promise<T>, { signal, isRetry = false }: Turn = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(signal?.reason)
      if (signal?.aborted === true) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      // The queue does not get the signal, which would free the slot of a request that was sent.
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
