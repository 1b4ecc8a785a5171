// The period of a report, from its options.
import { describe, expect, test } from 'vitest'
import { readPeriod } from '../../pipeline/reports/period.ts'

describe('a period', () => {
  test.each([
    [{}, null, null, ''],
    [{ year: 2024 }, '2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z', '2024'],
    [
      { from: '2024-02-29', to: '2024-02-29' },
      '2024-02-29T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z',
      'from 2024-02-29 to 2024-02-29',
    ],
    [
      { from: '2024-01-01T01:00:00+01:00' },
      '2024-01-01T00:00:00.000Z',
      null,
      'from 2024-01-01T01:00:00+01:00',
    ],
    [{ to: '2024-01-01T00:00:00Z' }, null, '2024-01-01T00:00:00.001Z', 'to 2024-01-01T00:00:00Z'],
    // The database reads no time of the year 10000.
    [{ to: '9999-12-31' }, null, '9999-12-31T23:59:59.999Z', 'to 9999-12-31'],
    [{ year: 9999 }, '9999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '9999'],
  ])('%j', (options, from, before, label) => {
    expect(readPeriod(options)).toMatchObject({ from, before, label })
  })

  test.each([
    [{ from: '2025-02-02', to: '2025-02-01' }, 'The period ends before it begins.'],
    [{ to: '2025-02-30' }, '--to is not a date.'],
    [{ from: '2025-01-01T00:00:00' }, '--from is not a date.'],
    [{ year: 20.5 }, '--year is not a year.'],
  ])('%j is refused', (options, message) => {
    expect(() => readPeriod(options)).toThrow(message)
  })
})
