// Counts in words: grouped like amounts, never broken over two lines, and right for one.
import { expect, test } from 'vitest'
import { all, count, grouped } from '../../web/words/plain.ts'

test('counts are grouped in threes by spaces that do not break', () => {
  expect(grouped(999)).toBe('999')
  expect(count(1234, 'row')).toBe('1\u00a0234 rows')
  expect(count(1, 'entry', 'entries')).toBe('1 entry')
  expect(count(12_345_678, 'entry', 'entries')).toBe('12\u00a0345\u00a0678 entries')
})

test('all of them are named so only if there are several', () => {
  expect([0, 1, 2, 1000].map((number) => all(number, 'row'))).toEqual([
    '0 rows',
    '1 row',
    'All 2 rows',
    'All 1\u00a0000 rows',
  ])
})
