// The common amounts fast: plain decimals of at most 30 digits, read as two whole numbers that a float holds exactly.
// Everything else, and every doubt, goes to models/amount.ts, with which a property test compares this.
import { AMOUNT_SCALE } from '../../models/amount.ts'

/** Digits that a JavaScript number holds exactly, whatever they are. */
const EXACT_DIGITS = 15

const POWERS = Array.from({ length: 39 }, (_, exponent) => 10n ** BigInt(exponent))

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/** Units of 10^-18, or null for a text that the exact parser has to judge. */
export function plainUnits(text: string): bigint | null {
  const { length } = text
  const negative = text.charCodeAt(0) === MINUS
  let head = 0
  let tail = 0
  let digits = 0
  let point = -1
  for (let i = negative ? 1 : 0; i < length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit >= 0 && digit <= 9) {
      if (digits < EXACT_DIGITS) head = head * 10 + digit
      else tail = tail * 10 + digit
      digits++
    } else if (digit + ZERO === POINT && point < 0) point = digits
    else return null
  }
  const decimals = point < 0 ? 0 : digits - point
  // Within 20 integer digits and 18 decimals every value fits DECIMAL(38,18).
  if (digits === 0 || digits > 2 * EXACT_DIGITS || decimals > AMOUNT_SCALE || digits - decimals > 20)
    return null
  if (head === 0 && tail === 0) return 0n
  const whole =
    digits <= EXACT_DIGITS ? BigInt(head) : BigInt(head) * POWERS[digits - EXACT_DIGITS]! + BigInt(tail)
  const units = whole * POWERS[AMOUNT_SCALE - decimals]!
  return negative ? -units : units
}
