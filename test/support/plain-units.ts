// A second implementation of the fast parsing of an amount into units, to be compared with the exact one.
import { plainWords } from '../../pipeline/engine/decimal.ts'

/** Units of 10^-18; null for text that is left to the exact parser. */
export function plainUnits(text: string): bigint | null {
  const words = new Int32Array(4)
  if (!plainWords(text, words, 0)) return null
  const [lower = 0n, upper = 0n] = new BigInt64Array(words.buffer)
  return (upper << 64n) + BigInt.asUintN(64, lower)
}
