// Reads one segment file from its first frame to its last. Anything that is not as it was written is refused and named.
// Only an end that a crash explains (cut inside a frame, or filled with zeros) is a tear, for the caller to judge.
import { crc32 } from 'node:zlib'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { CODECS, decompress } from './codec.ts'
import type { Disk, DiskFile } from './disk.ts'
import type { Frame } from './frame.ts'
import {
  CHAIN_BYTES,
  decodePrelude,
  ERASED,
  type FrameHeader,
  LIVE,
  nextChain,
  PRELUDE_BYTES,
  type Prelude,
  SALT_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  saltedHash,
} from './layout.ts'

export interface Segment extends SegmentHeader {
  readonly path: string
}

/** A frame whose position in the chain is proven; its body is not checked before `bodyOf`. */
export interface StoredFrame {
  readonly path: string
  readonly offset: number
  /** Offset of the salt and the stored body. */
  readonly regionOffset: number
  readonly prelude: Prelude
  readonly header: FrameHeader
  /** Salt and stored body. */
  readonly region: Buffer
  readonly chain: Buffer
}

/** An unfinished end: from the offset to the end of the file. */
export interface Tear {
  readonly path: string
  readonly offset: number
  readonly bytes: number
}

/** Read in one go; a longer frame is read in one piece of its own. */
const CHUNK_BYTES = 1 << 20

/**
 * In one reused buffer. Frequent readers read little at a time, since each buffer stays in memory until it is
 * collected.
 */
const ROOM_BYTES = 1 << 18

/** Shorter runs of zeros at the end may be chance: a hash can end with a few. */
const ZEROS_MIN = 8

export function damaged(message: string, where: string, expected: string, found: string): CorruptionError {
  return new CorruptionError(message, {
    where,
    expected,
    found,
    action:
      'Restore the journal folder from a backup. Without one, run `tieout verify --repair`: it keeps every intact frame, and the ' +
      'next nightly run fetches again what the venue still has.',
  })
}

const place = (path: string, seq: number, offset: number): string => `${path}, frame ${seq}, byte ${offset}`

/** Null for anything that is not a header, which only another writer can have put into the chain. */
export function parsedHeader(bytes: Buffer): FrameHeader | null {
  try {
    const header = JSON.parse(bytes.toString()) as Partial<FrameHeader> | null
    const isWhole =
      typeof header?.meta === 'object' && header.meta !== null && Number.isSafeInteger(header.bytes)
    return isWhole && typeof header.sha256 === 'string' ? (header as FrameHeader) : null
  } catch {
    return null
  }
}

export class SegmentReader {
  /** Number and chain hash of the last frame that was passed, and the offset of the next one. */
  seq: number
  chain: Buffer
  /** The hash that a refused frame should have had: the next one may continue that, if the stored one is damaged. */
  private expected: Buffer | null = null
  offset = SEGMENT_HEADER_BYTES
  tear: Tear | null = null
  /** True once the next frame can no longer be found. */
  lost = false
  private readonly path: string
  private readonly file: DiskFile
  private readonly size: number
  private chunk: Buffer = Buffer.alloc(0)
  private chunkOffset = 0
  /** The buffer into which each chunk is read, overwriting the one before; without it, each has a buffer of its own. */
  private readonly room: Buffer | undefined

  private constructor(segment: Segment, file: DiskFile, size: number, inOneRoom: boolean) {
    this.room = inOneRoom ? Buffer.allocUnsafe(ROOM_BYTES) : undefined
    this.path = segment.path
    this.seq = segment.firstSeq - 1
    this.chain = segment.chain
    this.file = file
    this.size = size
  }

