// Amounts stay text: grouped and summed without ever becoming a float.
import { describe, expect, test } from 'vitest'
import { decimalsOf, digitsOf, sum } from '../../web/words/digits.ts'
import { distanceInWords, spanInWords } from '../../web/words/times.ts'

describe('digits', () => {
  test('whole digits are grouped in threes and decimals left unchanged', () => {
    expect(digitsOf('-1234567.000000000000000001')).toEqual({
      isNegative: true,
      groups: ['1', '234', '567'],
      decimals: '000000000000000001',
    })
    expect(digitsOf('123')).toEqual({ isNegative: false, groups: ['123'], decimals: '' })
    expect(decimalsOf(['1', null, '0.25', '-3.125'])).toBe(3)
  })

  test('sums are exact where a float is not', () => {
    expect(sum('0.1', '0.2')).toBe('0.3')
    expect(sum('12345678901234567890.000000000000000001', '-0.000000000000000002')).toBe(
      '12345678901234567889.999999999999999999',
    )
    expect(sum('-0.5', '0.5')).toBe('0')
    expect(sum('-1.25', '0.25')).toBe('-1')
  })
})

describe('times', () => {
  test('durations are given in their two largest units', () => {
    expect(spanInWords(3 * 86_400_000 + 4 * 3_600_000)).toBe('3 days 4 hours')
    expect(spanInWords(61 * 60_000)).toBe('1 hour 1 minute')
    expect(spanInWords(20_000)).toBe('less than a minute')
    expect(distanceInWords('2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z')).toBe('in 1 day')
  })
})
