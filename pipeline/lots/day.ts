// Days as the rules count them: whole calendar days of a time zone, numbered from 1970-01-01.

const MICROS_PER_DAY = 86_400_000_000
/** Offsets from UTC change on quarter hours only. */
const MICROS_PER_QUARTER_HOUR = 900_000_000

/** Day number in UTC of Unix microseconds. */
export function utcDay(us: bigint): number {
  return Math.floor(Number(us) / MICROS_PER_DAY)
}

/**
 * Day numbers in an IANA time zone; throws a RangeError for a zone that does not exist.
 * Asking the zone is slow, so it is asked twice for a day, and by the quarter hour only on a day of a change.
 */
export function dayIn(timeZone: string): (us: bigint) => number {
  if (timeZone === 'UTC') return utcDay
  const offsetAt = remembered(offsetsOf(timeZone))
  return (us) => {
    const micros = Number(us)
    const midnight = Math.floor(micros / MICROS_PER_DAY) * MICROS_PER_DAY
    const offset = offsetAt(midnight)
    const isSteady = offset === offsetAt(midnight + MICROS_PER_DAY)
    const quarter = Math.floor(micros / MICROS_PER_QUARTER_HOUR) * MICROS_PER_QUARTER_HOUR
    return Math.floor((micros + (isSteady ? offset : offsetAt(quarter))) / MICROS_PER_DAY)
  }
}

/** What the zone's clocks show beyond UTC, in microseconds, at Unix microseconds. */
function offsetsOf(timeZone: string): (us: number) => number {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (us) => {
    const shown = clock.format(us / 1_000).replace(', ', 'T')
    return Date.parse(`${shown}Z`) * 1_000 - us
  }
}

function remembered(answer: (us: number) => number): (us: number) => number {
  const known = new Map<number, number>()
  return (us) => {
    let value = known.get(us)
    if (value === undefined) {
      value = answer(us)
      known.set(us, value)
    }
    return value
  }
}
