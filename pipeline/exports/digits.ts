// Beancount computes with Python's decimals, which keep 28 digits of a sum and silently round the rest away.
// So every sum that it will form is formed here first, exactly; books that need more digits are refused, not
// rounded.
import { AMOUNT_SCALE, parseAmount } from '../../models/amount.ts'
import { TieoutError, UsageError } from '../../models/error.ts'

/** Digits that a sum keeps in beancount. */
export const BEANCOUNT_DIGITS = 28

/** Units of 10^-18 of an amount as the ledger prints it. */
export function unitsOf(amount: string): bigint {
  const parsed = parseAmount(amount)
  if (parsed.ok) return parsed.units
  throw new TieoutError('The ledger contains a value that is not an amount.', {
    expected: 'a decimal number of DECIMAL(38,18)',
    found: amount,
    action: 'Run `tieout build` to build the ledger again.',
  })
}

/** A running sum, and the number of digits it needed. */
class Sum {
  #units = 0n
  #largest = 0n
  #decimals = 0

  add(units: bigint, decimals: number): void {
    this.#units += units
    for (const size of [magnitude(units), magnitude(this.#units)])
      if (size > this.#largest) this.#largest = size
    if (decimals > this.#decimals) this.#decimals = decimals
  }

  /** Digits before and after the point. */
  get digits(): number {
    const whole = this.#largest / 10n ** BigInt(AMOUNT_SCALE)
    return (whole === 0n ? 0 : whole.toString().length) + this.#decimals
  }
}

/** The sums that beancount will form: for each account and coin, and for each transaction. */
export class DigitCheck {
  readonly #accounts = new Map<string, Sum>()
  #transaction = new Map<string, Sum>()

  /** UsageError if a sum needs more digits than beancount keeps. */
  add(account: string, coin: string, amount: string): void {
    const units = unitsOf(amount)
    const point = amount.indexOf('.')
    const decimals = point < 0 ? 0 : amount.length - point - 1
    for (const [sums, key] of [
      [this.#accounts, `${account} ${coin}`],
      [this.#transaction, coin],
    ] as const) {
      const sum = sums.get(key) ?? new Sum()
      sums.set(key, sum)
      sum.add(units, decimals)
      if (sum.digits > BEANCOUNT_DIGITS) throw tooManyDigits(account, coin, sum.digits)
    }
  }

  nextTransaction(): void {
    this.#transaction = new Map()
  }
}

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units)

function tooManyDigits(account: string, coin: string, digits: number): UsageError {
  return new UsageError(`Beancount would round the amounts of ${coin}.`, {
    where: account,
    expected: `sums of at most ${BEANCOUNT_DIGITS} digits, which is what beancount keeps`,
    found: `${digits} digits, before and after the point together`,
    action: 'Use `tieout export hledger`, which keeps every digit, or `tieout export parquet`.',
  })
}
