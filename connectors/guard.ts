// The last defence against being blocked: the venue blocks an address for five minutes after too many requests. If
// several budgets are refused for their rate without a success in between, everything pauses once; if the venue still
// refuses after that, nothing more is sent. Sources: venue-facts, Failures; contract, Time.
import type { Clock } from '../models/clock.ts'

export const BLOCK_PAUSE_MS = 5 * 60_000

/** With fewer refused budgets than this, each budget handles it by itself. */
const BUDGETS_MIN = 2

export class BlockGuard {
  readonly #clock: Clock
  readonly #onPause: (pauseMs: number) => void
  /** Budgets that were refused since the last success. */
  readonly #refused = new Set<string>()
  /** probing: the pause is over, and nothing has been answered since; the first answer settles it. */
  #state: 'open' | 'pausing' | 'probing' | 'closed' = 'open'
  #hasPaused = false
  #pausesUntil = 0

  constructor(clock: Clock, onPause: (pauseMs: number) => void) {
    this.#clock = clock
    this.#onPause = onPause
  }

  /** Waits for the end of the pause, or for the signal; returns false if nothing may be sent any more. */
  async mayPass(signal: AbortSignal): Promise<boolean> {
    while (this.#state === 'pausing' && !signal.aborted) {
      const rest = this.#pausesUntil - this.#clock.monotonic()
      if (rest > 0) await this.#clock.sleep(rest, signal)
      else this.#state = 'probing'
    }
    return this.#state !== 'closed'
  }

  succeeded(): void {
    this.#refused.clear()
    if (this.#state === 'probing') this.#state = 'open'
  }

  refused(budget: string): void {
    this.#refused.add(budget)
    if (this.#state === 'probing') this.#state = 'closed'
  }

  /** A request gave up because of rate refusals. */
  exhausted(): void {
    if (this.#state !== 'open' || this.#refused.size < BUDGETS_MIN) return
    if (this.#hasPaused) {
      this.#state = 'closed'
      return
    }
    this.#hasPaused = true
    this.#state = 'pausing'
    this.#pausesUntil = this.#clock.monotonic() + BLOCK_PAUSE_MS
    this.#onPause(BLOCK_PAUSE_MS)
  }
}
