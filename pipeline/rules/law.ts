// A country's rules, to the extent that lots and a return need them. Each country has a file in this folder
// and a page in docs/rules with its sources, a worked example and what it does not cover.
import type { Method } from '../lots/engine.ts'
import type { FeesInKind, Gifts, Scope, ShortSales } from '../lots/event.ts'
import type { YearStart } from './calendar.ts'
import type { CarryBack } from './carry-back.ts'
import type { Figure, Losses, YearTotals } from './figures.ts'
import type { IncomeRule } from './income.ts'
import type { Limit } from './limits.ts'
import type { Schedule } from './schedule.ts'

export type Term = 'short' | 'long'

export interface FuturesRule {
  /** For readers of the section: where the results belong. */
  readonly rule: string
  /** The provision. */
  readonly source: string
  /** The tax year from which it applies; null if it has always applied. */
  readonly fromYear: number | null
}

export interface LookAhead {
  /** The later events that can still change figures. */
  readonly what: 'Purchases' | 'Purchases and sales'
  /** Which disposals they change: pieces not yet matched with a purchase, or those below their cost. */
  readonly pieces: 'disposals' | 'losses'
  /** The provision. */
  readonly source: string
}

export interface RateChange {
  /** The tax year within which rates change, by the calendar year in which it begins. */
  readonly year: number
  /** The first day of the new ones, numbered from 1970-01-01. */
  readonly day: number
  /** Which rates, and how they changed. */
  readonly what: string
  /** What the taxpayer has to do about it. */
  readonly todo: string
  /** The provision. */
  readonly source: string
}

export interface Law {
  readonly name: string
  /** Methods that it allows; the first is the default. */
  readonly methods: readonly [Method, ...Method[]]
  readonly scope: Schedule<Scope>
  /** From this tax year on only the scope of that year is allowed; null for free choice. */
  readonly scopeBindsFrom: number | null
  readonly gifts: Gifts
  /**
   * The provision by which coins received as a gift have the giver's day and cost; null if they have those of
   * the receipt.
   */
  readonly giverCounts: string | null
  /**
   * How a gift that is a disposal is treated for certain recipients, with the provisions; null if no gift is
   * a disposal.
   */
  readonly giftsTo: string | null
  /** When the result of selling borrowed coins counts. */
  readonly shortSales: ShortSales
  /** How a fee withheld from the coins acquired may be treated; the first is the default. */
  readonly feesInKind: readonly [FeesInKind, ...FeesInKind[]]
  /**
   * From this tax year on the fee of an exchange of two coins belongs to the coin given, before it to the
   * base of the pair; null if it never belongs to it alone. Such rules net no fees in kind.
   */
  readonly exchangeFeesGivenFrom: number | null
  /**
   * The fee of an exchange of two coins belongs to both, half to each. Not for fees in kind that are netted,
   * which count as never paid.
   */
  readonly sharesExchangeFees: boolean
  /**
   * The form has the fees of a disposal among the costs, or in a column of their own, so its proceeds are those
   * before fees. The gain is the same.
   */
  readonly feesApart: boolean
  /** Days after a disposal in which an acquisition still affects it, for methods that look ahead; else 0. */
  readonly lookAheadDays: number
  /**
   * What those days can still change, for readers of figures before they are over; null without such days.
   */
  readonly lookAhead: LookAhead | null
  /** All disposals of a coin on one day are one disposal, however each of them was matched. */
  readonly takesDayAsOne: boolean
  /**
   * Whose days and years count. If the law leaves that to the taxpayer, an example zone of the country: the
   * configured zone is then used, or UTC if none is configured.
   */
  readonly timeZone: string | { readonly suchAs: string }
  readonly yearStart: YearStart
  /** Currency of the return; null for any. */
  readonly currency: string | null
  /** Days are numbered from 1970-01-01. Null if the law does not distinguish terms. */
  readonly termOf: ((acquiredDay: number, disposedDay: number) => Term) | null
  /** Long-term holdings are exempt, so an unknown gain on one leaves all other figures known. */
  readonly longIsFree: boolean
  /**
   * The rule by which the results of futures count, and since which tax year; they are in no figure of the
   * return.
   */
  readonly futures: FuturesRule
  /**
   * A change of rates within a tax year, whose figures do not show what was earned under which rates; null if
   * none.
   */
  readonly rateChange: RateChange | null
  /** The form lists each piece in whole units of the currency, and its totals add up those. */
  readonly roundsPieces: boolean
  /**
   * The losses left at the end of a tax year, from those brought into it and its own; null if they cannot be
   * determined. The function is null if there is no return.
   */
  readonly carriedLosses: ((year: YearTotals, limit: Limit) => Losses | null) | null
  /**
   * Whether and how a loss could be carried back to earlier years; null if it cannot, or there is no return.
   */
  readonly carryBack: CarryBack | null
  /** How income from rewards, interest and the like counts; null if no figure includes it. */
  readonly income: IncomeRule | null
  /**
   * Where such income belongs if no figure includes it, with the provision; null if a figure does, or the
   * rules do not say.
   */
  readonly incomeBelongs: string | null
  /** The figures of the return for a tax year; null if there is no return. */
  readonly figures: ((year: YearTotals, limit: Limit) => Figure[]) | null
}
