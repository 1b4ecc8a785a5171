// Days as the rules count them: whole calendar days in a time zone, numbered from 1970-01-01.
import { offsetsOf } from '../../models/zone.ts'

const MICROS_PER_DAY = 86_400_000_000
/** Offsets from UTC change on quarter hours only. */
const MICROS_PER_QUARTER_HOUR = 900_000_000

/** Day number in UTC of Unix microseconds. */
export function utcDay(us: bigint): number {
  return Math.floor(Number(us) / MICROS_PER_DAY)
}

/**
 * Day numbers in an IANA time zone; throws a RangeError for an unknown zone. Zone look-ups are slow, so there
 * are two per day, and one per quarter hour only on a day with a change.
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
