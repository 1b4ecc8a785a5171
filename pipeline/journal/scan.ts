// The segments of a journal as one chain: listed, linked, and walked frame by frame across their borders. Problems are
// passed to the caller: opening and reading throw the first, verifying collects them all.
import { basename, join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import type { Disk } from './disk.ts'
import { CHAIN_BYTES, decodeSegmentHeader, FORMAT_VERSION, SEGMENT_HEADER_BYTES } from './layout.ts'
import { damaged, type Segment, SegmentReader, type StoredFrame, type Tear } from './segment.ts'

export type OnProblem = (problem: CorruptionError) => void

/** The first problem ends the walk. */
export const refuse: OnProblem = (problem) => {
  throw problem
}

const NAME = /^(\d{6,})\.journal$/

export const journalFolder = (dir: string): string => join(dir, 'journal')

export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.journal`)
}

/** What is in the folder while a repair puts its segments in place (repair.ts). */
export const REPAIR_FILE = 'repair.json'

/** Numbers of the existing segment files, in order. */
export async function segmentNumbers(disk: Disk, folder: string): Promise<number[]> {
  const names = ((await disk.list(folder)) ?? []).filter((name) => NAME.test(name))
  return names.map((name) => Number(NAME.exec(name)?.[1])).sort((a, b) => a - b)
}

export interface Listing {
  readonly segments: Segment[]
  /** A last file whose own header was never finished: a crash happened while it was created. */
  readonly unfinished: string | null
}

/** The segments in order, each with its header; a gap in the numbers and a file under a wrong name are problems. */
export async function listSegments(disk: Disk, folder: string, onProblem: OnProblem): Promise<Listing> {
  const numbers = await segmentNumbers(disk, folder)
  if ((await disk.readFile(join(folder, REPAIR_FILE))) !== null)
    onProblem(
      new CorruptionError('A repair of the journal was interrupted.', {
        where: join(folder, REPAIR_FILE),
        action:
          'Run `tieout verify --repair` or any command that writes the books; either finishes the repair first.',
      }),
    )
  const segments: Segment[] = []
  for (const [index, number] of numbers.entries()) {
    const path = segmentPath(folder, number)
    const expected = (numbers[index - 1] ?? 0) + 1
    if (number !== expected)
      onProblem(
        damaged(
          'A segment of the journal is missing.',
          segmentPath(folder, expected),
          `segment ${expected}`,
          `${basename(path)} as the next file`,
        ),
      )
    const segment = await readHeader(disk, path, number, onProblem)
    if (segment === 'unfinished' && index === numbers.length - 1) return { segments, unfinished: path }
    if (segment === 'unfinished')
      onProblem(damaged('A segment of the journal has lost its header.', path, 'a header', 'none'))
    else if (segment !== null) segments.push(segment)
  }
  return { segments, unfinished: null }
}

/** Null if the header is refused; `unfinished` if it was cut off or never reached the disk. */
async function readHeader(
  disk: Disk,
  path: string,
  number: number,
  onProblem: OnProblem,
): Promise<Segment | null | 'unfinished'> {
  const start = await readPart(disk, path, () => 0, SEGMENT_HEADER_BYTES + 1)
  if (start.length < SEGMENT_HEADER_BYTES) return 'unfinished'
  const bytes = start.subarray(0, SEGMENT_HEADER_BYTES)
  const header = decodeSegmentHeader(bytes)
  const where = `${path}, segment header, byte 0`
  if (header === null) {
    // Nothing follows a header before it is on disk; an end that was never written reads as zeros.
    const isCutOff = start.length === SEGMENT_HEADER_BYTES && bytes.at(-1) === 0
    if (isCutOff || bytes.every((byte) => byte === 0)) return 'unfinished'
    onProblem(
      damaged(
        'The header of a segment has been changed.',
        where,
        'a header with a matching checksum',
        'other bytes',
      ),
    )
    return null
  }
  if (header.version !== FORMAT_VERSION)
    throw new UsageError('The journal was written by a newer version of tieout.', {
      where,
      expected: `format ${FORMAT_VERSION}`,
      found: `format ${header.version}`,
      action: 'Install the version that wrote it, or a later one.',
    })
  if (header.number !== number) {
    onProblem(
      damaged(
        'A segment has the file name of another segment.',
        where,
        `segment ${number}`,
        `segment ${header.number}`,
      ),
    )
    return null
  }
  return { ...header, path }
}

async function readPart(
  disk: Disk,
  path: string,
  offsetOf: (size: number) => number,
  length: number,
): Promise<Buffer> {
  const file = await disk.open(path, 'read')
  return await closing(file, async () => file.read(offsetOf(await file.size()), length))
}

/** Compares the end of each segment with what the next one claims to continue, without reading the frames. */
export async function checkLinks(disk: Disk, segments: readonly Segment[]): Promise<void> {
  for (const [index, segment] of segments.entries()) {
    const previous = segments[index - 1]
    if (previous === undefined) continue
    if (!(await endOf(disk, previous)).equals(segment.chain)) throw broken(segment, previous.path)
  }
}

/**
 * The chain hash that a segment ends with; a segment without frames, as a repair can leave, ends with what it
 * continues.
 */
async function endOf(disk: Disk, { path, chain }: Segment): Promise<Buffer> {
  const from = (size: number): number => Math.max(SEGMENT_HEADER_BYTES, size - CHAIN_BYTES)
  const end = await readPart(disk, path, from, CHAIN_BYTES)
  return end.length === 0 ? chain : end
}

function broken(segment: Segment, previousPath: string): CorruptionError {
  return damaged(
    'A segment of the journal does not continue the one before it.',
    `${segment.path}, segment header, byte 0`,
    `the chain hash and number of the last frame of ${basename(previousPath)}`,
    'others: a segment was cut off, swapped or comes from another journal',
  )
}

export interface ScanEvents {
  readonly onProblem: OnProblem
  /** The last segment ends inside a frame. */
  readonly onTear: (tear: Tear) => void
  /** A frame is valid until the next one is requested; a caller that keeps one must copy it. */
  readonly inOneRoom?: boolean
}

/** The frames of consecutive segments in order, each proven to continue the chain. */
export async function* scan(
  disk: Disk,
  segments: readonly Segment[],
  events: ScanEvents,
): AsyncGenerator<StoredFrame, void, void> {
  let previous: SegmentReader | null = null
  for (const [index, segment] of segments.entries()) {
    const before = segments[index - 1]
    // After a segment that is missing or was refused (a problem of its own) nothing can be compared.
    const comparable = before?.number === segment.number - 1 && previous?.lost === false
    const continues = previous?.leadsTo(segment.chain) && previous.seq === segment.firstSeq - 1
    if (comparable && !continues) events.onProblem(broken(segment, before.path))
    const reader = await SegmentReader.open(disk, segment, events.inOneRoom)
    previous = reader
    try {
      yield* framesOf(reader, events.onProblem)
    } finally {
      // Failing to close a file that was only read loses nothing, and the earlier result is the one to report.
      await reader.close().catch(() => undefined)
    }
    if (reader.tear === null) continue
    if (index === segments.length - 1) events.onTear(reader.tear)
    else events.onProblem(cutOff(reader.tear, reader.seq + 1))
  }
}

async function* framesOf(
  reader: SegmentReader,
  onProblem: OnProblem,
): AsyncGenerator<StoredFrame, void, void> {
  for (;;) {
    const frame = await nextOf(reader, onProblem)
    if (frame === null) return
    if (frame !== 'refused') yield frame
  }
}

async function nextOf(reader: SegmentReader, onProblem: OnProblem): Promise<StoredFrame | null | 'refused'> {
  try {
    return await reader.next()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    onProblem(error)
    return 'refused'
  }
}

/** An unfinished end that no crash can have caused: another segment follows it. */
export function cutOff(tear: Tear, seq: number): CorruptionError {
  return damaged(
    'A segment in the middle of the journal ends inside a frame.',
    `${tear.path}, frame ${seq}, byte ${tear.offset}`,
    'a whole frame',
    `${tear.bytes} bytes before the end of the file`,
  )
}
