// What is not as it was written is refused and named; only an end that a crash explains is mended.
import { copyFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import { encodeFrame, encodeSegmentHeader, GENESIS } from '../../pipeline/journal/layout.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { asRead, emptyBooks, note, readJournal, stillClock, writeJournal } from '../support/journal.ts'
import { failure, reopen, segment, tearEverywhere } from './tear.ts'

const bodies = ['first', 'a longer body '.repeat(4), '']
/** At a state byte this flip turns a live frame into an erased one and back. */
const LIVE_TO_ERASED = 0x4c ^ 0x53

/** Thousands of openings: seconds on an idle machine. */
const PATIENT = { timeout: 120_000 }

test('journal: every byte flipped anywhere is refused with file, frame and byte', PATIENT, async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, bodies)
  await eraseFrames(dir, [1], stillClock)
  const whole = await readFile(segment(dir))

  for (let position = 0; position < whole.length; position += 1) {
    const bytes = Buffer.from(whole)
    bytes.writeUInt8(bytes.readUInt8(position) ^ LIVE_TO_ERASED, position)
    await writeFile(segment(dir), bytes)

    const errors = [await failure(reopen(dir)), await failure(readJournal(dir))]
    const { problems } = await verifyJournal(dir)

    const place = position < 60 ? /1\.journal, segment header, byte 0$/ : /1\.journal, frame \d, byte \d+$/
    for (const error of [...errors, problems[0]]) {
      expect(error, `byte ${position}`).toBeInstanceOf(CorruptionError)
      expect((error as CorruptionError).details.where).toMatch(place)
    }
    expect(await readFile(segment(dir))).toEqual(bytes)
  }
  await writeFile(segment(dir), whole)
  expect((await readJournal(dir)).map((frame) => frame.body)).toEqual([null, ...bodies.slice(1)])
})

test('journal: a flipped byte is found at its frame', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['first', 'last'])
  const bytes = await readFile(segment(dir))
  const position = bytes.indexOf('last', bytes.length - 40)
  bytes.write('l0st', position)
  await writeFile(segment(dir), bytes)

  const error = (await failure(readJournal(dir))) as CorruptionError

  expect(error.describe()).toBe(
    [
      'The body of a frame of the journal has been changed.',
      `  where:    ${segment(dir)}, frame 2, byte ${position - 16}`,
      '  expected: its checksum',
      '  found:    a different checksum',
      '  next:     Restore the journal folder from a backup. Without one, run `tieout verify --repair`: it keeps every intact frame, and the next nightly run fetches again what the venue still has.',
    ].join('\n'),
  )
})

test(
  'journal: torn at any byte after what has landed, the end is moved aside and the rest continues',
  PATIENT,
  async () => {
    // Bare, with a few pages of zeros, or as long as it should be, in turn; the proof has each of them at each byte.
    await tearEverywhere((length, endings) => [endings[length % endings.length]!])
  },
)

test('journal: zeros after the last frame are moved aside, and a second time under another name', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const whole = await readFile(segment(dir))

  for (const name of ['torn-2026-01-05T030000.000Z.bin', 'torn-2026-01-05T030000.000Z-2.bin']) {
    await writeFile(segment(dir), Buffer.concat([whole, Buffer.alloc(3 * 2 ** 20)]))
    const { recovered } = await reopen(dir, { landedSeq: 1 })
    expect(recovered?.file).toBe(join(dir, 'journal', name))
    expect((await readFile(join(dir, 'journal', name))).length).toBe(3 * 2 ** 20)
    expect(await readFile(segment(dir))).toEqual(whole)
  }
})

test('journal: a segment whose header was left unfinished by a crash is moved aside', async () => {
  const begun = Buffer.concat([Buffer.from('TIEOUTJ'), Buffer.alloc(53)])
  for (const header of [Buffer.alloc(0), Buffer.from('TIEOUTJ'), begun, Buffer.alloc(4_096)]) {
    const dir = await emptyBooks()
    await writeJournal(dir, ['a', 'b'])
    await writeFile(segment(dir, 2), header)

    expect(await readJournal(dir)).toEqual(asRead(['a', 'b']))
    const { recovered } = await reopen(dir, { landedSeq: 2 })

    expect(recovered).toMatchObject({ segment: segment(dir, 2), offset: 0, bytes: header.length })
    expect(await readFile(recovered?.file ?? '')).toEqual(header)
    await writeJournal(dir, ['c'], { segmentBytes: 1 })
    expect((await readJournal(dir)).map((frame) => frame.body)).toEqual(['a', 'b', 'c'])
  }
})

