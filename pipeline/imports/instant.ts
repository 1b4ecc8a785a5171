// Times as an import writes them: ISO-8601 with Z or an offset, up to nine decimals of a second. The database
// stores microseconds; the nanoseconds are stored beside them, so that no order is lost.
import { offsetsOf } from '../../models/zone.ts'

export interface Instant {
  /** Unix microseconds. */
  readonly micros: bigint
  /** Nanoseconds beyond them, 0 to 999. */
  readonly nanos: number
}

export type InstantResult =
  | { readonly ok: true; readonly instant: Instant }
  | { readonly ok: false; readonly problem: string }

const ZONED =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)$/
const LOCAL = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const problem = (text: string): InstantResult => ({ ok: false, problem: text })

/** Reads a time exactly; a date that does not exist in the calendar is refused, never rolled over. */
export function parseInstant(text: string): InstantResult {
  const match = ZONED.exec(text)
  if (match === null) return problem(LOCAL.test(text) ? 'a time without a zone' : 'not an ISO-8601 time')
  const parts = match.slice(1, 7).map((part) => Number(part ?? '0'))
  const ms = msOf(parts)
  if (typeof ms === 'string') return problem(ms)
  const offset = offsetMinutes(match[8] as string)
  if (offset === null) return problem('an offset that does not exist')
  return instantOf(ms - offset * MINUTE_MS, match[7])
}

/**
 * Milliseconds of year, month, day, hour, minute and second taken as UTC; or which of them does not exist.
 */
function msOf([year = 0, month = 0, at = 0, hour = 0, minute = 0, second = 0]: readonly number[]):
  | number
  | string {
  const day = dayMs(year, month, at)
  if (day === null) return 'a date that does not exist'
  if (hour > 23 || minute > 59 || second > 59) return 'a time of day that does not exist'
  return day + (hour * 60 + minute) * MINUTE_MS + second * 1000
}

function instantOf(ms: number, decimals = ''): InstantResult {
  const fraction = decimals.padEnd(9, '0')
  return within({
    micros: BigInt(ms) * 1000n + BigInt(fraction.slice(0, 6)),
    nanos: Number(fraction.slice(6)),
  })
}

const PARTS = /(YYYY|YY|MM|DD|HH|mm|ss|S)/

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<year>\d{2})`,
  MM: String.raw`(?<month>\d{2})`,
  DD: String.raw`(?<day>\d{2})`,
  HH: String.raw`(?<hour>\d{2})`,
  mm: String.raw`(?<minute>\d{2})`,
  ss: String.raw`(?<second>\d{2})`,
  S: String.raw`(?<decimals>\d{1,9})`,
}

/** What is missing from a format of times; null if it is complete. */
export function formProblem(form: string): string | null {
  const groups = form.split(PARTS).flatMap((part) => TOKENS[part]?.match(/<(\w+)>/)?.[1] ?? [])
  const isWhole = ['year', 'month', 'day'].every((group) => groups.includes(group))
  return isWhole && new Set(groups).size === groups.length
    ? null
    : 'YYYY or YY, MM and DD, with no part repeated: MM is the month, mm the minute, and one S all decimals of a second'
}

/**
 * Reads times in one of these formats, such as `DD.MM.YYYY HH:mm:ss`, by the clocks of an IANA zone. S are up
 * to nine decimals of a second; YY is a year of this century. A time that the clocks skip does not exist; for
 * a time that they show twice, the first is used. Throws a RangeError for an unknown zone.
 */
export function readerOf(forms: readonly string[], zone: string): (text: string) => InstantResult {
  const patterns = forms.map((form) => {
    const parts = form.split(PARTS)
    const source = parts.map((part) => TOKENS[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    return new RegExp(`^${source.join('')}$`)
  })
  const toUtc = utcOf(zone)
  return (text) => {
    const match = patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null)?.groups
    if (match === undefined) return problem('a time in a different format')
    const { year = '', month = '0', day = '0', hour = '0', minute = '0', second = '0', decimals } = match
    const whole = year.length === 2 ? `20${year}` : year
    const ms = msOf([whole, month, day, hour, minute, second].map(Number))
    if (typeof ms === 'string') return problem(ms)
    const utc = toUtc(ms)
    return utc === null ? problem(`a time that the clocks of ${zone} skip`) : instantOf(utc, decimals)
  }
}

/**
 * The format of Unix times: whole seconds, milliseconds or microseconds, distinguished by their number of
 * digits from 2001 to 2286.
 */
export const UNIX_FORM = 'unix'

const MICROS_OF_DIGITS: Readonly<Record<number, bigint>> = { 10: 1_000_000n, 13: 1_000n, 16: 1n }

/** Reads a Unix time of 10, 13 or 16 digits. */
export function parseUnix(text: string): InstantResult {
  const unit = /^\d+$/.test(text) ? MICROS_OF_DIGITS[text.length] : undefined
  if (unit === undefined) return problem('not a Unix time of 10, 13 or 16 digits')
  return { ok: true, instant: { micros: BigInt(text) * unit, nanos: 0 } }
}

/** The first instant at which the clocks of the zone show this time; null if they never do. */
function utcOf(zone: string): (localMs: number) => number | null {
  if (zone === 'UTC') return (ms) => ms
  const offsets = offsetsOf(zone)
  const offsetMs = (ms: number): number => offsets(ms * 1000) / 1000
  return (local) => {
    const tried = [local - offsetMs(local - DAY_MS), local - offsetMs(local + DAY_MS)]
    const shown = tried.filter((utc) => utc + offsetMs(utc) === local)
    return shown.length === 0 ? null : Math.min(...shown)
  }
}

/** Reads a date as the first instant of that day in UTC. */
export function parseDate(text: string): InstantResult {
  const match = DATE.exec(text)
  if (match === null) return problem('not an ISO-8601 date')
  const day = dayMs(Number(match[1]), Number(match[2]), Number(match[3]))
  return day === null ? problem('a date that does not exist') : startOf(day)
}

const MONTHS = 'january february march april may june july august september october november december'

/** Reads a date as in the ECB's daily file: `15 October 2025`. */
export function parseWrittenDate(text: string): InstantResult {
  const [day = '', month = '', year = ''] = text.trim().split(/\s+/)
  const number = MONTHS.split(' ').indexOf(month.toLowerCase()) + 1
  return parseDate(`${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`)
}

const startOf = (ms: number): InstantResult => within({ micros: BigInt(ms) * 1000n, nanos: 0 })

/** Coins are younger than 1970; an earlier year is a typing error. */
function within(instant: Instant): InstantResult {
  return instant.micros < 0n ? problem('a time before 1970') : { ok: true, instant }
}

function dayMs(year: number, month: number, day: number): number | null {
  const at = new Date(Date.UTC(year, month - 1, day))
  at.setUTCFullYear(year, month - 1, day)
  // A day that its month does not have is one of another month.
  return at.getUTCMonth() === month - 1 ? at.getTime() : null
}

/** Minutes east of UTC. */
function offsetMinutes(text: string): number | null {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')]
  if (hours > 18 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
