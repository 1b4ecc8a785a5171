// Interval arithmetic of coverage: closed ranges, where windows that share an end touch.
import { describe, expect, test } from 'vitest'
import { clamp, difference, union, windowCount } from '../../models/ranges.ts'

const range = (start: number, end: number) => ({ start, end })

describe('union', () => {
  test('the union of nothing is nothing', () => expect(union([])).toEqual([]))
  test('ranges that share an end become one', () =>
    expect(union([range(5, 9), range(0, 5)])).toEqual([range(0, 9)]))
  test('overlapping and contained ranges become one', () =>
    expect(union([range(0, 10), range(2, 3), range(8, 12)])).toEqual([range(0, 12)]))
  test('ranges with an instant between them stay two, neighbours of one millisecond are one', () =>
    expect(union([range(0, 4), range(6, 9), range(10, 12)])).toEqual([range(0, 4), range(6, 12)]))
  test('a range that ends before it starts is dropped', () => expect(union([range(5, 4)])).toEqual([]))
})

describe('difference', () => {
  test('everything is needed if nothing is covered', () =>
    expect(difference([range(0, 9)], [])).toEqual([range(0, 9)]))
  test('nothing is needed if everything is covered', () =>
    expect(difference([range(2, 9)], [range(0, 9)])).toEqual([]))
  test('what is left around a covered middle touches it', () =>
    expect(difference([range(0, 9)], [range(3, 5)])).toEqual([range(0, 3), range(5, 9)]))
  test('a covered beginning leaves a remainder that touches it', () =>
    expect(difference([range(0, 9)], [range(0, 4)])).toEqual([range(4, 9)]))
  test('a covered end leaves a remainder that touches it', () =>
    expect(difference([range(0, 9)], [range(4, 9)])).toEqual([range(0, 4)]))
  test('a needed instant within a covered range is not needed', () =>
    expect(difference([range(4, 4)], [range(0, 4)])).toEqual([]))
  test('two covered ranges that touch leave nothing between them', () =>
    expect(difference([range(0, 9)], [range(0, 4), range(4, 9)])).toEqual([]))
  test('covered ranges elsewhere change nothing', () =>
    expect(difference([range(10, 20)], [range(0, 5), range(30, 40)])).toEqual([range(10, 20)]))
})

test('clamp: what is outside the bounds is dropped, what crosses them is cut', () =>
  expect(clamp([range(0, 3), range(5, 15), range(20, 30)], range(4, 20))).toEqual([
    range(5, 15),
    range(20, 20),
  ]))

describe('windowCount', () => {
  test('a range of exactly the span is one window', () => expect(windowCount(range(0, 7), 7)).toBe(1))
  test('one instant more needs a second window', () => expect(windowCount(range(0, 8), 7)).toBe(2))
  test('a single instant is one window', () => expect(windowCount(range(5, 5), 7)).toBe(1))
})