test('journal: a changed header is refused, and not mistaken for one that a crash left unfinished', async () => {
  const alone = await emptyBooks()
  await mkdir(join(alone, 'journal'), { recursive: true })
  const header = encodeSegmentHeader(1, 1, GENESIS)
  header.writeUInt8(1, 20)
  await writeFile(segment(alone), header)
  // One that frames follow was finished, even if it now ends in zero.
  const followed = await emptyBooks()
  await writeJournal(followed, ['a'])
  const bytes = await readFile(segment(followed))
  expect([header.at(-1), bytes.at(59)]).not.toContain(0)
  bytes.writeUInt8(0, 59)
  await writeFile(segment(followed), bytes)

  for (const dir of [alone, followed])
    expect(await failure(reopen(dir))).toMatchObject({ message: 'The header of a segment has been changed.' })
})

test('journal: fewer bytes than the start of a frame has are a torn end; as many others are none', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const whole = await readFile(segment(dir))
  await writeFile(segment(dir), Buffer.concat([whole, Buffer.alloc(22, 'x')]))
  expect(await failure(reopen(dir))).toMatchObject({
    message: 'The journal holds something that is not a frame.',
  })
  await writeFile(segment(dir), Buffer.concat([whole, Buffer.alloc(21, 'x')]))
  expect((await reopen(dir)).recovered?.bytes).toBe(21)
})

test('journal: a hash that ends in zero is a torn end only behind the last frame', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const end = (await readFile(segment(dir))).length
  await writeJournal(dir, ['b'])
  const bytes = await readFile(segment(dir))
  expect(bytes.at(end - 1)).not.toBe(0)
  bytes.writeUInt8(0, end - 1)
  await writeFile(segment(dir), bytes)
  expect(await failure(reopen(dir))).toMatchObject({
    message: 'A frame of the journal does not continue the hash chain.',
  })
})

/** Three segments of one frame each. */
async function threeSegments(): Promise<string> {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'], { segmentBytes: 1 })
  return dir
}

test('journal: a deleted segment is named', async () => {
  for (const number of [1, 2]) {
    const dir = await threeSegments()
    await rm(segment(dir, number))

    const error = (await failure(reopen(dir))) as CorruptionError

    expect(error).toBeInstanceOf(CorruptionError)
    expect(error.message).toBe('A segment of the journal is missing.')
    expect(error.details.where).toBe(segment(dir, number))
    expect(await failure(readJournal(dir))).toEqual(error)
    expect((await verifyJournal(dir)).problems).toEqual([error])
  }
})

test('journal: swapped segments are named', async () => {
  const dir = await threeSegments()
  await rename(segment(dir, 1), segment(dir, 9))
  await rename(segment(dir, 2), segment(dir, 1))
  await rename(segment(dir, 9), segment(dir, 2))

  const error = (await failure(reopen(dir))) as CorruptionError

  expect(error).toBeInstanceOf(CorruptionError)
  expect(error.message).toBe('A segment has the file name of another segment.')
  expect(error.details).toMatchObject({ expected: 'segment 1', found: 'segment 2' })
  expect((await verifyJournal(dir)).problems.map((problem) => problem.details.found)).toEqual([
    'segment 2',
    'segment 1',
  ])
})

test('journal: a segment of another journal is named', async () => {
  const [dir, other] = [await threeSegments(), await emptyBooks()]
  await writeJournal(other, ['x', 'y', 'z'], { segmentBytes: 1 })
  await copyFile(segment(other, 2), segment(dir, 2))

  const error = (await failure(reopen(dir))) as CorruptionError

  expect(error).toBeInstanceOf(CorruptionError)
  expect(error.message).toBe('A segment of the journal does not continue the one before it.')
  expect(error.details.where).toBe(`${segment(dir, 2)}, segment header, byte 0`)
})

