import { defineConfig } from 'vitest/config'

const PROOF = 'test/proof/**/*.test.ts'

export default defineConfig({
  test: {
    // Long enough for a machine that is busy with other things: how long a thing takes is a matter of benchmarks.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    globalSetup: 'test/support/temporary-directory.ts',
    projects: [
      // What each change needs. The files of a worker share its modules, and so one loading of DuckDB; no test changes them.
      {
        extends: true,
        test: { name: 'main', include: ['test/**/*.test.ts'], exclude: [PROOF], isolate: false },
      },
      // The long ones in their short form: simulation, torture, planted mistakes, fuzzing.
      { extends: true, test: { name: 'proof', include: [PROOF] } },
    ],
  },
})
