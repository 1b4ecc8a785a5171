// The stretch of time that a report is about, in UTC. Tax years that differ from the calendar belong to the rules.
import { UsageError } from '../../models/error.ts'
import { parseInstant } from '../commands/context.ts'

export interface PeriodOptions {
  /** A date begins at its first instant. */
  readonly from?: string | undefined
  /** A date ends with its last instant; a time is included to its millisecond. */
  readonly to?: string | undefined
  /** A calendar year. */
  readonly year?: number | undefined
}

export interface Period {
  /** First instant inside, ISO-8601; null from the beginning. */
  readonly from: string | null
  /** First instant after, ISO-8601; null without an end. */
  readonly before: string | null
  /** For titles and file names; empty for all of history. */
  readonly label: string
}

const DAY_MS = 86_400_000

/** UsageError for an impossible date, a year beside other limits, and a period without time in it. */
export function readPeriod({ from, to, year }: PeriodOptions): Period {
  if (year !== undefined) return yearPeriod(year, from !== undefined || to !== undefined)
  const starts = from === undefined ? null : parseInstant(from, '--from')
  const ends = to === undefined ? null : parseInstant(to, '--to') + (to.includes('T') ? 1 : DAY_MS)
  if (starts !== null && ends !== null && starts >= ends) {
    throw new UsageError('The period ends before it begins.', {
      where: '--from, --to',
      found: `${from} to ${to}`,
      action: 'Exchange the two dates.',
    })
  }
  const label = [from === undefined ? '' : `from ${from}`, to === undefined ? '' : `to ${to}`]
  return { from: iso(starts), before: iso(ends), label: label.filter((part) => part !== '').join(' ') }
}

function yearPeriod(year: number, withLimits: boolean): Period {
  if (!Number.isInteger(year) || year < 1970 || year > 9999 || withLimits) {
    throw new UsageError(withLimits ? '--year stands for a whole period.' : '--year is not a year.', {
      where: '--year',
      expected: withLimits ? '--year alone, or --from and --to' : 'a calendar year such as 2025',
      found: String(year),
      action: 'Correct the options.',
    })
  }
  return { from: iso(Date.UTC(year, 0)), before: iso(Date.UTC(year + 1, 0)), label: String(year) }
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
