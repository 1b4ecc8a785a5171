// A loss of one tax year against gains of earlier years, if a law allows that: how much of it could be
// carried back to which year. It is a choice of the taxpayer, or depends on assessments that the books do not
// contain, so it is reported and never applied.
import { smaller } from '../lots/share.ts'
import { above0, type Figure, type YearTotals } from './figures.ts'
import type { Limit } from './limits.ts'

export interface CarryBack {
  /** Name of the number of years in data/rules.csv, by the year of the loss. */
  readonly years: string
  /** Name of the maximum that may be carried back; null if there is no such limit. */
  readonly most: string | null
  /**
   * The nearest year comes first, and only the excess goes further back; otherwise each year can be chosen
   * freely.
   */
  readonly isNearestFirst: boolean
  /** How much of a year's loss may be carried back. */
  readonly lossOf: (year: YearTotals, limit: Limit) => bigint | null
  /** The gains of a year that the loss could reduce, after losses of earlier years. */
  readonly roomIn: (year: YearTotals, limit: Limit) => bigint | null
  readonly form: string
  readonly source: string
  /** Who decides, and anything else to know. */
  readonly note: string
}

export interface CarryBackOption {
  readonly year: number
  /** Null if the gains of that year are not known. */
  readonly amount: bigint | null
}

/**
 * The years that a loss could be carried back to, nearest first; `roomIn` gives the room of a year, null if
 * not known.
 */
export function carryBackOptions(
  { years, most, isNearestFirst, lossOf }: CarryBack,
  totals: YearTotals,
  limit: Limit,
  roomIn: (year: number) => bigint | null,
): CarryBackOption[] {
  const loss = lossOf(totals, limit)
  const count = limit(years, totals.year)
  if (loss === null || loss <= 0n || count === null) return []
  const cap = most === null ? loss : limit(most, totals.year)
  let left = cap === null ? null : smaller(loss, cap)
  return Array.from({ length: Number(count / ONE) }, (_, back) => {
    const year = totals.year - 1 - back
    const room = roomIn(year)
    const amount: bigint | null = room === null || left === null ? null : smaller(left, above0(room))
    // It is not known how much an unknown year would take, nor therefore how much it leaves to the year
    // before.
    if (isNearestFirst) left = amount === null || left === null ? null : left - amount
    return { year, amount }
  })
}

const ONE = 10n ** 18n

export function carryBackFigures(
  { form, source, isNearestFirst }: CarryBack,
  options: readonly CarryBackOption[],
  label: (year: number) => string,
): Figure[] {
  const most = isNearestFirst ? '' : ', at most'
  return options.map(({ year, amount }) => ({
    ...{ form, line: '', figure: `Loss that could be carried back to ${label(year)}${most}` },
    ...{ value: amount, kind: 'money', source },
  }))
}
