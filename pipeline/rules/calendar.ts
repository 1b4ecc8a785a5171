// Calendar arithmetic of the rules: days are numbered from 1970-01-01, as the lots engine numbers them, and belong to
// the time zone of a country. A tax year is named by the calendar year in which it begins.
import { dayIn } from '../lots/day.ts'

const DAY_MS = 86_400_000

/** The number of a day; the 29th of February of a year without one is the 1st of March. Months count from 1. */
export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS
}

/** `2025-01-31`. */
export function dateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The same date a year later. Where that year has no such date, `missing` tells which day stands for it:
 * the last of the month, or the first of the next.
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
  // Clocks are at most a day off UTC and change on quarter hours, so the first quarter hour of the day is searched.
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

/** The calendar by which rules calculate. */
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

/** `2025`, or `2025-26` for a year that ends in another one. */
export function yearLabel({ yearStart }: TaxCalendar, year: number): string {
  if (yearStart.month === 1 && yearStart.day === 1) return String(year)
  return `${year}-${String((year + 1) % 100).padStart(2, '0')}`
}
