// The period that a report is about. Days and years are those of UTC and the calendar, or of the rules that
// the report follows: a tax year is named after the calendar year in which it begins.
import { UsageError } from '../../models/error.ts'
import { parseInstant } from '../config/context.ts'
import { startOfDay, startOfYear, type TaxCalendar, utcCalendar, yearLabel } from '../rules/calendar.ts'

export interface PeriodOptions {
  /** A date begins at its first instant. */
  readonly from?: string | undefined
  /** A date ends with its last instant; a time is included to its millisecond. */
  readonly to?: string | undefined
  /** A calendar year, or a tax year that begins in it. */
  readonly year?: number | undefined
}

export interface Period {
  /** First instant inside, ISO-8601; null from the beginning. */
  readonly from: string | null
  /** First instant after, ISO-8601; null without an end. */
  readonly before: string | null
  /** For titles and file names; empty for all of history. */
  readonly label: string
  /** The tax year, when the period is one. */
  readonly year: number | null
}

const DAY_MS = 86_400_000

/** The database reads no later time as ISO-8601, and nothing happens then. */
const END_OF_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** UsageError for an impossible date, a year combined with other limits, and an empty period. */
export function readPeriod({ from, to, year }: PeriodOptions, calendar: TaxCalendar = utcCalendar): Period {
  if (year !== undefined) return yearPeriod(year, from !== undefined || to !== undefined, calendar)
  const starts = from === undefined ? null : firstInstant(from, '--from', calendar)
  const ends = to === undefined ? null : instantAfter(to, '--to', calendar)
  if (starts !== null && ends !== null && starts >= ends) {
    throw new UsageError('The period ends before it begins.', {
      where: '--from, --to',
      found: `${from} to ${to}`,
      action: 'Swap the two dates.',
    })
  }
  const label = [from === undefined ? '' : `from ${from}`, to === undefined ? '' : `to ${to}`]
  return {
    from: iso(starts),
    before: iso(ends),
    label: label.filter((part) => part !== '').join(' '),
    year: null,
  }
}

function firstInstant(text: string, option: string, { timeZone }: TaxCalendar): number {
  const at = parseInstant(text, option)
  return text.includes('T') ? at : startOfDay(at / DAY_MS, timeZone)
}

function instantAfter(text: string, option: string, { timeZone }: TaxCalendar): number {
  const at = parseInstant(text, option)
  return text.includes('T') ? at + 1 : startOfDay(at / DAY_MS + 1, timeZone)
}

function yearPeriod(year: number, withLimits: boolean, calendar: TaxCalendar): Period {
  if (!Number.isInteger(year) || year < 1970 || year > 9999 || withLimits) {
    throw new UsageError(
      withLimits ? '--year cannot be combined with --from or --to.' : '--year is not a year.',
      {
        where: '--year',
        expected: withLimits ? '--year alone, or --from and --to' : 'a calendar year such as 2025',
        found: String(year),
        action: 'Correct the options.',
      },
    )
  }
  return {
    from: iso(startOfYear(calendar, year)),
    before: iso(startOfYear(calendar, year + 1)),
    label: yearLabel(calendar, year),
    year,
  }
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(Math.min(ms, END_OF_TIME_MS)).toISOString()
}
