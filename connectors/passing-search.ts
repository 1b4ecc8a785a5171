// Rules out, in one quick pass, that a text contains any of several byte strings, as is nearly always the case (Rabin
// and Karp, 1987). What it cannot rule out is left to an exact search (multi-search.ts).

/** Number of leading bytes of a string that are searched for; a shorter one is searched for completely. */
const GRAM_BYTES = 8
/** A hundred places in the table for each string, so that hardly any text meets one by chance. */
const PLACES_PER_STRING = 100
const FACTOR = 0x01000193

interface Gram {
  readonly length: number
  /** `FACTOR` to the power of the length: the weight of the byte that leaves. */
  readonly leaving: number
  readonly mask: number
  /** Which hashes, cut to the mask, are those of a string's beginning. */
  readonly isBeginning: Uint8Array
  /** The beginnings themselves, one character for each byte. */
  readonly beginnings: ReadonlySet<string>
}

export class PassingSearch {
  readonly #grams: readonly Gram[]

  constructor(strings: readonly Buffer[]) {
    const byLength = new Map<number, Buffer[]>()
    for (const bytes of strings) {
      const beginning = bytes.subarray(0, GRAM_BYTES)
      const alike = byLength.get(beginning.length)
      if (alike === undefined) byLength.set(beginning.length, [beginning])
      else alike.push(beginning)
    }
    this.#grams = [...byLength].map(([length, beginnings]) => gramOf(length, beginnings))
  }

  /** False only if the text contains none of the strings. */
  mayFind(text: Buffer): boolean {
    return this.#grams.some((gram) => holdsBeginning(text, gram))
  }
}

function gramOf(length: number, beginnings: readonly Buffer[]): Gram {
  const bits = Math.ceil(Math.log2(beginnings.length * PLACES_PER_STRING))
  const mask = 2 ** bits - 1
  const isBeginning = new Uint8Array(2 ** bits)
  for (const bytes of beginnings)
    isBeginning[bytes.reduce((hash, byte) => (Math.imul(hash, FACTOR) + byte) | 0, 0) & mask] = 1
  let leaving = 1
  for (let place = 0; place < length; place += 1) leaving = Math.imul(leaving, FACTOR)
  return {
    length,
    leaving,
    mask,
    isBeginning,
    beginnings: new Set(beginnings.map((bytes) => bytes.toString('latin1'))),
  }
}

function holdsBeginning(text: Buffer, { length, leaving, mask, isBeginning, beginnings }: Gram): boolean {
  let hash = 0
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, FACTOR) + (text[at] as number)) | 0
    if (at >= length) hash = (hash - Math.imul(leaving, text[at - length] as number)) | 0
    if (at + 1 < length || isBeginning[hash & mask] === 0) continue
    if (beginnings.has(text.toString('latin1', at + 1 - length, at + 1))) return true
  }
  return false
}
