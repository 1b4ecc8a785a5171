// Finds what is intact in a damaged journal: every frame whose position in the chain and whose body are proven, and
// every stretch of bytes that is not such a frame. If a frame cannot be read, the next one is found by its magic and
// its checksum.
import { closing } from '../../models/closing.ts'
import { CorruptionError } from '../../models/error.ts'
import type { Disk } from './disk.ts'
import type { FrameMeta } from './frame.ts'
import {
  CHAIN_BYTES,
  decodePrelude,
  decodeSegmentHeader,
  ERASED,
  FRAME_MAGIC,
  type FrameHeader,
  GENESIS,
  LIVE,
  nextChain,
  PRELUDE_BYTES,
  type Prelude,
  SALT_BYTES,
  SEGMENT_HEADER_BYTES,
} from './layout.ts'
import { segmentNumbers, segmentPath } from './scan.ts'
import { bodyOf, parsedHeader } from './segment.ts'

/** A frame that is kept as it is. */
export interface WholeFrame {
  readonly seq: number
  readonly meta: FrameMeta
  readonly offset: number
  readonly end: number
  /** The one byte that is not hashed: correct as it is, or as the body shows. */
  readonly state: number
  /** As stored. */
  readonly chain: Buffer
}

/** Bytes that are not a whole frame. */
export interface DamagedPiece {
  /** The number in the file's name. */
  readonly segment: number
  readonly offset: number
  readonly bytes: number
}

/** A number whose frame is lost; with its meta if the header is intact and only the body is not. */
export interface LostFrame {
  readonly seq: number
  readonly meta: FrameMeta | null
}

export interface SegmentSurvey {
  readonly number: number
  /** Null if the file is missing. */
  readonly path: string | null
  /** Number of its first frame according to its header; null if that cannot be read. */
  readonly firstSeq: number | null
  /** Whether the chain joins its first frame to what comes before. */
  readonly continues: boolean
  /** In order; lost frames are where they were, as nearly as that is known. */
  readonly frames: (WholeFrame | LostFrame)[]
}

export interface Survey {
  readonly segments: readonly SegmentSurvey[]
  readonly pieces: readonly DamagedPiece[]
  /** The last number that is whole or lost. */
  readonly lastSeq: number
  /** The stored chain hash of the last whole frame. */
  readonly lastChain: Buffer
  /** Number of the first segment that is not as it was written; null for an intact journal. */
  readonly firstDamaged: number | null
}

export const isWhole = (frame: WholeFrame | LostFrame): frame is WholeFrame => 'chain' in frame

interface Candidate {
  readonly offset: number
  readonly regionOffset: number
  readonly end: number
  readonly prelude: Prelude
  readonly headerBytes: Buffer
  readonly header: FrameHeader | null
  readonly chain: Buffer
}

/** A frame, judging by itself: a prelude with its checksum, and a length that fits; null for anything else. */
function candidateAt(bytes: Buffer, offset: number): Candidate | null {
  const prelude = decodePrelude(bytes.subarray(offset, offset + PRELUDE_BYTES))
  if (prelude === null) return null
  const regionOffset = offset + PRELUDE_BYTES + prelude.headerBytes
  const chainOffset = regionOffset + SALT_BYTES + prelude.storedBytes
  const end = chainOffset + CHAIN_BYTES
  if (end > bytes.length) return null
  const headerBytes = bytes.subarray(offset + PRELUDE_BYTES, regionOffset)
  const chain = bytes.subarray(chainOffset, end)
  return { offset, regionOffset, end, prelude, headerBytes, header: parsedHeader(headerBytes), chain }
}

/**
 * Walks all segments, whatever is wrong with them; the files stay as they are. Files of other books (paths) are not
 * part of it.
 */
export async function surveyJournal(
  disk: Disk,
  folder: string,
  foreign: readonly string[] = [],
): Promise<Survey> {
  const surveyor = new Surveyor()
  const { files, strays } = await filesOf(disk, folder, foreign)
  const last = Math.max(0, ...files.keys(), ...files.values(), ...strays.keys())
  for (let number = 1; number <= last; number += 1) {
    const file = files.get(number) ?? null
    const path = file === null ? null : segmentPath(folder, file)
    const bytes = path === null ? null : await disk.readFile(path)
    surveyor.take(number, bytes === null ? null : path, bytes ?? Buffer.alloc(0), file ?? number)
    const stray = strays.get(number)
    if (stray !== undefined) surveyor.leave(number, stray)
  }
  return surveyor.survey()
}

interface SegmentFiles {
  /** Number of each segment, and the number in the name of the file that holds it. */
  readonly files: ReadonlyMap<number, number>
  /**
   * Files that are a second copy of a segment or belong to other books, by the number in their name, with their length.
   */
  readonly strays: ReadonlyMap<number, number>
}

