// Exact fractions for the models of a law, and how the engine's amounts are held against them.
import { expect } from 'vitest'
import { parseAmount } from '../../models/amount.ts'

export type Fraction = readonly [bigint, bigint]

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b))
const reduced = (n: bigint, d: bigint): Fraction => {
  const common = gcd(n, d)
  return [n / common, d / common]
}

export const ZERO: Fraction = [0n, 1n]
export const whole = (amount: bigint): Fraction => [amount, 1n]
export const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced(a * d + c * b, b * d)
export const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d])
export const share = ([a, b]: Fraction, part: bigint, all: bigint): Fraction => reduced(a * part, b * all)
export const isBelow = (a: Fraction, b: Fraction): boolean => minus(a, b)[0] < 0n

export const least = (...amounts: readonly [bigint, ...bigint[]]): bigint =>
  amounts.toSorted((a, b) => Number(a > b) - Number(a < b))[0] as bigint
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)

/** The cell of a report, in units of 10^-18. */
export function unitsOf(cell: unknown): bigint {
  const amount = parseAmount(String(cell))
  return amount.ok ? amount.units : expect.fail(`${cell} is no amount`)
}

/** An amount is this one but for the last digits: the engine rounds to 10^-18 where pieces end, and passes the rounding on. */
export function expectNear(found: bigint | null, expected: Fraction, where: string): void {
  expect([where, found === null]).toEqual([where, false])
  const [n, d] = minus(whole(found!), expected)
  if ((n < 0n ? -n : n) > 200n * d)
    expect.fail(`${where}: found ${found}, expected ${expected[0] / expected[1]}`)
}
