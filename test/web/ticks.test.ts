// The days that a chart names below itself.
import { scaleUtc } from 'd3-scale'
import { expect, test } from 'vitest'
import { dayTicks } from '../../web/charts/ticks.ts'

const ticks = (from: string, to: string, width: number): string[] =>
  dayTicks(scaleUtc([new Date(from), new Date(to)], [0, width]), width).map((day) =>
    day.toISOString().slice(0, 10),
  )

test('a year on a phone has more than the one label of its January', () => {
  expect(ticks('2025-11-28', '2026-11-28', 285)).toEqual([
    '2026-01-01',
    '2026-04-01',
    '2026-07-01',
    '2026-10-01',
  ])
})

test('a year on a wide screen is named by quarters, and a day by itself', () => {
  expect(ticks('2025-11-28', '2026-11-28', 600)).toEqual([
    '2026-01-01',
    '2026-04-01',
    '2026-07-01',
    '2026-10-01',
  ])
  expect(ticks('2026-01-01', '2026-01-01', 285)).toEqual(['2026-01-01'])
})

test('labels that would run into each other are thinned out evenly', () => {
  // 18 months on a phone: six quarters would stand 48 pixels apart.
  expect(ticks('2025-06-02', '2026-11-28', 285)).toEqual(['2025-07-01', '2026-01-01', '2026-07-01'])
})
