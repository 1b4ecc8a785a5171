// Exact amounts: a decimal text becomes a whole number of 10^-18 units and back, never a float.
// A value that does not fit DECIMAL(38,18) unchanged is refused; to round it, call `roundAmount`.

/** Decimal places in every table of tieout. */
export const AMOUNT_SCALE = 18

/** Largest magnitude of DECIMAL(38,18), in units of 10^-18 (exclusive). */
const LIMIT_UNITS = 10n ** 38n

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?$/
const SCIENTIFIC = /^([+-]?)(\d*)(?:\.(\d*))?[eE]([+-]?\d{1,5})$/

export type AmountProblem =
  | 'not a decimal number'
  | 'more than 18 decimal places'
  | 'beyond 20 integer digits'

export type AmountResult = { ok: true; units: bigint } | { ok: false; problem: AmountProblem }

/**
 * Reads a decimal text (`-1.5`, `.5`, `1e-7`) exactly.
 * The result counts units of 10^-18; digits beyond the 18th are accepted only when they are zeros.
 */
export function parseAmount(text: string): AmountResult {
  const plain = PLAIN.exec(text)
  const match = plain ?? SCIENTIFIC.exec(text)
  if (match === null) return { ok: false, problem: 'not a decimal number' }
  const whole = match[2] ?? ''
  let fraction = match[3] ?? ''
  if (whole === '' && fraction === '') return { ok: false, problem: 'not a decimal number' }
  let digits = whole + fraction
  let decimals = fraction.length
  if (plain === null) decimals -= Number(match[4])
  if (decimals > AMOUNT_SCALE) {
    const excess = decimals - AMOUNT_SCALE
    fraction = digits.slice(Math.max(0, digits.length - excess))
    if (/[1-9]/.test(fraction)) return { ok: false, problem: 'more than 18 decimal places' }
    digits = digits.slice(0, Math.max(0, digits.length - excess))
    decimals = AMOUNT_SCALE
  }
  const significant = digits.replace(/^0+/, '')
  if (significant === '') return { ok: true, units: 0n }
  if (significant.length + AMOUNT_SCALE - decimals > 38)
    return { ok: false, problem: 'beyond 20 integer digits' }
  const units = BigInt(significant) * 10n ** BigInt(AMOUNT_SCALE - decimals)
  if (units >= LIMIT_UNITS) return { ok: false, problem: 'beyond 20 integer digits' }
  return { ok: true, units: match[1] === '-' ? -units : units }
}

/** A plain decimal with its digits beyond the 18th rounded half to even; the same text if those are all zeros. */
export function roundAmount(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const beyond = fraction.slice(AMOUNT_SCALE)
  if (!/[1-9]/.test(beyond)) return text
  const digits = BigInt(`${whole.replace('-', '')}${fraction.slice(0, AMOUNT_SCALE)}`)
  const isHalf = /^50*$/.test(beyond)
  const up = isHalf ? digits % 2n === 1n : beyond >= '5'
  return `${text.startsWith('-') ? '-' : ''}${formatAmount(up ? digits + 1n : digits)}`
}

/** A plain decimal without trailing zeros, however many digits it has. */
export const withoutEndZeros = (text: string): string =>
  text.includes('.') ? text.replace(/\.?0+$/, '') : text

/** Writes units of 10^-18 as the shortest plain decimal text: `-1.5`, `0`, `12`. */
export function formatAmount(units: bigint): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(AMOUNT_SCALE + 1, '0')
  const fraction = digits.slice(-AMOUNT_SCALE).replace(/0+$/, '')
  const whole = digits.slice(0, -AMOUNT_SCALE)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
