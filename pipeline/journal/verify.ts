// Reads every byte of the journal and names all that is wrong with it, instead of stopping at the first.
import { CorruptionError } from '../../models/error.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { journalFolder, listSegments, type OnProblem, scan } from './scan.ts'
import { bodyOf, type StoredFrame, type Tear } from './segment.ts'

export interface Verification {
  /** Frames in the chain, the erased ones among them. */
  readonly frames: number
  /** Their bodies as received, in bytes; an erased one counts with the length it had. */
  readonly bytes: number
  /** Numbers of the frames whose bodies were erased. */
  readonly erased: readonly number[]
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
  let frames = 0
  let bytes = 0
  const { segments } = await listSegments(disk, journalFolder(dir), onProblem)
  for await (const frame of scan(disk, segments, { onProblem, onTear })) {
    frames += 1
    bytes += frame.header.bytes
    if (checkBody(frame, onProblem) === null) erased.push(frame.header.seq)
  }
  return { frames, bytes, erased, problems, tear: found.tear }
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
