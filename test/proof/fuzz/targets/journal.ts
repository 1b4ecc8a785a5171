// A segment of the journal, damaged or forged. Damaged, what is still read is what was written; forged (every checksum
// and the chain made right again), it is refused by a typed error or read as frames.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { systemClock } from '../../../../models/clock.ts'
import { openJournal } from '../../../../pipeline/journal/journal.ts'
import {
  CHAIN_BYTES,
  encodeFrame,
  encodeSegmentHeader,
  GENESIS,
  nextChain,
  PRELUDE_BYTES,
  SALT_BYTES,
  SEGMENT_HEADER_BYTES,
} from '../../../../pipeline/journal/layout.ts'
import { verifyJournal } from '../../../../pipeline/journal/verify.ts'
import { BOUND_MS, must, newFolder, type OpenTarget, type Target } from '../target.ts'

/** A whole segment of four frames, the same in every run. */
export function sampleSegment(): Buffer {
  const bodies = [
    '',
    '{"code":"00000","msg":"success","data":[]}',
    'x'.repeat(500),
    '{"code":"40014","msg":"no"}',
  ]
  const parts = [encodeSegmentHeader(1, 1, GENESIS)]
  let chain = GENESIS
  for (const [index, body] of bodies.entries()) {
    const frame = encodeFrame({
      seq: index + 1,
      meta: { kind: 'run-start', at: '2026-01-05T03:00:00.000Z', run: `r${index}`, command: 'sync', now: '' },
      body: Buffer.from(body),
      salt: Buffer.alloc(SALT_BYTES, index + 1),
      previousChain: chain,
      codec: index === 2 ? 'brotli' : 'gzip',
    })
    parts.push(frame.bytes)
    chain = frame.chain
  }
  return Buffer.concat(parts)
}

/** Makes checksums and chain fit what stands there, as far as frames can be found. */
function forged(input: Buffer): Buffer {
  const bytes = Buffer.from(input)
  if (bytes.length < SEGMENT_HEADER_BYTES) return bytes
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 56)), 56)
  let chain: Buffer = bytes.subarray(24, 56)
  for (let at = SEGMENT_HEADER_BYTES; at + PRELUDE_BYTES <= bytes.length; ) {
    const headerBytes = bytes.readUInt32BE(at + 6)
    const region = at + PRELUDE_BYTES + headerBytes
    const chainAt = region + SALT_BYTES + bytes.readUInt32BE(at + 10)
    if (chainAt + CHAIN_BYTES > bytes.length) break
    bytes.write('TOFR', at)
    bytes.writeUInt32BE(crc32(bytes.subarray(region, chainAt)), at + 14)
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 5, at + 18), crc32(bytes.subarray(at, at + 4))), at + 18)
    chain = nextChain(chain, bytes.subarray(at + PRELUDE_BYTES, region))
    chain.copy(bytes, chainAt)
    at = chainAt + CHAIN_BYTES
  }
  return bytes
}

function journalTarget(name: string, prepare: (input: Buffer) => Buffer, isDamaged: boolean): Target {
  return {
    name,
    shape: {
      kind: 'bytes',
      tokens: ['TIEOUTJ\n', 'TOFR', 'L', 'S', '\0\0\0\0\0\0\0\0', '"seq":2', '{"seq":1}'],
    },
    boundMs: BOUND_MS,
    open: async (): Promise<OpenTarget> => {
      const dir = newFolder()
      mkdirSync(join(dir, 'journal'))
      const file = join(dir, 'journal', '000001.journal')
      const write = (bytes: Buffer): void => writeFileSync(file, bytes)
      write(sampleSegment())
      const written = (await readAll(dir)).map(contentOf)
      return {
        run: async (input) => {
          write(prepare(input))
          const verified = await verifyJournal(dir)
          const frames = await readAll(dir)
          if (isDamaged) {
            must(
              frames.every((frame, index) => contentOf(frame) === written[index] || frame.body === null),
              'what is read of a damaged journal is what was written',
            )
            must(verified.problems.length === 0, 'what is read verifies')
          }
          return `${frames.length} ${verified.tear === null ? '' : 'tear'} ${verified.erased.length}`
        },
        close: async () => rmSync(dir, { recursive: true, force: true }),
      }
    },
  }
}

interface ReadFrame {
  readonly seq: number
  readonly meta: unknown
  readonly body: Uint8Array | null
}

const contentOf = ({ seq, meta, body }: ReadFrame): string =>
  JSON.stringify([seq, meta, body === null ? null : Buffer.from(body).toString('base64')])

async function readAll(dir: string): Promise<ReadFrame[]> {
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  const frames: ReadFrame[] = []
  try {
    for await (const frame of journal.read()) frames.push(frame)
  } finally {
    await journal.close()
  }
  return frames
}

export const journalTargets: readonly Target[] = [
  journalTarget('journal', (input) => input, true),
  journalTarget('journal-forged', forged, false),
]
