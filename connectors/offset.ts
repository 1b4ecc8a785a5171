// The venue's clock: the machine's monotonic clock plus an offset measured from the requestTime of its answers, so that
// a wall clock that is set right in the middle of a run moves nothing. One implausible or poisoned time must not move it
// either, so it is the median of the last few measurements, with the machine's wall clock as one more witness from the
// second on.

const SAMPLES = 5

/** The venue takes requests that are 30 s off: witnesses that differ by less agree. Source: venue-facts, Signing. */
const AGREE_MS = 60_000

/** 13 digits: from 2001 to 2286. Times of 12 or 14 digits occur in the wild. Source: venue-facts, Wire oddities. */
export function plausibleTime(value: unknown): number | null {
  const digits = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[1-9]\d{12}$/.test(digits) ? Number(digits) : null
}

export class ClockOffset {
  #samples: number[] = []
  #wall: number | null

  /** What the wall clock shows more than the monotonic one; it is a witness until its time is refused. */
  constructor(wall: number | null = null) {
    this.#wall = wall
  }

  /** Unix milliseconds of the venue at an instant of the monotonic clock; null until so many answers have told it. */
  at(monotonic: number, answers = 1): number | null {
    if (this.#samples.length < answers) return null
    const wall = this.#samples.length === 1 ? null : this.#wall
    const witnesses = (wall === null ? this.#samples : [...this.#samples, wall]).toSorted((a, b) => a - b)
    const lower = witnesses[Math.floor((witnesses.length - 1) / 2)]!
    const upper = witnesses[Math.ceil((witnesses.length - 1) / 2)]!
    // The lower one claims less. Where the two tell different stories, the wall clock decides.
    const isUpper = wall !== null && upper - lower > AGREE_MS && upper - wall < wall - lower
    return Math.floor(monotonic + (isUpper ? upper : lower))
  }

  /** An answer that the venue stamped, sent and received at these monotonic times; the stamp is taken half way. */
  measure(requestTime: number, sentAt: number, receivedAt: number): void {
    this.#samples.push(requestTime - (sentAt + receivedAt) / 2)
    if (this.#samples.length > SAMPLES) this.#samples.shift()
  }

  /** After a refusal of the time all earlier measurements are void: the machine may have slept. */
  forget(): void {
    this.#samples = []
    this.#wall = null
  }
}
