// A loss of one tax year against gains of earlier ones, where a law has that: how much of it could go where. It is a choice of
// the taxpayer, or a matter of assessments that the books do not know, so it is said and never applied.
import { smaller } from '../lots/share.ts'
import { above0, type Figure, type YearTotals } from './figures.ts'
import type { Limit } from './limits.ts'

export interface CarryBack {
  /** Name of the number of years in data/rules.csv, by the year of the loss. */
  readonly years: string
  /** Name of the most that may go back; null where there is no such limit. */
  readonly most: string | null
  /** The year before comes first, and only what it cannot take goes further back; else each year is free to choose. */
  readonly isNearestFirst: boolean
  /** What of a year's loss may go back. */
  readonly lossOf: (year: YearTotals, limit: Limit) => bigint | null
  /** The gains of a year that it could reduce, after losses of earlier years. */
  readonly roomIn: (year: YearTotals, limit: Limit) => bigint | null
  readonly form: string
  readonly source: string
  /** Who decides, and what else is to be known. */
  readonly note: string
}

export interface CarryBackOption {
  readonly year: number
  /** Null where the gains of that year are not known. */
  readonly amount: bigint | null
}

/** Where a loss of the year could go, the nearest year first; `roomIn` tells the room of a year, null for one not known. */
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
    // What a year that is not known would take, nobody knows, nor what it leaves to the year before it.
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
