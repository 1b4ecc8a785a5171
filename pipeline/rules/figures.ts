// The figures of a return and the sums that they are made from. Money is in units of 10^-18; null means not
// known, never zero.

/** Sums of pieces or disposals. */
export interface Totals {
  readonly count: number
  /** Before fees if the form has these apart, else net of them. */
  readonly proceeds: bigint
  /** Fees of the disposals; 0 if the proceeds are net of them. */
  readonly fees: bigint
  readonly costBasis: bigint
  readonly deniedLoss: bigint
  readonly gain: bigint
}

/** The part of a tax year that has no known gain, and so is in no other sum. */
export interface Unknown {
  /** Disposals whose gain is unknown in part or in whole. */
  readonly count: number
  /** Those of them whose gain is known in part: that part is in the other sums. */
  readonly partly: number
  /** Those with an unknown piece that is not long-term, or whose term is not known. */
  readonly notLong: number
  /** Proceeds of the unknown pieces, to the extent that they are known. */
  readonly proceeds: bigint
}

/** Losses carried forward to gains of a later year. Both amounts are positive. */
export interface Losses {
  readonly amount: bigint
  /** The part that came from long-term lots; 0 under rules that do not distinguish terms. */
  readonly longTerm: bigint
}

/** Losses left over from returns before the books. */
export interface OpeningLosses {
  /** The tax year that they are brought into, by the calendar year in which it begins. */
  readonly into: number
  /** Positive, in the currency of the return. */
  readonly amount: string
  /** The long-term part, if the rules distinguish terms. */
  readonly longTerm?: string | undefined
}

/** The disposals of a period summed, in one currency. */
export interface Sums {
  /** Disposals with proceeds at or above cost, to the extent that their gains are known. */
  readonly gains: Totals
  /** Disposals with proceeds below cost, to the extent that their gains are known. */
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
  /**
   * All accounts are included and no gain that counts is unknown, so limits that apply per person can be
   * applied.
   */
  readonly isComplete: boolean
  /** Losses of earlier years remaining at its beginning; null if they are not known. */
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
  /** Line or box, as the form names it; empty if it has none. */
  readonly line: string
  readonly figure: string
  readonly value: bigint | null
  readonly kind: 'money' | 'count' | 'rate'
  /** The provision that it follows. */
  readonly source: string
}

export const noLosses: Losses = { amount: 0n, longTerm: 0n }

/** The amount, or 0 if it is negative. */
export const above0 = (amount: bigint): bigint => (amount > 0n ? amount : 0n)

export const nothing: Totals = { count: 0, proceeds: 0n, fees: 0n, costBasis: 0n, deniedLoss: 0n, gain: 0n }

export function plus(one: Totals, other: Totals): Totals {
  return {
    count: one.count + other.count,
    proceeds: one.proceeds + other.proceeds,
    fees: one.fees + other.fees,
    costBasis: one.costBasis + other.costBasis,
    deniedLoss: one.deniedLoss + other.deniedLoss,
    gain: one.gain + other.gain,
  }
}

/** The number of disposals, each counted once, whether or not all of its gain is known. */
export const disposalCount = ({ gains, losses, unknown }: Sums): number =>
  gains.count + losses.count + unknown.count - unknown.partly

/**
 * What every return reports as left out. `counted`: the form's figure that counts disposals, if it has one.
 */
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