/**
 * Which file holds which segment: if its header, proven by a checksum, has another number than its name, the header's
 * number applies. A file whose header cannot be read gives way to one with a header, and then holds the first segment
 * that no other file does.
 */
async function filesOf(disk: Disk, folder: string, foreign: readonly string[]): Promise<SegmentFiles> {
  const numbers = await segmentNumbers(disk, folder)
  const most = (numbers.at(-1) ?? 0) + numbers.length
  const files = new Map<number, number>()
  const misnamed: { name: number; said: number; size: number }[] = []
  const unsaid: number[] = []
  const strays = new Map<number, number>()
  for (const name of numbers) {
    const path = segmentPath(folder, name)
    const file = await disk.open(path, 'read')
    await closing(file, async () => {
      if (foreign.includes(path)) {
        strays.set(name, await file.size())
        return
      }
      const said = decodeSegmentHeader(await file.read(0, SEGMENT_HEADER_BYTES))?.number
      if (said === undefined) unsaid.push(name)
      else if (said === name) files.set(name, name)
      else misnamed.push({ name, said, size: await file.size() })
    })
  }
  for (const { name, said, size } of misnamed)
    if (!files.has(said) && said > 0 && said <= most) files.set(said, name)
    else strays.set(name, size)
  const displaced = unsaid.filter((name) => files.has(name))
  for (const name of unsaid) if (!files.has(name)) files.set(name, name)
  for (const name of displaced) {
    let free = 1
    while (files.has(free)) free += 1
    files.set(free, name)
  }
  return { files, strays }
}

