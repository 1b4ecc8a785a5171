// Large books as every benchmark keeps, opens and builds them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../models/clock.ts'
import { type Books, openBooks } from '../pipeline/books/books.ts'
import type { Landing } from '../pipeline/landing/landing.ts'
import { type BuildOptions, type BuildResult, buildLedger } from '../pipeline/ledger/build.ts'
import { lotsStep } from '../pipeline/lots/step.ts'

/** Works in the given folder, which is kept, or in a temporary one, which is removed after the run. */
export async function inFolder(
  named: string | undefined,
  work: (dir: string) => Promise<void>,
): Promise<void> {
  const dir = named ?? mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  mkdirSync(dir, { recursive: true })
  try {
    await work(dir)
  } finally {
    if (named === undefined) rmSync(dir, { recursive: true, force: true })
  }
}

/** Empty books; DuckDB takes its share of the machine if no limit is given. */
export const openLargeBooks = (dir: string, memoryLimit: string | undefined): Promise<Books> =>
  openBooks(dir, {
    clock: systemClock,
    command: 'bench',
    ...(memoryLimit === undefined ? {} : { landing: { memoryLimit } }),
  })

/** A full build after the end of the recorded year, under the simplest rules. */
export const buildLargeBooks = (
  dir: string,
  landing: Landing,
  options: Partial<BuildOptions> = {},
): Promise<BuildResult> =>
  buildLedger({
    dir,
    landing,
    now: new Date('2026-02-01T00:00:00Z'),
    clock: systemClock,
    config: { accounts: [], publishPersonalData: false },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
    ...options,
  })
