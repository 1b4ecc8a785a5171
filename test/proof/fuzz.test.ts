// Every reader of foreign input against the kept inputs and a short series of new ones: a value or a typed error, never
// anything else, within its time and with a message that may be shown. `npm run fuzz` goes on for as long as wanted.
import { afterAll, describe, expect, test } from 'vitest'
import { corpusOf } from './fuzz/corpus.ts'
import { type Find, runInput, runSeries } from './fuzz/run.ts'
import type { OpenTarget, Target } from './fuzz/target.ts'
import { targets } from './fuzz/targets.ts'

/** So many new inputs of each target, unless it says otherwise. */
const INPUTS = 200

const told = ({ kind, what, input }: Find): string =>
  `${kind}\n${what}\n${JSON.stringify(input.toString('latin1'))}`

describe.each(targets.map((target) => [target.name, target] as const))(
  '%s',
  { timeout: 600_000 },
  (_name, target: Target) => {
    const opened: Promise<OpenTarget> = Promise.resolve().then(() => target.open())
    afterAll(async () => (await opened).close?.())

    test('every kept input is read or refused', async () => {
      const open = await opened
      const kept = corpusOf(target.name)
      const finds: string[] = []

      for (const { name, input } of kept) {
        const outcome = await runInput(target, open, input)
        if ('find' in outcome) finds.push(`${name}: ${told(outcome.find)}`)
      }

      expect(finds).toEqual([])
      expect(kept.length).toBeGreaterThan(0)
    })

    test('a short series of new inputs is read or refused', async () => {
      const corpus = corpusOf(target.name).map(({ input }) => input)
      const least = corpus.length + (target.short ?? INPUTS)

      const { finds } = await runSeries(target, await opened, {
        seed: 'test',
        corpus,
        goOn: (inputs) => inputs < least,
      })

      expect(finds.map(told)).toEqual([])
    })
  },
)
