// What happens to a finished build: it replaces the published ledger by one rename, or it is discarded and
// only its breaks are kept. The published file is never written to.
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
  // Whatever another program left unfinished there belongs to the old file: DuckDB would apply it to the new
  // one.
  await disk.remove(join(dir, `${LEDGER_FILE}.wal`))
  await disk.rename(finished, join(dir, LEDGER_FILE))
  await disk.syncDir(dir)
  await forgetUnpublishedBreaks(disk, dir)
}

/** The breaks kept from an earlier unpublished build are obsolete once one is published. */
export const forgetUnpublishedBreaks = (disk: Disk, dir: string): Promise<void> =>
  disk.remove(join(dir, UNPUBLISHED_BREAKS_FILE))

/**
 * Copies the published file, sharing its blocks if the file system can, to be changed into the next one.
 * False if that fails: a new file may still find room.
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

/** Stores the breaks of a build that was not published, for `check` and `status`. */
export async function keepUnpublishedBreaks(
  disk: Disk,
  dir: string,
  breaks: readonly Break[],
): Promise<void> {
  const kept = { sha256: hashOf(breaks), breaks }
  await writeFileAtomic(disk, join(dir, UNPUBLISHED_BREAKS_FILE), `${JSON.stringify(kept, null, 2)}\n`, 0o600)
}

/**
 * The breaks of the last build, if it was not published; null if the published ledger is the last build.
 * CorruptionError if they are not what was stored.
 */
export async function readUnpublishedBreaks(disk: Disk, dir: string): Promise<readonly Break[] | null> {
  const path = join(dir, UNPUBLISHED_BREAKS_FILE)
  const bytes = await disk.readFile(path)
  if (bytes === null) return null
  const kept = parsed(bytes)
  if (Array.isArray(kept?.breaks) && kept.sha256 === hashOf(kept.breaks)) return kept.breaks
  throw new CorruptionError('The breaks of the build that was not published are damaged.', {
    where: path,
    expected: 'the breaks with their recorded hash',
    found: kept === null ? 'no JSON' : 'another content',
    action: 'Run `tieout build` to check everything again.',
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

/** With less free space than this, a failed build is taken to have run out of space. */
const FULL_BYTES = 64 * 2 ** 20

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** A new ledger is written beside the old one before it replaces it. */
export class NoRoom extends TieoutError {
  override readonly name = 'NoRoom'
  override readonly exitCode = 5
}

/**
 * The size of the new ledger and its intermediate steps, measured: 6.5 MiB for one of 6.5, 20.3 for 20.3, and 172 for 91,
 * with the steps in a file.
 */
const BUILD_PER_LEDGER = 1.9
/** For books that were never published, from what has landed: 1.0, 4.0 and 22.5 MiB in these three. */
const BUILD_PER_LANDING = 8

/**
 * The error for a failed build if the disk has no room for it. Null if there is room, and for an error that
 * already states what the disk refused.
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
  // It is removed now, so that the next build has its room as well.
  const sizes = await Promise.all(workFiles(unfinished).map(sizeOf))
  const taken = sizes.reduce((sum, size) => sum + size, 0)
  const room = free + taken
  const ledger = await sizeOf(published)
  // Much of what has landed is in its log until the file is closed, and longer on a full disk.
  const landed = (await sizeOf(landing)) + (await sizeOf(`${landing}.wal`))
  const needed = ledger > 0 ? BUILD_PER_LEDGER * ledger : BUILD_PER_LANDING * landed
  if (free >= Math.max(FULL_BYTES, needed - taken)) return null
  return new NoRoom('There was not enough disk space to build the ledger; the published one is unchanged.', {
    where: folder,
    expected: `${needed > room ? `about ${mebibytes(needed)}` : `more than ${mebibytes(room)}`} free for a new ledger and its intermediate steps`,
    found: `${mebibytes(room)} free (${(cause instanceof Error ? cause.message : String(cause)).split('\n')[0]})`,
    action: 'Free space on this disk, then run `tieout build`. What has been received is kept.',
    cause,
  })
}

/**
 * Removes a build that will not be published, its intermediate steps, and what the database left beside it.
 */
export async function discardBuild(disk: Disk, unfinished: string): Promise<void> {
  for (const file of workFiles(unfinished)) await disk.remove(file)
}
