// The figures of a return and the sums that they are made of. Money is units of 10^-18; null is not known, never zero.

/** Pieces or disposals summed. */
export interface Totals {
  readonly count: number
  readonly proceeds: bigint
  readonly costBasis: bigint
  readonly deniedLoss: bigint
  readonly gain: bigint
}

/** What of a tax year has no known gain, and so is in no other sum. */
export interface Unknown {
  /** Disposals of which the gain of a part or of all is not known. */
  readonly count: number
  /** Those of them whose gain is known in part: that part is in the other sums. */
  readonly partly: number
  /** Those of which an unknown piece is not of the long term, or of no known one. */
  readonly notLong: number
  /** Of the unknown pieces, as far as they are known. */
  readonly proceeds: bigint
}

/** Losses that wait for gains of a later year. Both amounts are positive. */
export interface Losses {
  readonly amount: bigint
  /** The part of them that came from long-term lots; 0 under rules that tell no terms apart. */
  readonly longTerm: bigint
}

/** What returns from before the books left over. */
export interface OpeningLosses {
  /** The tax year into which they are brought, by the calendar year in which it begins. */
  readonly into: number
  /** Positive, in the currency of the return. */
  readonly amount: string
  /** The long-term part of it, where the rules tell terms apart. */
  readonly longTerm?: string | undefined
}

/** The disposals of a period summed, in one currency. */
export interface Sums {
  /** Disposals that ended above, or at, what they cost, as far as their gains are known. */
  readonly gains: Totals
  /** Disposals that ended below what they cost, as far as their gains are known. */
  readonly losses: Totals
  /** Pieces by the term of their lots. */
  readonly short: Totals
  readonly long: Totals
  readonly unknown: Unknown
}

/** The disposals of one tax year. */
export interface YearTotals extends Sums {
  /** The calendar year in which it begins. */
  readonly year: number
  /** The figures are in the currency of the return. */
  readonly isInCurrency: boolean
  /** All accounts are in the figures, and no gain that counts is unknown: limits of the person can be applied. */
  readonly isComplete: boolean
  /** Losses of earlier years that are left at its beginning; null where they are not known. */
  readonly brought: Losses | null
  /** Which Form 1099-DA was received (`us` only). */
  readonly form1099: Form1099
}

/** `none`; or received without the basis or with it. */
export type Form1099 = 'none' | 'no-basis' | 'basis'

export const forms1099: readonly Form1099[] = ['none', 'no-basis', 'basis']

/** One line of a return. */
export interface Figure {
  readonly form: string
  /** Line or box, as the form names it; empty where it has none. */
  readonly line: string
  readonly figure: string
  readonly value: bigint | null
  readonly kind: 'money' | 'count' | 'rate'
  /** The paragraph that it follows. */
  readonly source: string
}

export const noLosses: Losses = { amount: 0n, longTerm: 0n }

/** The amount, or 0 where it is below. */
export const above0 = (amount: bigint): bigint => (amount > 0n ? amount : 0n)

export const nothing: Totals = { count: 0, proceeds: 0n, costBasis: 0n, deniedLoss: 0n, gain: 0n }

export function plus(one: Totals, other: Totals): Totals {
  return {
    count: one.count + other.count,
    proceeds: one.proceeds + other.proceeds,
    costBasis: one.costBasis + other.costBasis,
    deniedLoss: one.deniedLoss + other.deniedLoss,
    gain: one.gain + other.gain,
  }
}

/** How many disposals there were, each counted once, however much of its gain is known. */
export const disposalCount = ({ gains, losses, unknown }: Sums): number =>
  gains.count + losses.count + unknown.count - unknown.partly

/** What every return says of what it leaves out. `counted`: the figure of the form that counts disposals, where it has one. */
export function unknownFigures(
  form: string,
  { count, partly, proceeds }: Unknown,
  counted: string | null = null,
): Figure[] {
  if (count === 0) return []
  const source = 'Not in any other figure'
  const elsewhere = [
    ...(counted === null ? [] : [counted]),
    ...(partly === 0 ? [] : [`the known part of ${partly} of them`]),
  ]
  return [
    {
      form,
      line: '',
      figure: 'Disposals without a known gain',
      value: BigInt(count),
      kind: 'count',
      source: [source, ...(elsewhere.length === 0 ? [] : ['but', elsewhere.join(' and ')])].join(' '),
    },
    {
      form,
      line: '',
      figure: 'Known proceeds of what has no known gain',
      value: proceeds,
      kind: 'money',
      source,
    },
  ]
}
