// Identifiers of the whole sandbox: unique, nineteen digits, rising in the order in which things happened.
// Like the published ones they carry the millisecond in their upper bits and count on within it.

const EPOCH_MS = 1_435_726_800_000n
const COUNTER_BITS = 22n

export class Ids {
  #last = 10n ** 18n

  next(atMs: number): string {
    const base = (BigInt(atMs) - EPOCH_MS) << COUNTER_BITS
    this.#last = base > this.#last ? base : this.#last + 1n
    return this.#last.toString()
  }
}
