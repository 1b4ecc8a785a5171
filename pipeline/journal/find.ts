// A few frames of a journal that may be large: only the segments that hold them are read, and each only so far.
import { type Disk, nodeDisk } from './disk.ts'
import type { Frame } from './frame.ts'
import { checkLinks, journalFolder, listSegments, refuse, scan } from './scan.ts'
import { asRead } from './segment.ts'

/**
 * These frames of the books in `dir`, as far as there are any, in order. Each is verified with all that stands before it in
 * its segment, and that the segments continue one another. CorruptionError where that is not what was written. No lock is
 * taken, and an unfinished end is the end.
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

/** The body in a place of its own. */
const kept = (frame: Frame): Frame => ({ ...frame, body: frame.body && Buffer.from(frame.body) })
