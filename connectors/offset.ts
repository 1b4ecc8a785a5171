// The venue's clock: the machine's wall clock plus an offset measured from the requestTime of its answers.
// One implausible or poisoned time must not move it, so it is the median of the last few measurements.

const SAMPLES = 5

/** 13 digits: from 2001 to 2286. Times of 12 or 14 digits occur in the wild. Source: venue-facts, Wire oddities. */
export function plausibleTime(value: unknown): number | null {
  const digits = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[1-9]\d{12}$/.test(digits) ? Number(digits) : null
}

export class ClockOffset {
  #samples: number[] = []

  /** Milliseconds to add to the machine's wall clock; null until measured. */
  get ms(): number | null {
    const sorted = this.#samples.toSorted((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
  }

  /** An answer that the venue stamped, sent and received at these wall times; the stamp is taken half way. */
  measure(requestTime: number, sentAt: number, receivedAt: number): void {
    this.#samples.push(Math.round(requestTime - (sentAt + receivedAt) / 2))
    if (this.#samples.length > SAMPLES) this.#samples.shift()
  }

  /** After a refusal of the time all earlier measurements are void. */
  forget(): void {
    this.#samples = []
  }
}
