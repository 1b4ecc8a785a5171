// The venue's clock: the machine's monotonic clock plus an offset measured from the requestTime of its answers, so that
// correcting the wall clock in the middle of a run changes nothing. One implausible or malicious time must not change
// it either, so the offset is the median of the last few measurements. From the second one on, the machine's wall clock
// counts as a further measurement.

const SAMPLES = 5

/**
 * The venue accepts requests that are 30 s off: measurements that differ by less agree. Source: venue-facts, Signing.
 */
const AGREE_MS = 60_000

/** 13 digits: from 2001 to 2286. Times of 12 or 14 digits occur in practice. Source: venue-facts, Wire oddities. */
export function plausibleTime(value: unknown): number | null {
  const digits = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[1-9]\d{12}$/.test(digits) ? Number(digits) : null
}

export class ClockOffset {
  #samples: number[] = []
  #wall: number | null

  /** The wall clock's lead over the monotonic one; used as a measurement until its time is refused. */
  constructor(wall: number | null = null) {
    this.#wall = wall
  }

  /**
   * Unix milliseconds of the venue at an instant of the monotonic clock; null until this many answers have confirmed
   * it.
   */
  at(monotonic: number, answers = 1): number | null {
    if (this.#samples.length < answers) return null
    const wall = this.#samples.length === 1 ? null : this.#wall
    const witnesses = (wall === null ? this.#samples : [...this.#samples, wall]).toSorted((a, b) => a - b)
    const lower = witnesses[Math.floor((witnesses.length - 1) / 2)]!
    const upper = witnesses[Math.ceil((witnesses.length - 1) / 2)]!
    // The lower one claims less. If the two disagree, the wall clock settles it.
    const isUpper = wall !== null && upper - lower > AGREE_MS && upper - wall < wall - lower
    return Math.floor(monotonic + (isUpper ? upper : lower))
  }

  /**
   * An answer stamped by the venue, sent and received at these monotonic times; the stamp is assumed to be half way.
   */
  measure(requestTime: number, sentAt: number, receivedAt: number): void {
    this.#samples.push(requestTime - (sentAt + receivedAt) / 2)
    if (this.#samples.length > SAMPLES) this.#samples.shift()
  }

  /** After a refusal of the time all earlier measurements are void: the machine may have been asleep. */
  forget(): void {
    this.#samples = []
    this.#wall = null
  }
}
