// The journal's format on disk, byte for byte. Pure functions; no file is accessed here. Integers are big-endian.
// segment: magic 8 | version u32 | number u32 | first seq u64 | chain it continues 32 | CRC-32 of all before
// frame:   prelude 22 | header JSON | salt 16 | stored body | chain 32
// prelude: magic 4 | state 1 | codec 1 | header length u32 | stored length u32 | CRC-32 of salt and stored body
//          | CRC-32 of the prelude itself, without the state
// chain = SHA-256(previous chain, header JSON). Salt and stored body are zeros once the frame is erased, and the
// state is the only other byte that changes: salt and zeros show whether it is right.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Codec, compress } from './codec.ts'
import type { FrameMeta } from './frame.ts'

export const FORMAT_VERSION = 1
export const SEGMENT_HEADER_BYTES = 60
export const PRELUDE_BYTES = 22
export const SALT_BYTES = 16
export const CHAIN_BYTES = 32

/** Offset of the state byte in a frame. */
export const STATE_OFFSET = 4
export const LIVE = 0x4c
export const ERASED = 0x53

/** What the first frame continues. */
export const GENESIS: Buffer = Buffer.alloc(CHAIN_BYTES)

const SEGMENT_MAGIC = Buffer.from('TIEOUTJ\n')
export const FRAME_MAGIC = Buffer.from('TOFR')

export interface SegmentHeader {
  readonly version: number
  readonly number: number
  readonly firstSeq: number
  /** Chain hash of the last frame before this segment. */
  readonly chain: Buffer
}

export function encodeSegmentHeader(
  number: number,
  firstSeq: number,
  chain: Buffer,
  version = FORMAT_VERSION,
): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES)
  SEGMENT_MAGIC.copy(bytes)
  bytes.writeUInt32BE(version, 8)
  bytes.writeUInt32BE(number, 12)
  bytes.writeBigUInt64BE(BigInt(firstSeq), 16)
  chain.copy(bytes, 24)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 56)), 56)
  return bytes
}

/** Null if the bytes are not a header, or not the one that was written. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | null {
  if (bytes.length < SEGMENT_HEADER_BYTES || !bytes.subarray(0, 8).equals(SEGMENT_MAGIC)) return null
  if (crc32(bytes.subarray(0, 56)) !== bytes.readUInt32BE(56)) return null
  return {
    version: bytes.readUInt32BE(8),
    number: bytes.readUInt32BE(12),
    firstSeq: Number(bytes.readBigUInt64BE(16)),
    chain: Buffer.from(bytes.subarray(24, 56)),
  }
}

export interface Prelude {
  readonly state: number
  readonly codec: number
  readonly headerBytes: number
  /** Length of the stored body, without its salt. */
  readonly storedBytes: number
  readonly regionCrc: number
}

/** The prelude's own checksum; it leaves out the state byte, because erasing changes that in place. */
function preludeCrc(bytes: Buffer): number {
  return crc32(bytes.subarray(STATE_OFFSET + 1, 18), crc32(bytes.subarray(0, STATE_OFFSET)))
}

/** Null if the bytes are not a prelude, or not the one that was written. */
export function decodePrelude(bytes: Buffer): Prelude | null {
  if (bytes.length < PRELUDE_BYTES || !bytes.subarray(0, 4).equals(FRAME_MAGIC)) return null
  if (preludeCrc(bytes) !== bytes.readUInt32BE(18)) return null
  return {
    state: bytes.readUInt8(STATE_OFFSET),
    codec: bytes.readUInt8(5),
    headerBytes: bytes.readUInt32BE(6),
    storedBytes: bytes.readUInt32BE(10),
    regionCrc: bytes.readUInt32BE(14),
  }
}

/** What the chain covers: these four, in this order, as JSON. */
export interface FrameHeader {
  readonly seq: number
  readonly meta: FrameMeta
  /** Length of the body as received. */
  readonly bytes: number
  /** Hex of SHA-256(salt, body as received). */
  readonly sha256: string
}

export function nextChain(previous: Buffer, header: Buffer): Buffer {
  return createHash('sha256').update(previous).update(header).digest()
}

export function saltedHash(salt: Buffer, body: Uint8Array): string {
  return createHash('sha256').update(salt).update(body).digest('hex')
}

export interface NewFrame {
  readonly seq: number
  readonly meta: FrameMeta
  readonly body: Uint8Array
  readonly salt: Buffer
  readonly previousChain: Buffer
  readonly codec: Codec
}

/** Node returns 0 for some empty arrays whatever the previous value (those whose `buffer` was accessed). */
function regionChecksum(salt: Buffer, stored: Uint8Array): number {
  return stored.length === 0 ? crc32(salt) : crc32(stored, crc32(salt))
}

/** A whole frame, unchanged, with the chain hash that it has in a repaired journal; an erased frame holds zeros. */
export function rechained(
  frame: Buffer,
  state: number,
  previousChain: Buffer,
): { bytes: Buffer; chain: Buffer } {
  const bytes = Buffer.from(frame)
  const headerBytes = bytes.readUInt32BE(6)
  const chain = nextChain(previousChain, bytes.subarray(PRELUDE_BYTES, PRELUDE_BYTES + headerBytes))
  bytes.writeUInt8(state, STATE_OFFSET)
  if (state === ERASED) bytes.fill(0, PRELUDE_BYTES + headerBytes, bytes.length - CHAIN_BYTES)
  chain.copy(bytes, bytes.length - CHAIN_BYTES)
  return { bytes, chain }
}

/** The frame as it is appended, and the chain hash that it ends with. */
export function encodeFrame(frame: NewFrame): { bytes: Buffer; chain: Buffer } {
  const { seq, meta, body, salt } = frame
  const fields: FrameHeader = { seq, meta, bytes: body.length, sha256: saltedHash(salt, body) }
  const header = Buffer.from(JSON.stringify(fields))
  const chain = nextChain(frame.previousChain, header)
  const { codec, stored } = compress(frame.codec, body)
  const prelude = Buffer.alloc(PRELUDE_BYTES)
  FRAME_MAGIC.copy(prelude)
  prelude.writeUInt8(LIVE, STATE_OFFSET)
  prelude.writeUInt8(codec, 5)
  prelude.writeUInt32BE(header.length, 6)
  prelude.writeUInt32BE(stored.length, 10)
  prelude.writeUInt32BE(regionChecksum(salt, stored), 14)
  prelude.writeUInt32BE(preludeCrc(prelude), 18)
  return { bytes: Buffer.concat([prelude, header, salt, stored, chain]), chain }
}
