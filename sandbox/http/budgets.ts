// Rate limits as strict sliding windows: in any span of the documented length, at most the documented number of
// requests may arrive. A refused arrival counts too, so a client that hammers stays refused; one that pauses for a full
// window is served. With a speed of N every span is N times shorter. Interface document, part 8; the address limit and
// its five minutes are public facts of the venue.

export interface Rate {
  count: number
  perMs: number
}

/** Floating-point differences of a clock must not make a full window look marginally too short. */
const ROUNDING_MS = 1e-6

export class SlidingWindow {
  readonly #count: number
  readonly #perMs: number
  #arrivals: number[] = []
  #oldest = 0
  /** The most arrivals that any window has seen. */
  peak = 0

  constructor({ count, perMs }: Rate) {
    this.#count = count
    this.#perMs = perMs
  }

  /** Records an arrival and returns how many more this window allows; negative if it was one too many. */
  arrive(atMs: number): number {
    while (
      this.#oldest < this.#arrivals.length &&
      this.#arrivals[this.#oldest]! <= atMs - this.#perMs + ROUNDING_MS
    ) {
      this.#oldest++
    }
    if (this.#oldest > 1024 && this.#oldest * 2 > this.#arrivals.length) {
      this.#arrivals = this.#arrivals.slice(this.#oldest)
      this.#oldest = 0
    }
    this.#arrivals.push(atMs)
    const inWindow = this.#arrivals.length - this.#oldest
    this.peak = Math.max(this.peak, inWindow)
    return this.#count - inWindow
  }
}

const ADDRESS_RATE: Rate = { count: 6_000, perMs: 60_000 }
const BLOCK_MS = 300_000

/** Blocks an address that sends more than 6000 requests a minute, for five minutes. */
export class AddressGuard {
  readonly #speed: number
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #blockedUntilMs = new Map<string, number>()

  constructor(speed: number) {
    this.#speed = speed
  }

  /** Whether a request from this address is accepted. */
  admits(address: string, atMs: number): boolean {
    if (atMs < (this.#blockedUntilMs.get(address) ?? 0)) return false
    const window = getOrMake(
      this.#windows,
      address,
      () => new SlidingWindow(faster(ADDRESS_RATE, this.#speed)),
    )
    if (window.arrive(atMs) >= 0) return true
    this.#blockedUntilMs.set(address, atMs + BLOCK_MS / this.#speed)
    this.#windows.delete(address)
    return false
  }
}

export function faster({ count, perMs }: Rate, speed: number): Rate {
  return { count, perMs: perMs / speed }
}

export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
