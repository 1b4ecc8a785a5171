// Erases bodies out of the journal, for data about people that must go: the bytes are overwritten in place.
// The chain still verifies, because it runs over headers that hold a salted hash, and the salt goes with the body. What is
// to go is noted before anything is touched, until the books stand without it: interrupted anywhere, the next writer goes on.
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

/** Removes what was made from the bodies, before the first of them goes. */
type RemoveCopies = () => Promise<void>

const noCopies: RemoveCopies = async () => undefined

/**
 * Erases the bodies of these frames and notes it in `journal/erased.jsonl` ({seq, at}). Holding the lock is the
 * caller's part, and so is `endErasure`, once nothing that was made from the bodies is left. Throws a UsageError, before
 * anything is changed, when the journal has no such frame.
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
      expected: 'numbers of frames, which are the page_id of the rows they brought',
      found: missing.join(', '),
      action: 'Check the numbers, then erase again. Nothing was changed.',
    })
  // What may not be written is refused before anything is changed.
  for (const path of new Set(targets.map((target) => target.path)))
    await (await disk.open(path, 'change')).close()
  await writeUnderWay(disk, dir, { frames: [...seqs], bodiesGone: false })
  await goThrough(dir, targets, clock, disk, removeCopies)
}

/**
 * Finishes in the journal what an interrupted erasure has left; true as long as `endErasure` was not reached. Holding the
 * lock is the caller's part. Of a journal that came from an older backup, the frames that it has are erased.
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

/** Whether an erasure has begun of which something may be left, in the journal or in what was made from it. */
export const isErasing = async (dir: string, disk: Disk = nodeDisk): Promise<boolean> =>
  (await disk.readFile(underWayFile(dir))) !== null

/** Nothing that was made from the erased bodies is left. */
export async function endErasure(dir: string, disk: Disk = nodeDisk): Promise<void> {
  if (!(await isErasing(dir, disk))) return
  await disk.remove(underWayFile(dir))
  await disk.syncDir(journalFolder(dir))
}

/** The list is safe first: what rests on it goes even where the process dies before its end. */
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
  /** The bodies are gone; what was made from them may be left. */
  bodiesGone: z.boolean(),
})
type UnderWay = z.output<typeof underWaySchema>

const UNDER_WAY_FILE = 'erasing.json'
const ERASED_FILE = 'erased.jsonl'

/** What an erasure writes beside the segments. */
export const ERASURE_FILES = [UNDER_WAY_FILE, ERASED_FILE]

const underWayFile = (dir: string): string => join(journalFolder(dir), UNDER_WAY_FILE)

const writeUnderWay = (disk: Disk, dir: string, underWay: UnderWay): Promise<void> =>
  writeFileAtomic(disk, underWayFile(dir), JSON.stringify(underWay), 0o600)

/** Null where no erasure is under way. CorruptionError for a file that names no frames: which they were is nowhere else. */
async function readUnderWay(disk: Disk, dir: string): Promise<UnderWay | null> {
  const where = underWayFile(dir)
  const bytes = await disk.readFile(where)
  if (bytes === null) return null
  try {
    return underWaySchema.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    throw new CorruptionError('What an interrupted erasure has left to do cannot be read.', {
      where,
      expected: 'the numbers of the frames to erase',
      found: 'another content',
      action:
        'Remove this file, `landing.duckdb` and `ledger.duckdb`, then erase again what was to be erased, and run `tieout build`.',
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

/** The states are safe before the first body goes: so a half-erased body is never taken for a damaged one. */
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

/** Where it is noted which frames were erased. */
export const erasedList = (dir: string): string => join(journalFolder(dir), ERASED_FILE)

/** The note beside the journal, and the one that earlier versions wrote. */
const NOTES = [ERASED_FILE, 'struck.jsonl']

/** Numbers of the frames that were erased, by the notes beside the journal; `verifyJournal` reads them from the frames. */
export async function readErased(dir: string, disk: Disk = nodeDisk): Promise<number[]> {
  return [...(await erasedAt(dir, disk)).keys()]
}

/** When each of them was erased, by its number and in that order; empty where the note does not say it. */
export async function erasedAt(dir: string, disk: Disk = nodeDisk): Promise<Map<number, string>> {
  const lines = (await erasures(dir, disk)).matchAll(/^\{"seq":(\d+),(?:"at":"([^"]*)")?/gm)
  const times = [...lines].map(([, seq, at = '']): [number, string] => [Number(seq), at])
  return new Map(times.toSorted(([a], [b]) => a - b))
}

/** Those notes, a line for each frame and each time that it was erased. */
export async function erasures(dir: string, disk: Disk = nodeDisk): Promise<string> {
  const texts = await Promise.all(NOTES.map((name) => disk.readFile(join(journalFolder(dir), name))))
  return texts.map((text) => text?.toString() ?? '').join('\n')
}
