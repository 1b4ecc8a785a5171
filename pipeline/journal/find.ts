// Finds a few frames in a journal that may be large: reads only the segments that hold them, and each only as far as
// needed.
import { type Disk, nodeDisk } from './disk.ts'
import type { Frame, SetAsideMeta } from './frame.ts'
import { checkLinks, journalFolder, listSegments, refuse, scan } from './scan.ts'
import { asRead } from './segment.ts'

/**
 * These frames of the books in `dir`, as far as they exist, in order. Each is verified together with everything before
 * it in its segment, and so is that the segments continue one another. Throws a CorruptionError if anything is not as
 * it was written. Takes no lock; an unfinished end is treated as the end.
 */
export async function* findFrames(
  dir: string,
  seqs: ReadonlySet<number>,
  disk: Disk = nodeDisk,
): AsyncGenerator<Frame, void, void> {
  const { segments } = await listSegments(disk, journalFolder(dir), refuse)
  await checkLinks(disk, segments)
  const wanted = [...seqs].toSorted((a, b) => a - b)
  let at = 0
  for (const [index, segment] of segments.entries()) {
    const before = segments[index + 1]?.firstSeq ?? Number.POSITIVE_INFINITY
    while ((wanted[at] ?? before) < before) at += 1
    const last = wanted[at - 1] ?? 0
    if (last < segment.firstSeq) continue
    const events = { onProblem: refuse, onTear: () => undefined, inOneRoom: true }
    for await (const frame of scan(disk, [segment], events)) {
      if (seqs.has(frame.header.seq)) yield kept(asRead(frame))
      if (frame.header.seq === last) break
    }
  }
}

const DAMAGED = /^damaged-.+\.bin$/

/** What repairs of the journal have set aside. */
export interface SetAside {
  readonly frames: readonly { readonly seq: number; readonly was: SetAsideMeta['was'] }[]
  /** Files in the journal's folder with the damaged bytes. */
  readonly files: readonly string[]
}

/**
 * Frames that repairs have set aside. Reads the whole journal, but only if a repair has left damaged bytes beside it.
 * Problems of the journal are not the question here.
 */
export async function findSetAside(dir: string, disk: Disk = nodeDisk): Promise<SetAside> {
  const folder = journalFolder(dir)
  const files = ((await disk.list(folder)) ?? []).filter((name) => DAMAGED.test(name)).toSorted()
  const frames: { seq: number; was: SetAsideMeta['was'] }[] = []
  if (files.length === 0) return { frames, files }
  const ignore = (): void => undefined
  const { segments } = await listSegments(disk, folder, ignore)
  for await (const { header } of scan(disk, segments, { onProblem: ignore, onTear: ignore, inOneRoom: true }))
    if (header.meta.kind === 'set-aside') frames.push({ seq: header.seq, was: header.meta.was })
  return { frames, files }
}

/** The body in memory of its own. */
const kept = (frame: Frame): Frame => ({ ...frame, body: frame.body && Buffer.from(frame.body) })