class Surveyor {
  readonly #segments: SegmentSurvey[] = []
  readonly #pieces: DamagedPiece[] = []
  #firstDamaged: number | null = null
  /** The number in the name of the file that is being walked. */
  #file = 0
  #seq = 0
  #lastChain: Buffer = GENESIS
  /** Frames since the last proven one of which only the length is known. */
  #unproven = 0
  /** Hashes that the next frame may continue: the stored one, and the one that the frame before it should have had. */
  #before: readonly Buffer[] = [GENESIS]
  /** A frame that does not match its own hash: if the next one does not prove its header, it is lost. */
  #doubtful: {
    readonly frame: Candidate
    readonly expected: Buffer | null
    readonly bytes: Buffer
    readonly path: string
  } | null = null

  survey(): Survey {
    this.#settle(null)
    // What they were is unknown, but each had a number.
    this.#lose(this.#seq + 1 + this.#unproven)
    const { length } = this.#segments
    // A segment of which nothing is known holds the numbers before those of the next one.
    for (let at = 0; at < length - 1; at += 1) this.#fill(at)
    return {
      segments: this.#segments,
      pieces: this.#pieces,
      lastSeq: this.#seq,
      lastChain: this.#lastChain,
      firstDamaged: this.#firstDamaged,
    }
  }

  /** `file` is the number in the file's name. */
  take(number: number, path: string | null, bytes: Buffer, file: number): void {
    const header = decodeSegmentHeader(bytes)
    this.#settle(header?.chain ?? null)
    const continues =
      header !== null &&
      header.firstSeq === this.#seq + 1 &&
      this.#before.some((chain) => chain.equals(header.chain))
    this.#segments.push({ number, path, firstSeq: header?.firstSeq ?? null, continues, frames: [] })
    this.#file = file
    if (file !== number || !continues) this.#damaged()
    let offset = 0
    if (header !== null) {
      offset = SEGMENT_HEADER_BYTES
      // Frames before this segment may be lost without a trace; its header is proven by a checksum.
      this.#before = [...this.#before, header.chain]
      this.#lose(header.firstSeq)
      this.#unproven = 0
    } else if (candidateAt(bytes, SEGMENT_HEADER_BYTES) !== null) {
      // Only the header is damaged: its first frame may still join what comes before.
      offset = SEGMENT_HEADER_BYTES
      this.#aside(0, offset)
    }
    while (offset < bytes.length) offset = this.#next(bytes, offset, path ?? '')
  }

  /** A whole file that is not part of the journal. */
  leave(file: number, bytes: number): void {
    this.#damaged()
    this.#pieces.push({ segment: file, offset: 0, bytes })
  }

  /** Takes the frame at this offset, or the bytes up to the next one; returns where to continue. */
  #next(bytes: Buffer, offset: number, path: string): number {
    const frame = candidateAt(bytes, offset)
    if (frame === null) {
      const end = nextCandidate(bytes, offset + 1)
      this.#settle(null)
      this.#aside(offset, end - offset)
      // At the end nothing further on shows how many frames this was: at least one.
      if (end === bytes.length) this.#unproven += 1
      this.#before = end - offset >= CHAIN_BYTES ? [bytes.subarray(end - CHAIN_BYTES, end)] : []
      return end
    }
    const before = this.#before.find((chain) => nextChain(chain, frame.headerBytes).equals(frame.chain))
    const isNext = frame.header !== null && frame.header.seq > this.#seq
    if (before !== undefined && isNext) {
      this.#settle(before)
      this.#accept(frame, bytes, path)
      this.#before = [frame.chain]
    } else {
      this.#settle(null)
      this.#damaged()
      const [previous] = this.#before
      const expected = previous === undefined ? null : nextChain(previous, frame.headerBytes)
      this.#doubtful = { frame, expected, bytes, path }
      this.#before = expected === null ? [frame.chain] : [frame.chain, expected]
    }
    return frame.end
  }

  /** Settles the doubtful frame: it is intact after all if the next one continues the hash that it should have had. */
  #settle(continued: Buffer | null): void {
    const doubtful = this.#doubtful
    this.#doubtful = null
    if (doubtful === null) return
    const { frame, expected, bytes, path } = doubtful
    const isProven = continued !== null && expected?.equals(continued) === true
    if (isProven && frame.header?.seq === this.#seq + 1) this.#accept(frame, bytes, path)
    else {
      this.#aside(frame.offset, frame.end - frame.offset)
      this.#unproven += 1
    }
  }

  /** A frame with a proven header: intact with its body, lost without it. */
  #accept(frame: Candidate, bytes: Buffer, path: string): void {
    const { header } = frame
    if (header === null) return
    const { seq, meta } = header
    this.#lose(seq)
    this.#seq = seq
    this.#unproven = 0
    // Copied: a slice would keep the bytes of the whole segment in memory, for every segment.
    const chain = Buffer.from(frame.chain)
    const state = stateOf(frame, header, bytes, path)
    if (state === null) {
      this.#aside(frame.offset, frame.end - frame.offset)
      this.#frames().push({ seq, meta })
      return
    }
    if (!state.isSound) this.#damaged()
    this.#lastChain = chain
    this.#frames().push({
      seq,
      meta,
      offset: frame.offset,
      end: frame.end,
      state: state.state,
      chain,
    })
  }

  /** The numbers from the next one up to this one are lost. */
  #lose(next: number): void {
    if (next > this.#seq + 1) this.#damaged()
    for (let seq = this.#seq + 1; seq < next; seq += 1) this.#frames().push({ seq, meta: null })
    this.#seq = Math.max(this.#seq, next - 1)
  }

  #frames(): (WholeFrame | LostFrame)[] {
    return this.#segments.at(-1)?.frames ?? []
  }

  #aside(offset: number, bytes: number): void {
    this.#damaged()
    this.#pieces.push({ segment: this.#file, offset, bytes })
  }

  #damaged(): void {
    this.#firstDamaged ??= this.#segments.at(-1)?.number ?? 1
  }

  /** Moves lost numbers from the beginning of the next segment into one that has none. */
  #fill(at: number): void {
    const [segment, following] = [this.#segments[at], this.#segments[at + 1]]
    if (segment === undefined || following === undefined || segment.frames.length > 0) return
    this.#firstDamaged = Math.min(this.#firstDamaged ?? segment.number, segment.number)
    const whole = following.frames.findIndex(isWhole)
    const lost = whole < 0 ? following.frames.length : whole
    // One by one: a missing segment may have held more frames than a call takes arguments.
    for (const frame of following.frames.splice(0, lost)) segment.frames.push(frame)
  }
}

/** Where the next frame with a readable header begins; the end of the bytes if there is none. */
function nextCandidate(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(FRAME_MAGIC, from); at >= 0; at = bytes.indexOf(FRAME_MAGIC, at + 1))
    if (candidateAt(bytes, at)?.header != null) return at
  return bytes.length
}

/**
 * The state with which the body is intact, and whether the frame is sound as it is; null for a damaged body. An erased
 * frame that still holds bytes was not erased completely: the bytes must go, and must not be kept anywhere else.
 */
function stateOf(
  frame: Candidate,
  header: FrameHeader,
  bytes: Buffer,
  path: string,
): { state: number; isSound: boolean } | null {
  const { offset, regionOffset, end, prelude, chain } = frame
  const region = bytes.subarray(regionOffset, end - CHAIN_BYTES)
  for (const state of [prelude.state, LIVE, ERASED]) {
    const stored = { path, offset, regionOffset, prelude: { ...prelude, state }, header, region, chain }
    try {
      bodyOf(stored)
      return { state, isSound: state === prelude.state }
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
    }
  }
  return prelude.state === ERASED ? { state: ERASED, isSound: false } : null
}
