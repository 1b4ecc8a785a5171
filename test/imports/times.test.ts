// Times and amounts as files write them, at the edges of what exists.
import { describe, expect, it } from 'vitest'
import {
  type InstantResult,
  parseDate,
  parseInstant,
  parseUnix,
  parseWrittenDate,
  readerOf,
} from '../../pipeline/imports/instant.ts'
import { numbersOf } from '../../pipeline/imports/numbers.ts'

/** The time in UTC, or what is wrong with it. */
const shown = (result: InstantResult): string =>
  result.ok ? new Date(Number(result.instant.micros / 1000n)).toISOString() : result.problem

const NO_DAY = 'a date that does not exist'
const NO_HOUR = 'a time of day that does not exist'
const NO_OFFSET = 'an offset that does not exist'

describe('a time', () => {
  it('has at most 59 minutes and seconds', () => {
    expect(shown(parseInstant('2026-02-01T23:59:59Z'))).toBe('2026-02-01T23:59:59.000Z')
    expect(shown(parseInstant('2026-02-01T23:60:00Z'))).toBe(NO_HOUR)
    expect(shown(parseInstant('2026-02-01T23:59:60Z'))).toBe(NO_HOUR)
    expect(shown(parseInstant('2026-02-01T24:00:00Z'))).toBe(NO_HOUR)
  })

  it('has an offset of at most 18 hours, and at most 59 minutes beyond them', () => {
    expect(shown(parseInstant('2026-02-01T12:00+18:59'))).toBe('2026-01-31T17:01:00.000Z')
    expect(shown(parseInstant('2026-02-01T12:00-05:30'))).toBe('2026-02-01T17:30:00.000Z')
    expect(shown(parseInstant('2026-02-01T12:00+19:00'))).toBe(NO_OFFSET)
    expect(shown(parseInstant('2026-02-01T12:00+01:60'))).toBe(NO_OFFSET)
  })

  it('has up to nine decimals of a second, of which three are beyond the microsecond', () => {
    const second = BigInt(Date.UTC(2026, 1, 1, 12)) * 1000n
    const decimals = (text: string) => parseInstant(`2026-02-01T12:00:00${text}Z`)
    expect(decimals('.5')).toEqual({ ok: true, instant: { micros: second + 500_000n, nanos: 0 } })
    expect(decimals('.000025')).toEqual({ ok: true, instant: { micros: second + 25n, nanos: 0 } })
    expect(decimals('.123456789')).toEqual({ ok: true, instant: { micros: second + 123_456n, nanos: 789 } })
    expect(decimals('.00000001')).toEqual({ ok: true, instant: { micros: second, nanos: 10 } })
    expect(shown(decimals('.1234567891'))).toBe('not an ISO-8601 time')
  })

  it('is not before 1970', () => {
    expect(shown(parseInstant('1970-01-01T00:00:00Z'))).toBe('1970-01-01T00:00:00.000Z')
    expect(shown(parseInstant('1970-01-01T00:00:00+00:01'))).toBe('a time before 1970')
    expect(shown(parseDate('1970-01-01'))).toBe('1970-01-01T00:00:00.000Z')
    expect(shown(parseDate('1969-12-31'))).toBe('a time before 1970')
  })

  it('keeps its nanoseconds beside its microseconds', () => {
    expect(parseInstant('1970-01-01T00:00:01.000002003Z')).toEqual({
      ok: true,
      instant: { micros: 1_000_002n, nanos: 3 },
    })
  })
})

describe('a day', () => {
  it('exists in the calendar', () => {
    expect(shown(parseDate('2024-02-29'))).toBe('2024-02-29T00:00:00.000Z')
    expect(shown(parseDate('2023-02-29'))).toBe(NO_DAY)
    expect(shown(parseDate('2023-04-31'))).toBe(NO_DAY)
    // Rolled over by a whole year or month, it would have the same day of the month.
    expect(shown(parseDate('2023-13-05'))).toBe(NO_DAY)
    expect(shown(parseDate('2023-00-05'))).toBe(NO_DAY)
    expect(shown(parseDate('2023-05-00'))).toBe(NO_DAY)
  })

  it('is read with the name of its month', () => {
    expect(shown(parseWrittenDate('5 January 2025'))).toBe('2025-01-05T00:00:00.000Z')
    expect(shown(parseWrittenDate('31 december 2025'))).toBe('2025-12-31T00:00:00.000Z')
    expect(shown(parseWrittenDate('31 Dezember 2025'))).toBe(NO_DAY)
  })
})

describe('a time by the clocks of a zone', () => {
  const read = readerOf(['YYYY-MM-DD HH:mm'], 'Europe/Berlin')

  it('is the first of the two if they show it twice', () => {
    expect(shown(read('2024-10-27 01:59'))).toBe('2024-10-26T23:59:00.000Z')
    expect(shown(read('2024-10-27 02:30'))).toBe('2024-10-27T00:30:00.000Z')
    expect(shown(read('2024-10-27 03:00'))).toBe('2024-10-27T02:00:00.000Z')
  })

  it('does not exist if they skip it', () => {
    expect(shown(read('2024-03-31 01:59'))).toBe('2024-03-31T00:59:00.000Z')
    expect(shown(read('2024-03-31 02:00'))).toBe('a time that the clocks of Europe/Berlin skip')
    expect(shown(read('2024-03-31 02:59'))).toBe('a time that the clocks of Europe/Berlin skip')
    expect(shown(read('2024-03-31 03:00'))).toBe('2024-03-31T01:00:00.000Z')
  })
})

it('a Unix time has 10, 13 or 16 digits', () => {
  expect(parseUnix('1700000000')).toEqual({ ok: true, instant: { micros: 1_700_000_000_000_000n, nanos: 0 } })
  expect(parseUnix('1700000000001')).toEqual({
    ok: true,
    instant: { micros: 1_700_000_000_001_000n, nanos: 0 },
  })
  expect(parseUnix('1700000000000001')).toEqual({
    ok: true,
    instant: { micros: 1_700_000_000_000_001n, nanos: 0 },
  })
  expect(parseUnix('170000000000').ok).toBe(false)
})

describe('an amount', () => {
  const { plain } = numbersOf({ decimal: '.', thousands: ',', signs: '$', nothing: [] }, 'new')

  it('has its point where its exponent moves it', () => {
    expect(plain('12.5e-2')).toBe('0.125')
    expect(plain('12.5e-3')).toBe('0.0125')
    expect(plain('12.5e-1')).toBe('1.25')
    expect(plain('12.5e1')).toBe('125')
    expect(plain('12.5e3')).toBe('12500')
  })

  it('has one sign, before or behind that of its currency', () => {
    expect(plain('-$1,234.5')).toBe('-1234.5')
    expect(plain('$-1,234.5')).toBe('-1234.5')
    expect(plain('-$-5')).toBeNull()
    expect(plain('$')).toBeNull()
  })
})
