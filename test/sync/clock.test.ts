// What a run calls now: an instant from which time goes on by the clock that is never set.
import { expect, test } from 'vitest'
import { type Clock, runningFrom } from '../../models/clock.ts'

test('a wall clock that is set in the middle of a run does not move its now', () => {
  const at = { wall: 1_000_000, monotonic: 50.25 }
  const clock: Clock = {
    wall: () => at.wall,
    monotonic: () => at.monotonic,
    sleep: async () => undefined,
  }
  const now = runningFrom(clock.wall(), clock)
  expect(now()).toBe(1_000_000)

  at.wall -= 7_200_000
  at.monotonic += 1_500.5
  expect(now()).toBe(1_001_500)

  at.wall += 86_400_000
  expect(now()).toBe(1_001_500)
})
