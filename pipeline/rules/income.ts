// Income from rewards, interest and the like in a return: its value when received, and how much of it a limit
// or an allowance exempts. Amounts paid are not set off against it, and whether any of it is payment for a
// service is for the taxpayer to decide.
import { above0, type Figure } from './figures.ts'
import type { Limit } from './limits.ts'

export interface IncomeRule {
  /** What a return calls it. */
  readonly what: string
  /**
   * `limit`: below it everything is exempt, from it on everything is taxable. `allowance`: that much is
   * exempt, however large the rest is.
   */
  readonly kind: 'limit' | 'allowance'
  /** Name of the amount in data/rules.csv, which has its years and their sources. */
  readonly amount: string
  readonly allowanceName: string
  readonly form: string
  /** Line or box; empty if it has none. */
  readonly line: string
  readonly source: string
}

/**
 * The kind of the table `income` that does not count: what the venue took, or waived. All others count to the
 * extent that they were received, those that the user added included.
 */
export const NO_INCOME = 'adjustment'

/** What was received in one tax year. */
export interface IncomeTotals {
  readonly count: number
  /** How many have no known value. */
  readonly unknown: number
  /** Sum of those that have a value. */
  readonly value: bigint
  /** The values are in the currency of the return. */
  readonly isInCurrency: boolean
  /** All accounts are included, so limits that apply per person can be applied. */
  readonly isOfAll: boolean
}

export function incomeFigures(
  rule: IncomeRule,
  { unknown, value, isInCurrency, isOfAll }: IncomeTotals,
  year: number,
  limit: Limit,
): Figure[] {
  const { form, line, what, source, allowanceName } = rule
  const income = isInCurrency && unknown === 0 ? value : null
  const free = isInCurrency ? limit(rule.amount, year) : null
  const taxable = income === null || free === null || !isOfAll ? null : taxableOf(rule, income, free)
  const money = (figure: string, of: bigint | null, at = ''): Figure => ({
    ...{ form, line: at, figure, value: of, kind: 'money', source },
  })
  return [
    money(`${what}, at its value when received`, income),
    money(allowanceName, free),
    money(`${what}, taxable`, taxable, line),
    ...(unknown === 0
      ? []
      : [
          {
            ...money(`${what} without a known value`, BigInt(unknown)),
            kind: 'count' as const,
            source: 'Not in any other figure',
          },
        ]),
  ]
}

function taxableOf({ kind }: IncomeRule, income: bigint, free: bigint): bigint {
  if (kind === 'allowance') return above0(income - free)
  return income < free ? 0n : income
}
