// The fast path for common amounts: plain decimals with at most 15 integer digits become the 128 bits of a
// DECIMAL(38,18) using only numbers, without creating a bigint. Everything else, and every doubtful case, goes to
// models/amount.ts; a property test compares the two.
import { AMOUNT_SCALE } from '../../models/amount.ts'

/** How many digits a JavaScript number always holds exactly. */
const EXACT_DIGITS = 15

/** The 18 decimals are two groups of nine digits, each of which fits 32 bits. */
const GROUP_DIGITS = AMOUNT_SCALE / 2
const GROUP = 10 ** GROUP_DIGITS
const POWERS = Array.from({ length: GROUP_DIGITS + 1 }, (_, exponent) => 10 ** exponent)

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/**
 * Sets the units of 10^-18 as four words from `at` on, the lowest first; false for a text that needs the exact parser.
 */
export function plainWords(text: string, words: Int32Array, at: number): boolean {
  const end = text.length
  const isNegative = text.charCodeAt(0) === MINUS
  let place = isNegative ? 1 : 0
  let whole = 0
  let digits = 0
  for (; place < end; place++) {
    const digit = text.charCodeAt(place) - ZERO
    if (digit < 0 || digit > 9) break
    whole = whole * 10 + digit
    digits++
  }
  let [upper, lower, decimals] = [0, 0, 0]
  if (place < end) {
    if (text.charCodeAt(place) !== POINT) return false
    for (place++; place < end; place++) {
      const digit = text.charCodeAt(place) - ZERO
      if (digit < 0 || digit > 9) return false
      if (decimals < GROUP_DIGITS) upper = upper * 10 + digit
      else lower = lower * 10 + digit
      decimals++
    }
  }
  if (digits > EXACT_DIGITS || decimals > AMOUNT_SCALE || digits + decimals === 0) return false
  if (decimals < GROUP_DIGITS) upper *= POWERS[GROUP_DIGITS - decimals]!
  else lower *= POWERS[AMOUNT_SCALE - decimals]!
  words[at] = whole
  words[at + 1] = Math.floor(whole / 2 ** 32)
  words[at + 2] = 0
  words[at + 3] = 0
  // Each group makes the number longer by 30 bits.
  const length = whole < 2 ** 32 ? 1 : 2
  timesGroup(words, at, length + 1, upper)
  timesGroup(words, at, length + 2, lower)
  if (isNegative) negate(words, at)
  return true
}

/** These words times 10^9, plus `more`: word by word in halves, so that every product is an exact number. */
function timesGroup(words: Int32Array, at: number, length: number, more: number): void {
  let carry = more
  for (let word = at; word < at + length; word++) {
    const low = (words[word]! & 0xffff) * GROUP + carry
    const high = (words[word]! >>> 16) * GROUP + Math.floor(low / 2 ** 16)
    words[word] = (high << 16) | (low & 0xffff)
    carry = Math.floor(high / 2 ** 16)
  }
}

function negate(words: Int32Array, at: number): void {
  let carry = 1
  for (let word = at; word < at + 4; word++) {
    const sum = (~words[word]! >>> 0) + carry
    words[word] = sum
    carry = sum > 0xffffffff ? 1 : 0
  }
}
