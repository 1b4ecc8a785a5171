// Identifiers of the whole sandbox: unique, nineteen digits, rising in the order in which things happened. Like the
// published ones, they hold the millisecond in their upper bits and a counter below it. Feeds whose ids are unordered
// have scattered ones instead: roughly ordered by time, and random within it.

import { SECOND_MS } from './clock.ts'
import { least } from './money.ts'
import type { Random } from './random.ts'

const EPOCH_MS = 1_435_726_800_000n
const COUNTER_BITS = 22n
/** Set only in scattered ids, so that they never collide with sequential ones. */
const SCATTERED = 1n << (COUNTER_BITS - 1n)
/** How far the time in a scattered id may be ahead of its row's. */
const SCATTER_MS = SECOND_MS

export class Ids {
  #last = 10n ** 18n
  readonly #scattered = new Set<bigint>()

  next(atMs: number): string {
    const base = baseOf(atMs)
    this.#last = base > this.#last ? base : this.#last + 1n
    return this.#last.toString()
  }

  /** An id that rises with time only roughly, and reveals nothing about the order within a second. */
  scattered(atMs: number, random: Random): string {
    for (;;) {
      const id =
        baseOf(atMs + random.int(0, SCATTER_MS - 1)) |
        SCATTERED |
        BigInt(random.int(0, Number(SCATTERED) - 1))
      if (this.#scattered.has(id)) continue
      this.#scattered.add(id)
      return id.toString()
    }
  }
}

const baseOf = (atMs: number): bigint => (BigInt(atMs) - EPOCH_MS) << COUNTER_BITS

/** The smallest of some ids, compared as numbers; empty if there is none. */
export function smallest(ids: readonly string[]): string {
  return ids.length === 0 ? '' : ids.map(BigInt).reduce(least).toString()
}