test('journal: a segment that leaves out frames is named, even if it continues the chain and has none itself', async () => {
  const dir = await threeSegments()
  const chain = (await readFile(segment(dir, 2))).subarray(-32)
  await writeFile(segment(dir, 3), encodeSegmentHeader(3, 3, chain))
  expect(await readJournal(dir)).toHaveLength(2)

  // Also if a crash cut off the only frame that was begun there, and if a further segment has none either.
  const number4 = encodeSegmentHeader(3, 4, chain)
  for (const [begun, further] of [
    [number4, null],
    [Buffer.concat([number4, Buffer.from('TOFR')]), null],
    [number4, encodeSegmentHeader(4, 4, chain)],
  ] as const) {
    await writeFile(segment(dir, 3), begun)
    if (further !== null) await writeFile(segment(dir, 4), further)
    const error = (await failure(reopen(dir))) as CorruptionError

    expect(error).toBeInstanceOf(CorruptionError)
    expect(error.message).toBe('A segment of the journal does not continue the one before it.')
    expect(error.details.where).toBe(`${segment(dir, 3)}, segment header, byte 0`)
    expect(await failure(readJournal(dir))).toEqual(error)
    expect((await verifyJournal(dir)).problems).toEqual([error])
    expect(await readFile(segment(dir, 3))).toEqual(begun)
  }
})

test('journal: a segment of a newer format, and a body stored in a newer way, ask for a newer version', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['first'])
  const whole = await readFile(segment(dir))
  await writeFile(segment(dir), Buffer.concat([encodeSegmentHeader(1, 1, GENESIS, 2), whole.subarray(60)]))

  for (const error of [await failure(reopen(dir)), await failure(readJournal(dir))])
    expect(error).toMatchObject({
      message: 'The journal was written by a newer version of tieout.',
      exitCode: 2,
      details: { expected: 'format 1', found: 'format 2' },
    })

  const stored = Buffer.from(whole)
  const prelude = stored.subarray(60, 82)
  prelude.writeUInt8(3, 5)
  prelude.writeUInt32BE(crc32(prelude.subarray(5, 18), crc32(prelude.subarray(0, 4))), 18)
  await writeFile(segment(dir), stored)
  expect(await failure(readJournal(dir))).toMatchObject({
    message: 'The journal was written by a newer version of tieout.',
    details: { expected: 'a body stored as raw, gzip, brotli', found: 'codec 3' },
  })
})

test('journal: another body with matching checksums is refused by the hash of the one that was written', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['first'])
  const bytes = await readFile(segment(dir))
  const [prelude, body] = [bytes.subarray(60, 82), bytes.subarray(-37, -32)]
  expect(body.toString()).toBe('first')
  body.write('worst')
  prelude.writeUInt32BE(crc32(bytes.subarray(-53, -32)), 14)
  prelude.writeUInt32BE(crc32(prelude.subarray(5, 18), crc32(prelude.subarray(0, 4))), 18)
  await writeFile(segment(dir), bytes)

  expect(await failure(readJournal(dir))).toMatchObject({
    message: 'The body of a frame of the journal is not the one that was hashed.',
  })
})

test('journal: a frame that is neither live nor erased is refused', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['first'])
  const bytes = await readFile(segment(dir))
  bytes.writeUInt8(0x4d, 64)
  await writeFile(segment(dir), bytes)

  for (const error of [await failure(reopen(dir)), await failure(readJournal(dir))])
    expect(error).toMatchObject({
      message: 'A frame of the journal is neither live nor erased.',
      details: { found: 'byte 77' },
    })
})

test('journal: a segment cut off in the middle of the journal is named, at a frame and inside one', async () => {
  for (const [cut, message] of [
    [60, 'A segment of the journal does not continue the one before it.'],
    [100, 'A segment in the middle of the journal ends inside a frame.'],
    [10, 'A segment of the journal has lost its header.'],
  ] as const) {
    const dir = await threeSegments()
    await truncate(segment(dir, 2), cut)

    expect(await failure(reopen(dir))).toBeInstanceOf(CorruptionError)
    expect(await failure(readJournal(dir))).toBeInstanceOf(CorruptionError)
    expect((await verifyJournal(dir)).problems.map((problem) => problem.message)).toContain(message)
  }
})

