// Erases bodies out of the journal, for data about people that must go: the bytes are overwritten in place.
// The chain still verifies, because it runs over headers that hold a salted hash, and the salt goes with the body.
import { join } from 'node:path'
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { type Disk, type DiskFile, nodeDisk, writeFileAtomic } from './disk.ts'
import { ERASED, STATE_OFFSET } from './layout.ts'
import { journalFolder, listSegments, refuse, scan } from './scan.ts'
import type { StoredFrame } from './segment.ts'

/** What has to be overwritten, without the bytes themselves. */
type Target = Pick<StoredFrame, 'path' | 'offset' | 'regionOffset'> & { seq: number; regionBytes: number }

/**
 * Erases the bodies of these frames and notes it in `journal/erased.jsonl` ({seq, at}). Holding the lock is the
 * caller's part. Interrupted, it is to be called again: until then the journal names the frame and refuses it.
 * Throws a UsageError, before anything is changed, when the journal has no such frame.
 */
export async function eraseFrames(
  dir: string,
  seqs: readonly number[],
  clock: Clock,
  disk: Disk = nodeDisk,
): Promise<void> {
  const targets = await find(disk, journalFolder(dir), new Set(seqs))
  const paths = new Set(targets.map((target) => target.path))
  // What may not be written is refused before anything is changed.
  for (const path of paths) await (await disk.open(path, 'change')).close()
  // First of all: what rests on the list goes even where the process dies before its end.
  await note(disk, erasedList(dir), targets, clock)
  for (const path of paths) {
    const file = await disk.open(path, 'change')
    try {
      await overwrite(
        file,
        targets.filter((target) => target.path === path),
      )
    } finally {
      await file.close()
    }
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
  const missing = [...seqs].filter((seq) => !targets.some((target) => target.seq === seq))
  if (missing.length === 0) return targets
  throw new UsageError('The journal has no such frame to erase.', {
    where: folder,
    expected: 'numbers of frames, which are the page_id of the rows they brought',
    found: missing.join(', '),
    action: 'Check the numbers, then erase again. Nothing was changed.',
  })
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
export const erasedList = (dir: string): string => join(journalFolder(dir), 'erased.jsonl')

/** The note beside the journal, and the one that earlier versions wrote. */
const NOTES = ['erased.jsonl', 'struck.jsonl']

/** Numbers of the frames that were erased, by the notes beside the journal; `verifyJournal` reads them from the frames. */
export async function readErased(dir: string, disk: Disk = nodeDisk): Promise<number[]> {
  const lines = (await erasures(dir, disk)).matchAll(/^\{"seq":(\d+),/gm)
  return [...new Set([...lines].map(([, seq]) => Number(seq)))].sort((a, b) => a - b)
}

/** Those notes, a line for each frame and each time that it was erased. */
export async function erasures(dir: string, disk: Disk = nodeDisk): Promise<string> {
  const texts = await Promise.all(NOTES.map((name) => disk.readFile(join(journalFolder(dir), name))))
  return texts.map((text) => text?.toString() ?? '').join('\n')
}
