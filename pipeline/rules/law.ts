// What the rules of a country say, as far as lots and a return need it. Each country is one file beside this one and
// one page in docs/rules with its sources, a worked example and what it does not cover.
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
  /** What a reader of the section is told: where the results belong. */
  readonly rule: string
  /** Paragraph. */
  readonly source: string
  /** The tax year from which on that holds; null for as long as the section goes back. */
  readonly fromYear: number | null
}

export interface LookAhead {
  /** What may still come. */
  readonly what: 'Purchases' | 'Purchases and sales'
  /** What of disposals it changes: pieces for which no purchase stands yet, or those below their cost. */
  readonly pieces: 'disposals' | 'losses'
  /** Paragraph. */
  readonly source: string
}

export interface RateChange {
  /** The tax year within which rates change, by the calendar year in which it begins. */
  readonly year: number
  /** The first day of the new ones, numbered from 1970-01-01. */
  readonly day: number
  /** Which rates, and what became of them. */
  readonly what: string
  /** What is to be done about it. */
  readonly todo: string
  /** Paragraph. */
  readonly source: string
}

export interface Law {
  readonly name: string
  /** Methods that it allows; the first is the one without another choice. */
  readonly methods: readonly [Method, ...Method[]]
  readonly scope: Schedule<Scope>
  /** From this tax year on no other scope than the one of that year is allowed; null for free choice. */
  readonly scopeBindsFrom: number | null
  readonly gifts: Gifts
  /** By which paragraph coins received as a gift have the day and cost of the giver; null where they have those of the receipt. */
  readonly giverCounts: string | null
  /** What becomes of a gift that is a disposal where some persons receive it, with its paragraphs; null where no gift is one. */
  readonly giftsTo: string | null
  /** When the result of selling borrowed coins counts. */
  readonly shortSales: ShortSales
  /** What may become of a fee that is kept back from the coins acquired; the first is the one without another choice. */
  readonly feesInKind: readonly [FeesInKind, ...FeesInKind[]]
  /**
   * From this tax year on the fee of an exchange of two coins belongs to the one given, before it to the base of the pair;
   * null where it always does. Such rules net no fees in kind.
   */
  readonly exchangeFeesGivenFrom: number | null
  /** Days after a disposal in which an acquisition still bears on it, for methods that look ahead; else 0. */
  readonly lookAheadDays: number
  /** What those days can still change, for whoever reads figures before they are over; null without such days. */
  readonly lookAhead: LookAhead | null
  /** All disposals of a coin on one day are one disposal, however each of them was matched. */
  readonly takesDayAsOne: boolean
  /**
   * Whose days and years count; where the law leaves that to the taxpayer, a zone of the country to show as an example: those
   * of the configuration count then, UTC when it names none.
   */
  readonly timeZone: string | { readonly suchAs: string }
  readonly yearStart: YearStart
  /** Currency of the return; null for any. */
  readonly currency: string | null
  /** Days are numbered from 1970-01-01. Null where the law tells no terms apart. */
  readonly termOf: ((acquiredDay: number, disposedDay: number) => Term) | null
  /** What was held for the long term is free, so that a gain of it which is not known leaves all other figures known. */
  readonly longIsFree: boolean
  /** By which rule the results of futures count, and since which tax year; they are in no figure of the return. */
  readonly futures: FuturesRule
  /** Within a tax year whose figures then do not say what was earned under which rates; null where there is none. */
  readonly rateChange: RateChange | null
  /** The form lists each piece in whole units of the currency, and its totals add up those. */
  readonly roundsPieces: boolean
  /**
   * What is left of losses at the end of a tax year, those brought into it and its own; null where that cannot be said. Null
   * where there is no return.
   */
  readonly carriedLosses: ((year: YearTotals, limit: Limit) => Losses | null) | null
  /** Whether and how a loss could go back to earlier years; null where it cannot, or there is no return. */
  readonly carryBack: CarryBack | null
  /** How income from rewards, interest and the like counts; null where the figures have none. */
  readonly income: IncomeRule | null
  /** Where such income belongs that the figures have not, with its paragraph; null where they have it, or the rules do not say. */
  readonly incomeBelongs: string | null
  /** The figures of the return for a tax year; null where there is no return. */
  readonly figures: ((year: YearTotals, limit: Limit) => Figure[]) | null
}
