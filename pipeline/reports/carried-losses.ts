// Losses of earlier tax years that remain at the beginning of a year: those that the configuration brings
// into its year, then those of the books, year by year under the rules. If a year has a disposal with an
// unknown gain, the losses are unknown from then on.
import { formatAmount } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import { startOfYear, type TaxCalendar, yearLabel } from '../rules/calendar.ts'
import { carryBackOptions } from '../rules/carry-back.ts'
import { type Losses, noLosses, type OpeningLosses, type YearTotals } from '../rules/figures.ts'
import type { Law } from '../rules/law.ts'
import type { Limit } from '../rules/limits.ts'
import { readOpening } from '../rules/opening.ts'
import { soldShort } from './law-notes.ts'
import { isKnown, yearSums } from './year-totals.ts'

export interface Carried {
  /** Null if an earlier year leaves them unknown. */
  readonly losses: Losses | null
  readonly notes: readonly string[]
  readonly warnings: readonly string[]
  /**
   * Gains of earlier years, after their own losses, that a later loss could still reduce; null or no entry if
   * not known.
   */
  readonly rooms: ReadonlyMap<number, bigint | null>
  /** Which of the losses brought forward in full could have been carried back to earlier years. */
  readonly wholeNotes: readonly string[]
}

export interface CarriedQuestion {
  readonly law: Law
  readonly calendar: TaxCalendar
  readonly limit: Limit
  readonly year: number
  /** Values of the report, without its period. */
  readonly values: Values
  readonly opening: OpeningLosses | undefined
  /** Whether losses configured now would belong to returns under these rules. */
  readonly isConfigured: boolean
}

/** The losses brought into the year. UsageError if these rules cannot take the configured losses. */
export async function carriedInto(
  reader: Reader,
  { law, calendar, limit, year, values, opening, isConfigured }: CarriedQuestion,
): Promise<Carried> {
  if (law.carriedLosses === null)
    return { losses: noLosses, notes: [], warnings: [], rooms: new Map(), wholeNotes: [] }
  const configured = opening === undefined ? null : readOpening(law, opening)
  const isOpened = configured !== null && opening !== undefined && opening.into <= year
  const first = isOpened ? opening.into : await firstYear(reader, law, calendar, year)
  const rules = isConfigured ? '' : `rules: ${law.name}, `
  const told = isOpened
    ? `Losses brought into ${yearLabel(calendar, first)} come from the configuration (${opening.amount}); later losses come from the books.`
    : `Losses brought forward come from the books since ${yearLabel(calendar, first)}. Enter earlier losses in the configuration as the returns of their years state them: \`reports: { ${rules}losses: { into: ${first}, amount: … } }\`.`
  let losses: Losses | null = isOpened ? configured : noLosses
  const rooms = new Map<number, bigint | null>()
  const wholeNotes: string[] = []
  const openNotes: string[] = []
  const { account = null, currency = null } = values
  for (let each = first; each < year && losses !== null; each += 1) {
    const totals = await yearSums(reader, { ...values, ...spanOf(calendar, each) })
    const isComplete = isKnown(law, totals)
    const brought: Losses = losses
    const ofYear: YearTotals = {
      ...totals,
      year: each,
      isInCurrency: true,
      isComplete,
      brought,
      form1099: 'none',
    }
    losses = law.carriedLosses(ofYear, limit)
    wholeNotes.push(...broughtWhole(law, calendar, ofYear, limit, rooms))
    openNotes.push(
      ...stillOpen(
        law,
        yearLabel(calendar, each),
        await soldShort(reader, law, { account, currency, ...spanOf(calendar, each) }),
      ),
    )
    rooms.set(each, law.carryBack?.roomIn(ofYear, limit) ?? null)
    if (losses === null) {
      const label = yearLabel(calendar, each)
      const why = isComplete
        ? `these rules have no limits for ${label}`
        : `${counted(totals.unknown.count, 'disposal')} in ${label} ${totals.unknown.count === 1 ? 'has' : 'have'} a gain that is not known, in whole or in part`
      return {
        losses,
        rooms,
        wholeNotes: [],
        notes: [told],
        warnings: [
          `INCOMPLETE: losses carried forward from ${label} are not known, because ${why}. They are not included in any figure; ` +
            `enter the losses stated in that year's return in the configuration: \`reports: { ${rules}losses: … }\`.`,
        ],
      }
    }
  }
  const isLeft = losses !== null && losses.amount > 0n
  return { losses, rooms, notes: [told, ...openNotes], warnings: [], wholeNotes: isLeft ? wholeNotes : [] }
}

/**
 * The result of selling borrowed coins belongs to the year of the sale, and is in no losses of that year
 * until it is closed.
 */
function stillOpen({ name }: Law, label: string, sold: readonly string[]): string[] {
  if (sold.length === 0) return []
  return [
    `Borrowed coins sold in ${label} and not bought back by the end of the books: ${sold.join(', ')}. Under ${name} rules the result of ` +
      `such a sale belongs to ${label}: the losses brought forward exclude it and can still change (docs/rules/${name}.md).`,
  ]
}

/**
 * If a loss could have been carried back, by law or by choice, less of it may be left than is brought forward
 * here.
 */
function broughtWhole(
  { carryBack, currency }: Law,
  calendar: TaxCalendar,
  totals: YearTotals,
  limit: Limit,
  rooms: Carried['rooms'],
): string[] {
  if (carryBack === null) return []
  const options = carryBackOptions(carryBack, totals, limit, (year) => rooms.get(year) ?? null)
  const open = options.flatMap(({ year, amount }) => {
    if (amount === 0n) return []
    const took = amount === null ? 'an unknown amount' : `${formatAmount(amount)} ${currency}`
    return [`${yearLabel(calendar, year)} could take ${took}`]
  })
  if (open.length === 0) return []
  return [
    `The loss of ${yearLabel(calendar, totals.year)} is brought forward in full, although some of it could have been carried back: ${open.join(', ')}.`,
  ]
}

function spanOf(calendar: TaxCalendar, year: number): { from: string; before: string } {
  const instant = (of: number): string => new Date(startOfYear(calendar, of)).toISOString()
  return { from: instant(year), before: instant(year + 1) }
}

/** The tax year of the first disposal, at the latest the year that is asked for. */
async function firstYear(reader: Reader, law: Law, calendar: TaxCalendar, year: number): Promise<number> {
  const hasOpen = law.shortSales === 'when sold' && reader.tables.has('short_sales')
  const [row] = await reader.query(
    hasOpen
      ? 'select least((select min(disposed_at) from disposals), (select min(sold_at) from short_sales))'
      : 'select min(disposed_at) from disposals',
  )
  const at = Date.parse(String(row?.[0] ?? ''))
  if (Number.isNaN(at)) return year
  const about = new Date(at).getUTCFullYear()
  const first = [about - 1, about].find((each) => at < startOfYear(calendar, each + 1)) ?? about + 1
  return Math.min(first, year)
}
