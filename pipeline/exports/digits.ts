// Beancount computes with Python's decimals, which keep 28 digits of a sum and round the rest away without a word.
// So whatever it will add up is added up here first, exactly; books that need more digits are refused, not rounded.
import { AMOUNT_SCALE, parseAmount } from '../../models/amount.ts'
import { TieoutError, UsageError } from '../../models/error.ts'

/** Digits that a sum keeps in beancount. */
export const BEANCOUNT_DIGITS = 28

/** Units of 10^-18 of an amount as the ledger prints it. */
export function unitsOf(amount: string): bigint {
  const parsed = parseAmount(amount)
  if (parsed.ok) return parsed.units
  throw new TieoutError('The ledger holds an amount that is none.', {
    expected: 'a decimal number of DECIMAL(38,18)',
    found: amount,
    action: 'Run `tieout build`, which makes the ledger again.',
  })
}

interface Running {
  sum: bigint
  largest: bigint
}

export class DigitCheck {
  readonly #accounts = new Map<string, Map<string, Running>>()
  readonly #decimals = new Map<string, number>()

  /** Takes note of one posting, in the order of the file. */
  add(account: string, coin: string, amount: string): void {
    const units = unitsOf(amount)
    const point = amount.indexOf('.')
    const decimals = point < 0 ? 0 : amount.length - point - 1
    if (decimals > (this.#decimals.get(coin) ?? 0)) this.#decimals.set(coin, decimals)
    const accounts = this.#accounts.get(coin) ?? new Map<string, Running>()
    const running = accounts.get(account) ?? { sum: 0n, largest: 0n }
    this.#accounts.set(coin, accounts.set(account, running))
    running.sum += units
    for (const size of [magnitude(units), magnitude(running.sum)])
      if (size > running.largest) running.largest = size
  }

  /** UsageError when a sum over the accounts of a coin could need more digits than beancount keeps. */
  finish(): void {
    for (const [coin, accounts] of this.#accounts) {
      const total = [...accounts.values()].reduce((sum, { largest }) => sum + largest, 0n)
      const whole = total / 10n ** BigInt(AMOUNT_SCALE)
      const digits = (whole === 0n ? 0 : whole.toString().length) + (this.#decimals.get(coin) ?? 0)
      if (digits > BEANCOUNT_DIGITS) throw tooManyDigits(coin, digits)
    }
  }
}

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units)

function tooManyDigits(coin: string, digits: number): UsageError {
  return new UsageError(`Beancount would round the amounts of ${coin}.`, {
    expected: `sums of at most ${BEANCOUNT_DIGITS} digits, which is what beancount keeps`,
    found: `${digits} digits, before and after the point together`,
    action: 'Use `tieout export hledger`, which keeps every digit, or `tieout export parquet`.',
  })
}
