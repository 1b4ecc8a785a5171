// The copies of journal data that the books hold: landing.duckdb, ledger.duckdb, and steps.duckdb beside it. Each is replaced by
// a new file, and the old one's bytes are removed. That only works if the file itself is in the folder.
import { lstatSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../models/error.ts'
import type { Disk } from '../journal/disk.ts'
import { isNoFile } from '../ledger/no-file.ts'
import { removeSteps, STEPS_FILE } from '../ledger/steps.ts'

const LANDING = 'landing.duckdb'
const LEDGER = 'ledger.duckdb'
const COPIES = [LANDING, LEDGER, STEPS_FILE]

/**
 * Throws a UsageError, before anything is changed, if one of them is not a regular file. Renaming over a symbolic
 * link would replace only the link; its target would remain, with the names that were to be erased. A folder can be
 * neither opened nor replaced.
 */
export function mustBeOwnFiles(dir: string): void {
  for (const name of COPIES) {
    const path = join(dir, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isFile()) continue
    throw stats.isSymbolicLink() ? isLink(name, path) : isNoFile(name, path, stats.isDirectory())
  }
}

function isLink(name: string, path: string): UsageError {
  const target = readlinkSync(path)
  return new UsageError(`${name} is a symbolic link.`, {
    where: path,
    expected: 'a regular file: it is replaced by a new one, and the target of a link would stay behind',
    found: `a link to ${target}`,
    action: `Move ${target} here in place of the link. To keep the books on another disk, move the whole folder and name it with --dir, or link the folder. Nothing was changed.`,
  })
}

/** Removes the landing database, the steps of builds and all unfinished work, which can be rebuilt from the journal. */
export async function removeLanded(dir: string, disk: Disk): Promise<void> {
  // A write-ahead log that outlived its file would be replayed into the next one.
  for (const name of [`${LANDING}.wal`, LANDING]) await disk.remove(join(dir, name))
  await removeSteps(disk, dir)
  // Entry by entry: the folder itself may be a link to a larger disk.
  const work = join(dir, 'tmp')
  for (const name of (await disk.list(work)) ?? [])
    await rm(join(work, name), { recursive: true, force: true })
  await disk.syncDir(dir)
}

/** Removes a ledger that was published as a file before the books moved to a server: no build there replaces it. */
export async function removeOlderLedger(dir: string, disk: Disk): Promise<void> {
  for (const name of [`${LEDGER}.wal`, LEDGER]) await disk.remove(join(dir, name))
  await removeSteps(disk, dir)
  await disk.syncDir(dir)
}
