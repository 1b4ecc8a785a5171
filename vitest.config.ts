import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

const PROOF = 'test/proof/**/*.test.ts'
const EVERYWHERE = 'test/proof/everywhere/*.test.ts'

/** Files that take long begin first, so that no worker is left with one of them at the end. */
const LONG =
  /\/test\/(proof|books|imports|evidence|web\/page|ledger\/(slices|build|engine)|reports\/(doors|revalue)|sql\/positions|sync\/refused-request|prices\/fetch|commands\/(stopped-writes|demo|address-space))/

class LongFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const isLong = ({ moduleId }: (typeof files)[number]): boolean => LONG.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    // Long enough for a machine that is busy with other things: how long a thing takes is a matter of benchmarks.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 3,
    // A test runs most code a few times: compiling it for speed, and collecting small heaps often, took a twelfth of the time.
    execArgv: ['--interrupt-budget=2000000', '--max-semi-space-size=64'],
    // Tests beside each other wait for one build of their books (test/support/many-books.ts).
    maxConcurrency: 100,
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/support/temporary-directory.ts', 'test/support/memory.ts'],
    projects: [
      // What each change needs. The files of a worker share its modules, and so one loading of DuckDB; no test changes them.
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [PROOF],
          isolate: false,
          setupFiles: ['test/support/instances.ts'],
        },
      },
      // The long ones in their short form: simulation, torture, planted mistakes, fuzzing.
      { extends: true, test: { name: 'proof', include: [PROOF], exclude: [EVERYWHERE] } },
      // Of these, `npm test` runs a sample.
      { extends: true, test: { name: 'everywhere', include: [EVERYWHERE] } },
    ],
  },
})
