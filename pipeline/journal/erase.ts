// Erases bodies from the journal, for personal data that must be removed: the bytes are overwritten in place. The chain
// still verifies, because it covers headers, which hold a salted hash of the body; the salt is erased with the body.
// The list of frames to erase is stored before anything is changed, and kept until the books no longer contain them: if
// this is interrupted at any point, the next writer continues.
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { groupBy } from '../../models/group-by.ts'
import { type Disk, type DiskFile, nodeDisk, writeFileAtomic } from './disk.ts'
import { ERASED, STATE_OFFSET } from './layout.ts'
import { journalFolder, listSegments, refuse, scan } from './scan.ts'
import type { StoredFrame } from './segment.ts'

/** What has to be overwritten, without the bytes themselves. */
type Target = Pick<StoredFrame, 'path' | 'offset' | 'regionOffset'> & { seq: number; regionBytes: number }

/** Removes what was derived from the bodies, before the first of them is erased. */
type RemoveCopies = () => Promise<void>

const noCopies: RemoveCopies = async () => undefined

/**
 * Erases the bodies of these frames and records it in `journal/erased.jsonl` ({seq, at}). The caller must hold the
 * lock, and must call `endErasure` once nothing derived from the bodies is left. Throws a UsageError, before anything
 * is changed, if the journal has no such frame.
 */
export async function eraseFrames(
  dir: string,
  seqs: readonly number[],
  clock: Clock,
  disk: Disk = nodeDisk,
  removeCopies: RemoveCopies = noCopies,
): Promise<void> {
  const folder = journalFolder(dir)
  const targets = await find(disk, folder, new Set(seqs))
  const found = new Set(targets.map(({ seq }) => seq))
  const missing = seqs.filter((seq) => !found.has(seq))
  if (missing.length > 0)
    throw new UsageError('The journal has no such frame to erase.', {
      where: folder,
      expected: 'frame numbers: the page_id of their rows',
      found: missing.join(', '),
      action: 'Check the numbers and run the command again. Nothing was changed.',
    })
  // A missing write permission is reported before anything is changed.
  for (const path of new Set(targets.map((target) => target.path)))
    await (await disk.open(path, 'change')).close()
  await writeUnderWay(disk, dir, { frames: [...seqs], bodiesGone: false })
  await goThrough(dir, targets, clock, disk, removeCopies)
}

/**
 * Finishes the journal's part of an interrupted erasure; true as long as `endErasure` was not reached. The caller must
 * hold the lock. If the journal was restored from an older backup, only the frames that it has are erased.
 */
export async function resumeErasure(
  dir: string,
  clock: Clock,
  disk: Disk,
  removeCopies: RemoveCopies,
): Promise<boolean> {
  const begun = await readUnderWay(disk, dir)
  if (begun === null) return false
  if (!begun.bodiesGone) {
    const targets = await find(disk, journalFolder(dir), new Set(begun.frames))
    await goThrough(dir, targets, clock, disk, removeCopies)
  }
  return true
}

/**
 * Whether an erasure has been started of which something may be left, in the journal or in what was derived from it.
 */
export const isErasing = async (dir: string, disk: Disk = nodeDisk): Promise<boolean> =>
  (await disk.readFile(underWayFile(dir))) !== null

/** Nothing derived from the erased bodies is left. */
export async function endErasure(dir: string, disk: Disk = nodeDisk): Promise<void> {
  if (!(await isErasing(dir, disk))) return
  await disk.remove(underWayFile(dir))
  await disk.syncDir(journalFolder(dir))
}

/** The list is stored first, so that everything derived is removed even if the process dies before the end. */
async function goThrough(
  dir: string,
  targets: readonly Target[],
  clock: Clock,
  disk: Disk,
  removeCopies: RemoveCopies,
): Promise<void> {
  await removeCopies()
  await note(disk, erasedList(dir), targets, clock)
  for (const [path, ofFile] of groupBy(targets, (target) => target.path)) {
    const file = await disk.open(path, 'change')
    await closing(file, () => overwrite(file, ofFile))
  }
  await writeUnderWay(disk, dir, { frames: targets.map(({ seq }) => seq), bodiesGone: true })
}

