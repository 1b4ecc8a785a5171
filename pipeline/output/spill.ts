// Where a query that outgrows its memory keeps what it sorts: a private folder that only the owner can read.
// It is in the folder tmp of the books, on the disk that has room for them, or in the system's if that cannot
// be written.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SpillFolder {
  /** Empty if the machine has no place for one: queries then run only in memory. */
  readonly path: string
  remove(): void
}

export const NO_SPILL: SpillFolder = { path: '', remove: () => {} }

/** `within` is the folder tmp of the books; a reader does not create it. */
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

/** A query of another host or container cannot be examined; a folder this old is no longer in use. */
const ELSEWHERE_MS = 24 * 3_600_000

/**
 * Whether `name` in `folder` is the spill folder of a query that may still run. `isProcess` checks whether a
 * process lives here.
 */
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
