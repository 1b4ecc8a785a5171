// Chance from a seed. Each purpose has a stream of its own, named by a text, so that leaving out one kind of fault
// does not change what happens to the others: a story can be shrunk.

/** Uniform draws that depend on nothing but the name. */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(name: string) {
    let hash = 1779033703 ^ name.length
    const word = (): number => {
      hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
      hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
      hash ^= hash >>> 16
      return hash >>> 0
    }
    for (let at = 0; at < name.length; at += 1) {
      hash = Math.imul(hash ^ name.charCodeAt(at), 3432918353)
      hash = (hash << 13) | (hash >>> 19)
    }
    this.#a = word()
    this.#b = word()
    this.#c = word()
    this.#d = word()
    for (let warmUp = 0; warmUp < 8; warmUp += 1) this.next()
  }

  /** In [0, 1), by the generator sfc32. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (this.#c << 21) | (this.#c >>> 11)
    this.#c = (this.#c + sum) | 0
    return (sum >>> 0) / 4294967296
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(1, 255)))
  }
}
