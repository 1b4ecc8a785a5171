// The venue's clock: it starts where the options set it and advances with the elapsed time it is given, so that a test
// controls it by controlling that. The `skew` fault shifts what the venue takes for the time, never the history.

export const SECOND_MS = 1_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS

export class Clock {
  readonly #startMs: number
  readonly #startedAtMs: number
  readonly #monotonicMs: () => number
  readonly skewMs: number

  constructor(startMs: number, monotonicMs: () => number, skewMs: number) {
    this.#startMs = startMs
    this.#startedAtMs = monotonicMs()
    this.#monotonicMs = monotonicMs
    this.skewMs = skewMs
  }

  /** Milliseconds since the sandbox started; used for budgets, blocks and outages. */
  elapsedMs(): number {
    return this.#monotonicMs() - this.#startedAtMs
  }

  /** The time according to the venue, in whole Unix milliseconds. */
  nowMs(): number {
    return Math.floor(this.#startMs + this.elapsedMs()) + this.skewMs
  }
}
