// Where a query that outgrows its memory keeps what it sorts: a folder of its own that only the owner reads. It stands in
// the folder tmp of the books, on the disk that has room for them; where nothing can be written there, in the system's.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SpillFolder {
  /** Empty when the machine has no place for one: queries then run in memory alone. */
  readonly path: string
  remove(): void
}

export const NO_SPILL: SpillFolder = { path: '', remove: () => {} }

/** `within` is the folder tmp of the books; it is not made for a reader. */
export function makeSpillFolder(within?: string): SpillFolder {
  for (const place of [within, tmpdir()]) {
    if (place === undefined) continue
    try {
      const path = mkdtempSync(join(place, `query-${hostname()}-${process.pid}-`))
      return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
    } catch {} // Not there, or not ours to write: the next place.
  }
  return NO_SPILL
}

const NAME = /^query-(.+)-(\d+)-[^-]{6}$/

/** A query of another host, or another container, cannot be looked at; so old a folder of one is no longer in use. */
const ELSEWHERE_MS = 24 * 3_600_000

/** Whether `name` in `folder` is where a query that may still run spills. `isProcess` tells whether a process lives here. */
export function isInUse(
  folder: string,
  name: string,
  now: number,
  isProcess: (pid: number) => boolean,
): boolean {
  const [, host, pid] = NAME.exec(name) ?? []
  if (host === undefined) return false
  if (host === hostname()) return isProcess(Number(pid))
  const made = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && now - made < ELSEWHERE_MS
}
