// The venue's clock: it starts where the options say and runs with the elapsed time it is given, so that a
// test holds it by holding that. The `skew` fault shifts what the venue believes, never the history.

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

  /** Milliseconds since the sandbox started; what budgets, blocks and outages go by. */
  elapsedMs(): number {
    return this.#monotonicMs() - this.#startedAtMs
  }

  /** What the venue believes the time to be, in whole Unix milliseconds. */
  nowMs(): number {
    return Math.floor(this.#startMs + this.elapsedMs()) + this.skewMs
  }
}
