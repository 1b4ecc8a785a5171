// What the books hold of the journal beside it: landing.duckdb and ledger.duckdb. Each is replaced by a new file and the old
// one goes, bytes and all, which holds only for a file that stands in the folder itself.
import { lstatSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../models/error.ts'
import type { Disk } from '../journal/disk.ts'
import { isNoFile } from '../ledger/no-file.ts'

const LANDING = 'landing.duckdb'
const LEDGER = 'ledger.duckdb'
const COPIES = [LANDING, LEDGER]

/**
 * Throws a UsageError where one of the two is no file of its own, before anything is touched. Of a symbolic link a rename would
 * replace the link alone, and what it points to would stay, with the names in it that were to be erased; a folder can be
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
    expected: 'a file of its own: it is replaced by a new one, and what a link points to would stay behind',
    found: `a link to ${target}`,
    action: `Move ${target} here in place of the link. To keep the books on another disk, move the whole folder and name it with --dir, or link the folder. Nothing was changed.`,
  })
}

/** Removes what has landed and every unfinished work: all of it can be made again from the journal. */
export async function removeLanded(dir: string, disk: Disk): Promise<void> {
  // A log that outlived its file would be replayed into the next one.
  for (const name of [`${LANDING}.wal`, LANDING]) await disk.remove(join(dir, name))
  // Name by name: the folder itself may be a link to a larger disk.
  const work = join(dir, 'tmp')
  for (const name of (await disk.list(work)) ?? [])
    await rm(join(work, name), { recursive: true, force: true })
  await disk.syncDir(dir)
}

/** Removes a ledger that was published as a file before the books were on a server: no build there replaces it. */
export async function removeOlderLedger(dir: string, disk: Disk): Promise<void> {
  for (const name of [`${LEDGER}.wal`, LEDGER]) await disk.remove(join(dir, name))
  await disk.syncDir(dir)
}
