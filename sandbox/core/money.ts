// Exact money: a bigint counts units of 10^-18 of a coin. No float ever holds an amount, a price or a fee.
// Multiplication and division truncate toward zero at the eighteenth decimal; `cut` truncates earlier.

export const DECIMALS = 18
export const ONE = 10n ** BigInt(DECIMALS)

const PLAIN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** Whether a text is a plain decimal that this precision can hold exactly. */
export function isDecimal(text: string): boolean {
  const match = PLAIN_DECIMAL.exec(text)
  return match !== null && (match[3] ?? '').length <= DECIMALS
}

/** Parses a plain decimal such as `-0.0004556178732628`. */
export function money(text: string): bigint {
  const match = PLAIN_DECIMAL.exec(text)
  if (match === null || !isDecimal(text)) throw new RangeError(`not a plain decimal of the sandbox: ${text}`)
  const value = BigInt(match[2]!) * ONE + BigInt((match[3] ?? '').padEnd(DECIMALS, '0'))
  return match[1] === '-' ? -value : value
}

/** Formats an amount the way the venue does: no exponent, no trailing zeros, `0` for nothing. */
export function text(value: bigint): string {
  const magnitude = value < 0n ? -value : value
  const fraction = (magnitude % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${magnitude / ONE}${fraction === '' ? '' : `.${fraction}`}`
}

export const times = (a: bigint, b: bigint): bigint => (a * b) / ONE
export const per = (a: bigint, b: bigint): bigint => (a * ONE) / b

/** Truncates toward zero after this many decimals. */
export function cut(value: bigint, places: number): bigint {
  const step = 10n ** BigInt(DECIMALS - places)
  return (value / step) * step
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
