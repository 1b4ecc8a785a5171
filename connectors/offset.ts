// The venue's clock: the machine's monotonic clock plus an offset measured from the requestTime of its answers, so that
// a wall clock that is set right in the middle of a run moves nothing. One implausible or poisoned time must not move it
// either, so it is the median of the last few measurements.

const SAMPLES = 5

/** 13 digits: from 2001 to 2286. Times of 12 or 14 digits occur in the wild. Source: venue-facts, Wire oddities. */
export function plausibleTime(value: unknown): number | null {
  const digits = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[1-9]\d{12}$/.test(digits) ? Number(digits) : null
}

export class ClockOffset {
  #samples: number[] = []

  /** Unix milliseconds of the venue at an instant of the monotonic clock; null until measured. */
  at(monotonic: number): number | null {
    const sorted = this.#samples.toSorted((a, b) => a - b)
    const median = sorted[Math.floor((sorted.length - 1) / 2)]
    return median === undefined ? null : Math.floor(monotonic + median)
  }

  /** An answer that the venue stamped, sent and received at these monotonic times; the stamp is taken half way. */
  measure(requestTime: number, sentAt: number, receivedAt: number): void {
    this.#samples.push(requestTime - (sentAt + receivedAt) / 2)
    if (this.#samples.length > SAMPLES) this.#samples.shift()
  }

  /** After a refusal of the time all earlier measurements are void: the machine may have slept. */
  forget(): void {
    this.#samples = []
  }
}
