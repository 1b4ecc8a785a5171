// The sandbox's only source of randomness: sfc32, seeded by a number and the name of a stream. Streams are independent,
// so that a change in how one kind of event is invented leaves all the others unchanged.

export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number, stream: string) {
    // FNV-1a over the seed and the stream's name, one 32-bit lane per start value.
    const lane = (offset: number): number => {
      let hash = offset
      for (const char of `${seed}/${stream}`) hash = Math.imul(hash ^ char.codePointAt(0)!, 16_777_619) >>> 0
      return hash
    }
    this.#a = lane(2_166_136_261)
    this.#b = lane(84_696_351)
    this.#c = lane(3_735_928_559)
    for (let round = 0; round < 12; round++) this.next()
  }

  /** The next 32 bits as a non-negative integer. */
  next(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0
    return result >>> 0
  }

  /** An integer from low to high, both included. */
  int(low: number, high: number): number {
    return low + Math.floor((this.next() / 2 ** 32) * (high - low + 1))
  }

  /** True in `share` of all cases, 0 to 1. */
  chance(share: number): boolean {
    return this.next() / 2 ** 32 < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!
  }

  /** An amount between low and high, with eighteen decimals: truncate it to the coin's precision. */
  amount(low: bigint, high: bigint): bigint {
    return low + ((high - low) * BigInt(this.next())) / 2n ** 32n
  }

  hex(digits: number): string {
    let out = ''
    while (out.length < digits) out += this.next().toString(16).padStart(8, '0')
    return out.slice(0, digits)
  }

  digits(count: number): string {
    let out = String(this.int(1, 9))
    while (out.length < count) out += String(this.int(0, 9))
    return out
  }
}
