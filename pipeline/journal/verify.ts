// Reads every byte of the journal and lists everything that is wrong with it, instead of stopping at the first problem.
import { CorruptionError } from '../../models/error.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { erasedList, readErased } from './erase.ts'
import { journalFolder, listSegments, type OnProblem, scan } from './scan.ts'
import { bodyOf, type StoredFrame, type Tear } from './segment.ts'

export interface Verification {
  /** Frames in the chain, including erased ones. */
  readonly frames: number
  /** Total length of their bodies as received, in bytes, including the original length of erased ones. */
  readonly bytes: number
  /** Numbers of the frames whose bodies were erased. */
  readonly erased: readonly number[]
  /** Numbers of the frames that were damaged or missing when the journal was repaired. */
  readonly setAside: readonly number[]
  readonly problems: readonly CorruptionError[]
  /** An unfinished end, which the next opening for append moves aside. */
  readonly tear: Tear | null
}

/** Changes nothing; a folder without a journal has no frames and no problems. */
export async function verifyJournal(dir: string, disk: Disk = nodeDisk): Promise<Verification> {
  const problems: CorruptionError[] = []
  const onProblem: OnProblem = (problem) => problems.push(problem)
  const found = { tear: null as Tear | null }
  const onTear = (tear: Tear): void => {
    found.tear = tear
  }
  const erased: number[] = []
  const setAside: number[] = []
  let frames = 0
  let bytes = 0
  const { segments } = await listSegments(disk, journalFolder(dir), onProblem)
  for await (const frame of scan(disk, segments, { onProblem, onTear })) {
    frames += 1
    bytes += frame.header.bytes
    if (checkBody(frame, onProblem) === null) erased.push(frame.header.seq)
    if (frame.header.meta.kind === 'set-aside') setAside.push(frame.header.seq)
  }
  if (problems.length === 0) await checkErased(disk, dir, { erased, setAside, frames }, onProblem)
  return { frames, bytes, erased, setAside, problems, tear: found.tear }
}

/** The list of erased frames and the frames themselves must agree: neither is reliable alone. */
async function checkErased(
  disk: Disk,
  dir: string,
  { erased, setAside, frames }: Pick<Verification, 'erased' | 'setAside' | 'frames'>,
  onProblem: OnProblem,
): Promise<void> {
  const where = erasedList(dir)
  const listed = await readErased(dir, disk)
  const [isListed, isErased, isSetAside] = [new Set(listed), new Set(erased), new Set(setAside)]
  const differ = (message: string, seqs: readonly number[], expected: string, action: string): void => {
    if (seqs.length > 0)
      onProblem(new CorruptionError(message, { where, expected, found: seqs.join(', '), action }))
  }
  differ(
    'Some erased frames are not in the list of erased frames.',
    erased.filter((seq) => !isListed.has(seq)),
    'a line for each erased frame',
    'Restore the list from a backup. If an erasure was interrupted, erase the same frames again.',
  )
  differ(
    'The list of erased frames contains frames that are not erased.',
    listed.filter((seq) => seq <= frames && !isErased.has(seq) && !isSetAside.has(seq)),
    'frames whose body has been erased',
    'If the journal came from a backup, or an erasure was interrupted, erase them again: run `tieout erase` with these numbers.',
  )
  differ(
    'The list of erased frames contains frames that the journal does not have.',
    listed.filter((seq) => seq > frames),
    `numbers from 1 to ${frames}`,
    'Restore the journal folder and the list from the same backup.',
  )
}

function checkBody(frame: StoredFrame, onProblem: OnProblem): Buffer | null | 'refused' {
  try {
    return bodyOf(frame)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    onProblem(error)
    return 'refused'
  }
}
