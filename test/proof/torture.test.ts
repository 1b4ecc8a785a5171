// A short sweep of what `npm run torture` does at length: real processes killed at many places, and books with one
// damaged file. A failure names the place or the damage, and keeps the books.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { corruptOften } from './torture/corruptions.ts'
import { type Campaign, killOften } from './torture/kills.ts'
import { makeWorld, type World } from './torture/world.ts'

const KILLS = 4
const CORRUPTIONS = 6

let world: World
let failures = 0

/** Another seed than the default of the script, so that the two do not look at the same places only. */
const campaign: Campaign = {
  seed: 'in the tests',
  jobs: 2,
  until: Number.POSITIVE_INFINITY,
  tell: () => undefined,
}

beforeAll(async () => {
  world = await makeWorld(2)
}, 1_800_000)
afterAll(() => world.close(failures > 0))

test('a run killed at any place continues to the same ledger, and readers always see a complete one', async () => {
  const report = await killOften(world, KILLS, campaign)
  failures += report.failures.length
  expect(report.failures).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(KILLS)
}, 1_800_000)

test('a damaged file is refused by name or has no effect, and what can be rebuilt is healed', async () => {
  const report = await corruptOften(world, CORRUPTIONS, campaign)
  failures += report.failures.length
  expect(report.failures).toEqual([])
  expect(report.cases).toBe(CORRUPTIONS)
  expect(report.refused).toBeGreaterThan(CORRUPTIONS / 6)
}, 1_800_000)