const underWaySchema = z.object({
  frames: z.array(z.int().positive()),
  /** The bodies are gone; what was derived from them may be left. */
  bodiesGone: z.boolean(),
})
type UnderWay = z.output<typeof underWaySchema>

const UNDER_WAY_FILE = 'erasing.json'
const ERASED_FILE = 'erased.jsonl'

/** What an erasure writes besides the segments. */
export const ERASURE_FILES = [UNDER_WAY_FILE, ERASED_FILE]

const underWayFile = (dir: string): string => join(journalFolder(dir), UNDER_WAY_FILE)

const writeUnderWay = (disk: Disk, dir: string, underWay: UnderWay): Promise<void> =>
  writeFileAtomic(disk, underWayFile(dir), JSON.stringify(underWay), 0o600)

/**
 * Null if no erasure is in progress. Throws a CorruptionError for a file that names no frames, because the list exists
 * nowhere else.
 */
async function readUnderWay(disk: Disk, dir: string): Promise<UnderWay | null> {
  const where = underWayFile(dir)
  const bytes = await disk.readFile(where)
  if (bytes === null) return null
  try {
    return underWaySchema.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    throw new CorruptionError('The list of frames still to be erased cannot be read.', {
      where,
      expected: 'the numbers of the frames to erase',
      found: 'different content',
      action:
        'Remove this file, `landing.duckdb` and `ledger.duckdb`, repeat the erasure, and run `tieout build`.',
      cause,
    })
  }
}

async function find(disk: Disk, folder: string, seqs: ReadonlySet<number>): Promise<Target[]> {
  const { segments } = await listSegments(disk, folder, refuse)
  const targets: Target[] = []
  for await (const frame of scan(disk, segments, { onProblem: refuse, onTear: () => undefined })) {
    const { path, offset, regionOffset } = frame
    if (seqs.has(frame.header.seq))
      targets.push({ path, offset, regionOffset, seq: frame.header.seq, regionBytes: frame.region.length })
  }
  return targets
}

/**
 * The states are on disk before the first body is overwritten, so that a half-erased body is never taken for a damaged
 * one.
 */
async function overwrite(file: DiskFile, targets: readonly Target[]): Promise<void> {
  for (const target of targets) await file.write(Buffer.of(ERASED), target.offset + STATE_OFFSET)
  await file.sync()
  for (const target of targets) await file.write(Buffer.alloc(target.regionBytes), target.regionOffset)
  await file.sync()
}

async function note(disk: Disk, path: string, targets: readonly Target[], clock: Clock): Promise<void> {
  const at = new Date(clock.wall()).toISOString()
  const before = (await disk.readFile(path)) ?? Buffer.alloc(0)
  const lines = targets.map(({ seq }) => `${JSON.stringify({ seq, at })}\n`).join('')
  await writeFileAtomic(disk, path, Buffer.concat([before, Buffer.from(lines)]), 0o600)
}

/** Where the erased frames are recorded. */
export const erasedList = (dir: string): string => join(journalFolder(dir), ERASED_FILE)

/** The record beside the journal, and the one that earlier versions wrote. */
const NOTES = [ERASED_FILE, 'struck.jsonl']

/**
 * Numbers of the frames that were erased, according to the records beside the journal; `verifyJournal` reads them from
 * the frames.
 */
export async function readErased(dir: string, disk: Disk = nodeDisk): Promise<number[]> {
  return [...(await erasedAt(dir, disk)).keys()]
}

/** When each of them was erased, in order of frame number; empty if the record does not state it. */
export async function erasedAt(dir: string, disk: Disk = nodeDisk): Promise<Map<number, string>> {
  const lines = (await erasures(dir, disk)).matchAll(/^\{"seq":(\d+),(?:"at":"([^"]*)")?/gm)
  const times = [...lines].map(([, seq, at = '']): [number, string] => [Number(seq), at])
  return new Map(times.toSorted(([a], [b]) => a - b))
}

/** Those records, one line for each time that a frame was erased. */
export async function erasures(dir: string, disk: Disk = nodeDisk): Promise<string> {
  const texts = await Promise.all(NOTES.map((name) => disk.readFile(join(journalFolder(dir), name))))
  return texts.map((text) => text?.toString() ?? '').join('\n')
}
