// Whole runs by seed, on a virtual clock: the invariants hold whatever happens, every run can be repeated to the byte,
// and planted mistakes still fit. `npm run simulate` runs more of the same; docs/reliability.md says what it knows.
import { describe, expect, test } from 'vitest'
import { bundleWorker, checkMutation } from './simulation/bundle.ts'
import { focusOf, mutations } from './simulation/mutations.ts'
import { type Report, sweep } from './simulation/workers.ts'

/** As many as fit beside the other tests; `npm run simulate -- --seeds 1000` runs more. */
const SEEDS = 60

/** For machines far slower than those that this was written on. */
const LIMIT_MS = 1_800_000

/**
 * Mistakes, and a seed that finds each; `npm run simulate -- --teeth` plants them all and begins with the first.
 */
const QUICK = [
  ['second pages not journaled', 7],
  ['look-back removed', 38],
  ['start of a window claimed although it was moved up', 1],
  ['slot of a budget freed when the answer arrives', 2],
  ['budget full again after a restart', 22],
  ['an answer without data read as an empty page', 7],
  ['records deduplicated by content', 29],
  ['amounts converted through a float', 3],
] as const
const QUICK_SEEDS = 40

const told = ({ seed, violations, story }: Report): string =>
  [`seed ${seed}: npm run simulate -- --seed ${seed}`, ...violations, ...story.slice(-20)].join('\n')

describe('simulation', () => {
  test(
    `${SEEDS} seeds: the books equal the venue’s truth, whatever happened on the way`,
    async () => {
      const worker = await bundleWorker(null)

      const reports = await sweep({ worker, from: 1, count: SEEDS, jobs: 2 })

      expect(reports.filter(({ violations }) => violations.length > 0).map(told)).toEqual([])
      expect(reports).toHaveLength(SEEDS)
    },
    LIMIT_MS,
  )

  test(
    'a seed gives the same story to the byte when it is repeated',
    async () => {
      const worker = await bundleWorker(null)

      const once = await sweep({ worker, from: 101, count: 4, jobs: 1, flags: ['--unbuilt'] })
      const again = await sweep({ worker, from: 101, count: 4, jobs: 2, flags: ['--unbuilt'] })

      expect(again.map(({ digest }) => digest)).toEqual(once.map(({ digest }) => digest))
      expect(new Set(once.map(({ digest }) => digest)).size).toBe(4)
    },
    LIMIT_MS,
  )
})

describe('planted mistakes', () => {
  test('every one of them still matches the code in which it is planted', async () => {
    expect(mutations.length).toBeGreaterThanOrEqual(40)
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length)
    for (const mutation of mutations) await checkMutation(mutation)
  })

  test.each(QUICK)(
    '%s: caught',
    async (name, from) => {
      const mutation = mutations.find((one) => one.name === name)
      if (mutation === undefined) throw new Error(`No mutation is called "${name}"`)
      const worker = await bundleWorker(mutation)

      const reports = await sweep({
        worker,
        from,
        count: QUICK_SEEDS,
        jobs: 1,
        flags: ['--stop', ...focusOf(mutation)],
        onReport: ({ violations }) => violations.length > 0,
      })

      expect(reports.flatMap(({ violations }) => violations)).not.toEqual([])
    },
    LIMIT_MS,
  )
})
