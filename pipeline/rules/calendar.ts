// Calendar arithmetic of the rules: days are numbered from 1970-01-01, as in the lots engine, and belong to
// the time zone of a country. A tax year is named after the calendar year in which it begins.
import { dayIn } from '../lots/day.ts'

const DAY_MS = 86_400_000

/** The number of a day; 29 February in a year without one is 1 March. Months count from 1. */
export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS
}

/** `2025-01-31`. */
export function dateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The same date a year later. If that year has no such date, `missing` chooses the day to use instead: the
 * last of the month, or the first of the next.
 */
export function yearLater(day: number, missing: 'last' | 'next'): number {
  const date = new Date(day * DAY_MS)
  const month = date.getUTCMonth() + 1
  const later = dayNumber(date.getUTCFullYear() + 1, month, date.getUTCDate())
  const hasDate = new Date(later * DAY_MS).getUTCMonth() + 1 === month
  return hasDate || missing === 'next' ? later : later - 1
}

/** The first instant of a day in an IANA time zone, in Unix milliseconds. */
export function startOfDay(day: number, timeZone: string): number {
  const dayOf = dayIn(timeZone)
  // Zones differ from UTC by at most a day and change on quarter hours, so the day's first quarter hour is
  // searched for.
  const quarter = DAY_MS / 96
  let before = (day - 1) * DAY_MS - quarter
  let inside = (day + 1) * DAY_MS
  while (inside - before > quarter) {
    const middle = before + Math.floor((inside - before) / (2 * quarter)) * quarter
    if (dayOf(BigInt(middle) * 1_000n) < day) before = middle
    else inside = middle
  }
  return inside
}

/** Where a tax year begins. */
export interface YearStart {
  /** From 1. */
  readonly month: number
  readonly day: number
}

/** The calendar that rules calculate with. */
export interface TaxCalendar {
  /** IANA name. */
  readonly timeZone: string
  readonly yearStart: YearStart
}

export const utcCalendar: TaxCalendar = { timeZone: 'UTC', yearStart: { month: 1, day: 1 } }

/** First instant of the tax year that begins in the calendar year, in Unix milliseconds. */
export function startOfYear({ timeZone, yearStart }: TaxCalendar, year: number): number {
  return startOfDay(dayNumber(year, yearStart.month, yearStart.day), timeZone)
}

/** `2025`, or `2025-26` for a year that ends in the next calendar year. */
export function yearLabel({ yearStart }: TaxCalendar, year: number): string {
  if (yearStart.month === 1 && yearStart.day === 1) return String(year)
  return `${year}-${String((year + 1) % 100).padStart(2, '0')}`
}
