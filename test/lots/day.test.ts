// Days of a time zone, against the zone's own calendar.
import { expect, it } from 'vitest'
import { dayIn, utcDay } from '../../pipeline/lots/day.ts'

const us = (time: string): bigint => BigInt(Date.parse(time)) * 1_000n
const day = (date: string): number => Date.parse(date) / 86_400_000

it('a day of UTC begins at midnight, before 1970 as well', () => {
  expect(utcDay(us('2024-02-29T23:59:59.999Z'))).toBe(day('2024-02-29'))
  expect(utcDay(us('2024-03-01T00:00:00Z'))).toBe(day('2024-03-01'))
  expect(utcDay(us('1969-12-31T23:59:59.999Z'))).toBe(-1)
})

it('London is an hour ahead in summer only', () => {
  const london = dayIn('Europe/London')
  expect(london(us('2024-01-10T23:30:00Z'))).toBe(day('2024-01-10'))
  expect(london(us('2024-07-10T23:30:00Z'))).toBe(day('2024-07-11'))
})

it('on the day of a change each side of it has its own offset', () => {
  const toronto = dayIn('America/Toronto')
  // Clocks went from UTC-5 to UTC-4 on 2024-03-10 at 07:00 UTC.
  expect(toronto(us('2024-03-10T04:59:00Z'))).toBe(day('2024-03-09'))
  expect(toronto(us('2024-03-10T05:00:00Z'))).toBe(day('2024-03-10'))
  expect(toronto(us('2024-03-11T03:59:00Z'))).toBe(day('2024-03-10'))
  expect(toronto(us('2024-03-11T04:00:00Z'))).toBe(day('2024-03-11'))
})

it('agrees with the zone’s calendar in steps of three quarters of an hour through a year', () => {
  for (const zone of ['Europe/London', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia']) {
    const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
    const dayOf = dayIn(zone)
    const wrong: string[] = []
    for (let ms = Date.parse('2011-06-01'); ms < Date.parse('2012-06-01'); ms += 2_700_000)
      if (dayOf(BigInt(ms) * 1_000n) !== day(calendar.format(ms))) wrong.push(new Date(ms).toISOString())
    expect(wrong).toEqual([])
  }
})

it('a zone that does not exist is refused', () => {
  expect(() => dayIn('Mars/Olympus')).toThrow(RangeError)
})
