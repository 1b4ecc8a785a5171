// The filters in the address of a view: its parameters as text, and the period that they mean.
import type { Period } from '../../reports/period.ts'
import { readPeriod } from '../../reports/period.ts'
import type { Asked } from '../../reports/status.ts'
import { type TaxCalendar, utcCalendar } from '../../rules/calendar.ts'

/** Parameters by name; an empty parameter is the same as an absent one. */
export type Filters = Readonly<Record<string, string | undefined>>

/** The filters in an address, without empty ones. */
export const filtersOf = (parameters: URLSearchParams): Filters =>
  Object.fromEntries([...parameters].filter(([, value]) => value !== ''))

/** `from` and `to` as days or times, both inclusive, or `year`. UsageError for anything else. */
export function periodOf({ from, to, year }: Filters, calendar: TaxCalendar = utcCalendar): Period {
  return readPeriod({ from, to, ...(year === undefined ? {} : { year: Number(year) }) }, calendar)
}

export interface Now {
  /** Unix milliseconds that the server calls now. */
  readonly now: number
  /** Days by feed, where the configuration overrides how long the venue remembers. */
  readonly retentionDays: Readonly<Record<string, number>>
  /** What runs still ask for, as the configuration has it. */
  readonly asked: Asked
}
