// The last defence against being shut out: the venue blocks an address for five minutes after too many requests.
// When refusals for the rate come on several budgets and nothing succeeds in between, everything pauses once; if the
// venue still refuses then, nothing more is sent. Sources: venue-facts, Failures; contract, Time.
import type { Clock } from '../models/clock.ts'

export const BLOCK_PAUSE_MS = 5 * 60_000

/** Refusals on fewer budgets than this are those budgets' own matter. */
const BUDGETS_MIN = 2

type State = 'open' | 'pausing' | 'probing' | 'closed'

export class BlockGuard {
  readonly #clock: Clock
  readonly #closing: AbortSignal
  readonly #onPause: (pauseMs: number) => void
  /** Budgets that were refused since the last success. */
  readonly #refused = new Set<string>()
  #state: State = 'open'
  #hasPaused = false
  #pause: Promise<void> = Promise.resolve()

  constructor(clock: Clock, closing: AbortSignal, onPause: (pauseMs: number) => void) {
    this.#clock = clock
    this.#closing = closing
    this.#onPause = onPause
  }

  /** Waits out the pause; answers false when nothing may be sent any more. */
  async mayPass(): Promise<boolean> {
    if (this.#state === 'pausing') await this.#pause
    return this.#state !== 'closed'
  }

  succeeded(): void {
    this.#refused.clear()
    if (this.#state === 'probing') this.#state = 'open'
  }

  /** A refusal for the rate; one that was sent before the pause says nothing of the time after it. */
  refused(budget: string): void {
    this.#refused.add(budget)
    if (this.#state === 'probing') this.#state = 'closed'
  }

  /** A request gave up on refusals for the rate. */
  exhausted(): void {
    if (this.#state !== 'open' || this.#refused.size < BUDGETS_MIN) return
    if (this.#hasPaused) {
      this.#state = 'closed'
      return
    }
    this.#hasPaused = true
    this.#state = 'pausing'
    this.#onPause(BLOCK_PAUSE_MS)
    this.#pause = this.#clock.sleep(BLOCK_PAUSE_MS, this.#closing).then(() => {
      this.#refused.clear()
      this.#state = 'probing'
    })
  }
}
