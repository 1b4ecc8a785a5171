// Where a query that outgrows its memory keeps what it sorts: a folder of its own that only the owner reads.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SpillFolder {
  /** Empty when the machine has no place for one: queries then run in memory alone. */
  readonly path: string
  remove(): void
}

export const NO_SPILL: SpillFolder = { path: '', remove: () => {} }

export function makeSpillFolder(): SpillFolder {
  try {
    const path = mkdtempSync(join(tmpdir(), 'tieout-'))
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  } catch {
    return NO_SPILL
  }
}
