// The long form of a test of test/journal/damage.test.ts: each ending after a tear at each byte.
import { test } from 'vitest'
import { tearEverywhere } from '../../journal/tear.ts'

test('journal: torn at every byte, bare, before zeros, and at full length, it continues after the last whole frame', async () => {
  await tearEverywhere((_length, endings) => endings)
}, 900_000)
