// What becomes of a finished build: it replaces the published ledger by one rename, or it is thrown away
// and only its breaks are kept. The published file is never written to.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { CorruptionError, TieoutError } from '../../models/error.ts'
import { type Disk, DiskError, writeFileAtomic } from '../journal/disk.ts'
import type { Break } from './breaks.ts'
import { workFiles } from './workspace.ts'

export const LEDGER_FILE = 'ledger.duckdb'
export const UNPUBLISHED_BREAKS_FILE = 'breaks-unpublished.json'

/** Makes the finished file the published one; readers of the old one keep it. */
export async function publishLedger(disk: Disk, dir: string, finished: string): Promise<void> {
  const file = await disk.open(finished, 'change')
  await closing(file, () => file.sync())
  // What another program wrote there and left unfinished is for the file that goes: DuckDB would change the new one by it.
  await disk.remove(join(dir, `${LEDGER_FILE}.wal`))
  await disk.rename(finished, join(dir, LEDGER_FILE))
  await disk.syncDir(dir)
  await forgetUnpublishedBreaks(disk, dir)
}

/** What was kept of an earlier build that was not published is over with one that was. */
export const forgetUnpublishedBreaks = (disk: Disk, dir: string): Promise<void> =>
  disk.remove(join(dir, UNPUBLISHED_BREAKS_FILE))

/**
 * Copies the published file, sharing its blocks where the file system can, to be changed into the next one. False where that
 * does not succeed: a new file may still find room.
 */
export async function copyOfLedger(published: string, unfinished: string): Promise<boolean> {
  try {
    await copyFile(published, unfinished, constants.COPYFILE_FICLONE)
    return true
  } catch {
    await rm(unfinished, { force: true })
    return false
  }
}

/** Keeps the breaks of a build that was not published, for `check` and `status`. */
export async function keepUnpublishedBreaks(
  disk: Disk,
  dir: string,
  breaks: readonly Break[],
): Promise<void> {
  const kept = { sha256: hashOf(breaks), breaks }
  await writeFileAtomic(disk, join(dir, UNPUBLISHED_BREAKS_FILE), `${JSON.stringify(kept, null, 2)}\n`, 0o600)
}

/**
 * The breaks of the last build, if it was not published; null when the published ledger is the last build.
 * CorruptionError when they are not what was kept.
 */
export async function readUnpublishedBreaks(disk: Disk, dir: string): Promise<readonly Break[] | null> {
  const path = join(dir, UNPUBLISHED_BREAKS_FILE)
  const bytes = await disk.readFile(path)
  if (bytes === null) return null
  const kept = parsed(bytes)
  if (Array.isArray(kept?.breaks) && kept.sha256 === hashOf(kept.breaks)) return kept.breaks
  throw new CorruptionError('The breaks of the build that was not published are damaged.', {
    where: path,
    expected: 'the breaks with the hash that was written with them',
    found: kept === null ? 'no JSON' : 'another content',
    action: 'Run `tieout build`: it checks everything again.',
  })
}

const hashOf = (breaks: unknown): string => createHash('sha256').update(JSON.stringify(breaks)).digest('hex')

function parsed(bytes: Buffer): { readonly sha256?: unknown; readonly breaks?: Break[] } | null {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** With less than this free a build that fails is taken for one that found no room. */
const FULL_BYTES = 64 * 2 ** 20

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** A new ledger stands beside the old one until it replaces it. */
export class NoRoom extends TieoutError {
  override readonly name = 'NoRoom'
  override readonly exitCode = 5
}

/** The new ledger and the steps on the way to it, measured: 6.8 MiB for one of 6.5, 31.1 for 21.5, 4.4 GB for 2.8. */
const BUILD_PER_LEDGER = 1.6
/** Of books that were never published, by what has landed: 2.3 MiB in the first of these, 7.8 in the second. */
const BUILD_PER_LANDING = 4

/**
 * What a failed build came to when the disk has no room for it. Null where there is room, and for an error that says already
 * what the disk refused.
 */
export async function fullDisk(
  unfinished: string,
  { published, landing }: { readonly published: string; readonly landing: string },
  cause: unknown,
): Promise<NoRoom | null> {
  if (cause instanceof DiskError) return null
  const folder = dirname(unfinished)
  const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
  if (free === null) return null
  // It is thrown away now, and the next build has its room as well.
  const sizes = await Promise.all(workFiles(unfinished).map(sizeOf))
  const taken = sizes.reduce((sum, size) => sum + size, 0)
  const room = free + taken
  const ledger = await sizeOf(published)
  // Much of what has landed stands in its log until the file is closed, and on a full disk longer.
  const landed = (await sizeOf(landing)) + (await sizeOf(`${landing}.wal`))
  const needed = ledger > 0 ? BUILD_PER_LEDGER * ledger : BUILD_PER_LANDING * landed
  if (free >= Math.max(FULL_BYTES, needed - taken)) return null
  return new NoRoom('There was no room to build the ledger; the published one is as it was.', {
    where: folder,
    expected: `${needed > room ? `about ${mebibytes(needed)}` : `more than ${mebibytes(room)}`} free for a new ledger and the steps on the way to it`,
    found: `${mebibytes(room)} free (${(cause instanceof Error ? cause.message : String(cause)).split('\n')[0]})`,
    action: 'Free space on this disk, then run `tieout build`. What has been received is kept.',
    cause,
  })
}

/** Removes a build that will not be published, its steps on the way, and what the database left beside it. */
export async function discardBuild(disk: Disk, unfinished: string): Promise<void> {
  for (const file of workFiles(unfinished)) await disk.remove(file)
}
