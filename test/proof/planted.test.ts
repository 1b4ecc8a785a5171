// Planted mistakes over several seeds: for each, the check that is meant for it fires and names the culprit, and nothing
// else does above a notice. Here all of them stand in one history a seed, each on a day of its own; `npm run planted` has
// each alone.
import { describe, expect, it } from 'vitest'
import { mistakes } from './planted/mistakes.ts'
import { faultsOf, runPlanted } from './planted/run.ts'

/** Days of history in which every mistake finds a record of its own. */
const DAYS = 45

describe('planted mistakes', () => {
  it.each([1, 2, 3])(
    'are each reported by their own check, and by no other: seed %d',
    async (seed) => {
      const together = mistakes.filter(({ isAlone }) => isAlone !== true)
      const run = await runPlanted(seed, DAYS, together)
      expect(faultsOf(run)).toEqual([])
      expect(run.unfitting.map(({ name }) => name)).toEqual([])
    },
    600_000,
  )
})