test('journal: intact frames lost at the end are noticed by comparison with what has landed', async () => {
  const dir = await threeSegments()
  await rm(segment(dir, 3))

  const error = (await failure(reopen(dir, { landedSeq: 3 }))) as CorruptionError

  expect(error.message).toBe('The journal ends before what has landed.')
  expect(error.details).toMatchObject({ expected: 'frames 1 to 3', found: '2 whole frames' })
  expect((await reopen(dir, { landedSeq: 2 })).lastSeq).toBe(2)
})

test('journal: it must have the chain hash that landing holds, at the end and before it', async () => {
  const dir = await emptyBooks()
  const frames = await writeJournal(dir, ['a', 'b', 'c', 'd', 'e'], { segmentBytes: 500 })

  for (const { seq, chain } of frames) expect((await reopen(dir, { expect: { seq, chain } })).lastSeq).toBe(5)
  for (const { seq } of frames) {
    const error = await failure(reopen(dir, { expect: { seq, chain: 'ab'.repeat(32) } }))
    expect(error).toBeInstanceOf(CorruptionError)
    expect((error as CorruptionError).message).toBe('The journal is not the one that has landed.')
  }
  expect(await failure(reopen(dir, { expect: { seq: 6, chain: 'ab'.repeat(32) } }))).toBeInstanceOf(
    CorruptionError,
  )
})

test('verify: every damaged frame is named, not only the first', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['body one', 'body two', 'body three', 'body four'])
  const bytes = await readFile(segment(dir))
  for (const body of ['body one', 'body three']) bytes.write('x', bytes.lastIndexOf(body))
  await writeFile(segment(dir), bytes)

  const { frames, problems } = await verifyJournal(dir)

  expect(frames).toBe(4)
  expect(problems.map((problem) => problem.details.where?.match(/frame \d/)?.[0])).toEqual([
    'frame 1',
    'frame 3',
  ])
})

test('verify: a folder without a journal has nothing wrong', async () => {
  const dir = await emptyBooks()

  expect(await verifyJournal(dir)).toEqual({
    frames: 0,
    bytes: 0,
    erased: [],
    setAside: [],
    problems: [],
    tear: null,
  })
})

test('journal: a frame that continues the chain under another number is refused', async () => {
  const dir = await emptyBooks()
  const frame = {
    meta: note('second'),
    body: Buffer.from('body'),
    salt: Buffer.alloc(16, 1),
    codec: 'raw',
  } as const
  const { bytes } = encodeFrame({ ...frame, seq: 2, previousChain: GENESIS })
  await mkdir(join(dir, 'journal'), { recursive: true })
  await writeFile(segment(dir), Buffer.concat([encodeSegmentHeader(1, 1, GENESIS), bytes]))
  expect(await failure(reopen(dir))).toMatchObject({
    message: 'A frame of the journal has the wrong number for its position.',
    details: { where: `${segment(dir)}, frame 1, byte 82`, expected: 'frame 1' },
  })
})

test('journal: a body that cannot be unpacked is refused, though its checksums are right', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['x'.repeat(1_000)])
  const bytes = await readFile(segment(dir))
  const frame = bytes.subarray(60)
  const regionAt = 22 + frame.readUInt32BE(6)
  const region = frame.subarray(regionAt, regionAt + 16 + frame.readUInt32BE(10))
  region.fill(0xff, 16)
  frame.writeUInt32BE(crc32(region), 14)
  frame.writeUInt32BE(crc32(frame.subarray(5, 18), crc32(frame.subarray(0, 4))), 18)
  await writeFile(segment(dir), bytes)
  expect(await failure(readJournal(dir))).toMatchObject({
    name: 'CorruptionError',
    message: 'The body of a frame of the journal is not the one that was hashed.',
  })
})
