// Days as the rules count them: whole calendar days of a time zone, numbered from 1970-01-01.

const MICROS_PER_DAY = 86_400_000_000
/** Offsets from UTC change on quarter hours only, so one look-up serves a quarter hour. */
const MICROS_PER_QUARTER_HOUR = 900_000_000

/** Day number in UTC of Unix microseconds. */
export function utcDay(us: bigint): number {
  return Math.floor(Number(us) / MICROS_PER_DAY)
}

/** Day numbers in an IANA time zone; throws a RangeError for a zone that does not exist. */
export function dayIn(timeZone: string): (us: bigint) => number {
  if (timeZone === 'UTC') return utcDay
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const known = new Map<number, number>()
  return (us) => {
    const quarter = Math.floor(Number(us) / MICROS_PER_QUARTER_HOUR)
    let day = known.get(quarter)
    if (day === undefined) {
      day = Date.parse(format.format((quarter * MICROS_PER_QUARTER_HOUR) / 1_000)) / 86_400_000
      known.set(quarter, day)
    }
    return day
  }
}
