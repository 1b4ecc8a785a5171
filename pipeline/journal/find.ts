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
  for (const [index, segment] of segments.entries()) {
    const before = segments[index + 1]?.firstSeq ?? Number.POSITIVE_INFINITY
    const last = Math.max(...[...seqs].filter((seq) => seq >= segment.firstSeq && seq < before))
    if (last < segment.firstSeq) continue
    for await (const frame of scan(disk, [segment], { onProblem: refuse, onTear: () => undefined })) {
      if (seqs.has(frame.header.seq)) yield asRead(frame)
      if (frame.header.seq === last) break
    }
  }
}