  /**
   * With a reused buffer, a frame is valid until the next one is requested; memory use does not grow with the segment.
   */
  static async open(disk: Disk, segment: Segment, inOneRoom = false): Promise<SegmentReader> {
    const file = await disk.open(segment.path, 'read')
    try {
      return new SegmentReader(segment, file, await file.size(), inOneRoom)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /**
   * Whether the next segment may continue this hash: the last stored one, or the one that a refused frame should have.
   */
  leadsTo(chain: Buffer): boolean {
    return this.chain.equals(chain) || this.expected?.equals(chain) === true
  }

  /**
   * The next frame, or null at the end or at a tear. Throws a CorruptionError that names file, frame and byte; unless
   * `lost`, the reader is then positioned after the refused frame and can continue.
   */
  async next(): Promise<StoredFrame | null> {
    const { offset, path } = this
    const seq = this.seq + 1
    if (this.tear !== null || this.lost || offset >= this.size) return null
    const prelude = decodePrelude(await this.bytes(offset, PRELUDE_BYTES))
    if (prelude === null) {
      const cut = this.size - offset < PRELUDE_BYTES
      if (cut || (await this.isZeroFilledBefore(offset + PRELUDE_BYTES))) return this.tearAt(offset)
      this.lost = true
      throw damaged(
        'The journal holds something that is not a frame.',
        place(path, seq, offset),
        'the start of a frame with a matching checksum',
        'other bytes',
      )
    }
    const regionOffset = offset + PRELUDE_BYTES + prelude.headerBytes
    const chainOffset = regionOffset + SALT_BYTES + prelude.storedBytes
    const end = chainOffset + CHAIN_BYTES
    if (end > this.size) return this.tearAt(offset)
    const bytes = await this.bytes(offset, end - offset)
    const header = bytes.subarray(PRELUDE_BYTES, regionOffset - offset)
    const chain = Buffer.from(bytes.subarray(chainOffset - offset))
    const expected = nextChain(this.chain, header)
    const matches =
      expected.equals(chain) || (this.expected !== null && nextChain(this.expected, header).equals(chain))
    const isUnfinished = end === this.size && endsInZeros(chain, expected)
    if (!matches && (isUnfinished || (await this.isZeroFilledBefore(end)))) return this.tearAt(offset)
    this.offset = end
    this.seq = seq
    this.chain = chain
    this.expected = matches ? null : expected
    if (!matches) throw this.brokenChain(seq, offset + PRELUDE_BYTES)
    const region = bytes.subarray(regionOffset - offset, chainOffset - offset)
    return { path, offset, regionOffset, prelude, header: this.parse(header, seq, offset), region, chain }
  }

  private brokenChain(seq: number, offset: number): CorruptionError {
    return damaged(
      'A frame of the journal does not continue the hash chain.',
      place(this.path, seq, offset),
      'the chain hash of this header after the frame before it',
      'a different hash: the header, the hash or the order of frames was changed',
    )
  }

  private parse(bytes: Buffer, seq: number, offset: number): FrameHeader {
    const header = parsedHeader(bytes)
    if (header?.seq === seq) return header
    throw damaged(
      'A frame of the journal has the wrong number for its position.',
      place(this.path, seq, offset + PRELUDE_BYTES),
      `frame ${seq}`,
      bytes.subarray(0, 40).toString(),
    )
  }

  private tearAt(offset: number): null {
    this.tear = { path: this.path, offset, bytes: this.size - offset }
    return null
  }

  /** Bytes of the file, fewer only at its end; bytes in the current chunk are not read again. */
  private async bytes(offset: number, length: number): Promise<Buffer> {
    if (offset < this.chunkOffset || offset + length > this.chunkOffset + this.chunk.length) {
      const atOnce = this.room?.length ?? CHUNK_BYTES
      const wanted = Math.min(Math.max(length, atOnce), this.size - offset)
      this.chunk = await this.file.read(offset, wanted, wanted <= atOnce ? this.room : undefined)
      this.chunkOffset = offset
    }
    const start = offset - this.chunkOffset
    return this.chunk.subarray(start, start + length)
  }

  /** Whether the file ends in zeros that begin before the offset, as a crash leaves blocks that were never written. */
  private async isZeroFilledBefore(offset: number): Promise<boolean> {
    let end = this.size
    while (end > offset) {
      const start = Math.max(offset, end - CHUNK_BYTES)
      const bytes = await this.file.read(start, end - start)
      if (bytes.some((byte) => byte !== 0)) return false
      end = start
    }
    const least = Math.max(1, ZEROS_MIN - (this.size - offset))
    const bytes = await this.file.read(Math.max(0, offset - least), Math.min(least, offset))
    return bytes.every((byte) => byte === 0)
  }
}

/** Whether a hash is the expected one up to the zeros at its end, however few: it was being written. */
function endsInZeros(found: Buffer, expected: Buffer): boolean {
  const cut = found.findIndex((byte, at) => byte !== expected[at])
  return cut >= 0 && found.subarray(cut).every((byte) => byte === 0)
}

/** A frame as the users of the journal see it; throws the errors of `bodyOf`. */
export const asRead = (frame: StoredFrame): Frame => ({
  seq: frame.header.seq,
  meta: frame.header.meta,
  body: bodyOf(frame),
  chain: frame.chain.toString('hex'),
})

/**
 * The body of a frame as received, or null if it has been erased. Throws a CorruptionError for a body that is not the
 * one that was written, and for an erased frame that still holds anything.
 */
export function bodyOf(frame: StoredFrame): Buffer | null {
  const { prelude, header, region, path } = frame
  const refuse = (message: string, expected: string, found: string): CorruptionError =>
    damaged(message, place(path, header.seq, frame.regionOffset), expected, found)
  if (prelude.state === ERASED) {
    if (region.equals(Buffer.alloc(region.length))) return null
    throw refuse(
      'An erased frame of the journal still holds bytes.',
      'zeros only',
      'other bytes: if erasing it was interrupted, erase it again; if it was never erased, the file is damaged',
    )
  }
  if (prelude.state !== LIVE)
    throw refuse(
      'A frame of the journal is neither live nor erased.',
      'state L or S',
      `byte ${prelude.state}`,
    )
  if (crc32(region) !== prelude.regionCrc)
    throw refuse(
      'The body of a frame of the journal has been changed.',
      'its checksum',
      'a different checksum',
    )
  const codec = CODECS[prelude.codec]
  if (codec === undefined)
    throw new UsageError('The journal was written by a newer version of tieout.', {
      where: place(path, header.seq, frame.offset),
      expected: `a body stored as ${CODECS.join(', ')}`,
      found: `codec ${prelude.codec}`,
      action: 'Install the version that wrote it, or a later one.',
    })
  const body = inflate(() => decompress(codec, region.subarray(SALT_BYTES), header.bytes))
  if (body?.length !== header.bytes || saltedHash(region.subarray(0, SALT_BYTES), body) !== header.sha256)
    throw refuse('The body of a frame of the journal is not the one that was hashed.', 'its hash', 'another')
  return body
}

/** Data that zlib refuses is a damaged body; the caller names it. */
function inflate(work: () => Buffer): Buffer | null {
  try {
    return work()
  } catch {
    return null
  }
}
