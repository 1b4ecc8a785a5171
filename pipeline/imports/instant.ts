// Times as an import writes them: ISO-8601 with Z or an offset, up to nine decimals of a second.
// The database keeps microseconds; what lies below is kept beside them, so that no order is lost.

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

const problem = (text: string): InstantResult => ({ ok: false, problem: text })

/** Reads a time exactly; a date that the calendar does not have is refused, never rolled over. */
export function parseInstant(text: string): InstantResult {
  const match = ZONED.exec(text)
  if (match === null) return problem(LOCAL.test(text) ? 'a time without a zone' : 'no ISO-8601 time')
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? '0')]
  const day = dayMs(Number(match[1]), Number(match[2]), Number(match[3]))
  if (day === null) return problem('a date that does not exist')
  if (hour > 23 || minute > 59 || second > 59) return problem('a time of day that does not exist')
  const offset = offsetMinutes(match[8] as string)
  if (offset === null) return problem('an offset that does not exist')
  const ms = day + (hour * 60 + minute - offset) * MINUTE_MS + second * 1000
  const fraction = (match[7] ?? '').padEnd(9, '0')
  return within({
    micros: BigInt(ms) * 1000n + BigInt(fraction.slice(0, 6)),
    nanos: Number(fraction.slice(6)),
  })
}

/** Reads a date as the first instant of that day in UTC. */
export function parseDate(text: string): InstantResult {
  const match = DATE.exec(text)
  if (match === null) return problem('no ISO-8601 date')
  const day = dayMs(Number(match[1]), Number(match[2]), Number(match[3]))
  return day === null ? problem('a date that does not exist') : startOf(day)
}

const MONTHS = 'january february march april may june july august september october november december'

/** Reads a date as the ECB's daily file has it: `15 October 2025`. */
export function parseWrittenDate(text: string): InstantResult {
  const [day = '', month = '', year = ''] = text.trim().split(/\s+/)
  const number = MONTHS.split(' ').indexOf(month.toLowerCase()) + 1
  return parseDate(`${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`)
}

const startOf = (ms: number): InstantResult => within({ micros: BigInt(ms) * 1000n, nanos: 0 })

/** Coins are younger than 1970; an earlier year is a slip of the pen. */
function within(instant: Instant): InstantResult {
  return instant.micros < 0n ? problem('a time before 1970') : { ok: true, instant }
}

function dayMs(year: number, month: number, day: number): number | null {
  const at = new Date(Date.UTC(year, month - 1, day))
  at.setUTCFullYear(year, month - 1, day)
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() : null
}

/** Minutes east of UTC. */
function offsetMinutes(text: string): number | null {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')]
  if (hours > 18 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
