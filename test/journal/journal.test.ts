// The journal as its users see it: what was appended is read again, byte for byte and in order.

import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import { findFrames } from '../../pipeline/journal/find.ts'
import type { Frame, FrameMeta } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import {
  asRead,
  at,
  emptyBooks,
  note,
  reading,
  readJournal,
  stillClock,
  writeJournal,
  writing,
} from '../support/journal.ts'

test('journal: a missing folder is created for its owner alone, and reading it creates nothing', async () => {
  const dir = await emptyBooks()
  expect(await readJournal(dir)).toEqual([])
  expect(await readdir(dir)).toEqual([])

  await writeJournal(dir, ['a'])

  expect((await stat(join(dir, 'journal'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(dir, 'journal', '000001.journal'))).mode & 0o777).toBe(0o600)
})

test('journal: an empty body can be read again, even if its buffer was accessed before', async () => {
  const dir = await emptyBooks()
  const body = Buffer.concat([])
  expect(body.buffer.byteLength).toBe(0)

  const journal = await openJournal(dir, writing())
  await journal.append(note('empty'), body)
  await journal.close()

  expect(await readJournal(dir)).toEqual([{ seq: 1, command: 'empty', body: '' }])
})

test('journal: frames are numbered from 1 and read back as they were appended', async () => {
  const dir = await emptyBooks()
  const meta: FrameMeta = {
    kind: 'page',
    at,
    run: 'r1',
    account: 'main',
    feed: 'tax.records',
    partition: 'SPOT',
    request: { method: 'GET', path: '/api/v3/tax/records?limit=500' },
    status: 200,
    window: { start: 1, end: 2 },
    next: null,
  }
  const body = Buffer.from([...Array(700).keys()].map((value) => value % 256))

  const journal = await openJournal(dir, writing())
  const first = await journal.append(meta, body)
  const second = await journal.append(note('no body — “ü” \u2028 \ud800'))
  await journal.close()

  expect([first.seq, second.seq, journal.lastSeq, journal.lastChain]).toEqual([1, 2, 2, second.chain])
  const again = await openJournal(dir, reading())
  const frames: Frame[] = []
  for await (const frame of again.read()) frames.push(frame)
  expect(frames).toEqual([first, { ...second, body: Buffer.alloc(0) }])
  expect(Object.keys(frames[0]?.meta ?? {})).toEqual(Object.keys(meta))
  expect([again.lastSeq, again.lastChain]).toEqual([2, second.chain])
})

test('journal: the chain hash is the SHA-256 of the previous hash and the header, which contains the salted hash of the body', async () => {
  const dir = await emptyBooks()
  const salt = Buffer.alloc(16, 7)
  const sha256 = (...parts: (Buffer | string)[]): Buffer => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest()
  }

  const journal = await openJournal(dir, writing({ random: () => salt }))
  const frame = await journal.append(note('x'), Buffer.from('body'))
  await journal.close()

  const header = JSON.stringify({
    seq: 1,
    meta: note('x'),
    bytes: 4,
    sha256: sha256(salt, 'body').toString('hex'),
  })
  expect(frame.chain).toBe(sha256(Buffer.alloc(32), header).toString('hex'))
})

test.each(['raw', 'gzip', 'brotli'] as const)(
  'journal: bodies stored as %s can be read back',
  async (codec) => {
    const dir = await emptyBooks()
    const bodies = ['', 'x', 'a'.repeat(127), 'b'.repeat(128), 'abc'.repeat(100_000)]

    await writeJournal(dir, bodies, { codec })

    expect(await readJournal(dir)).toEqual(asRead(bodies))
    const { size } = await stat(join(dir, 'journal', '000001.journal'))
    expect(size > 300_000).toBe(codec === 'raw')
  },
)

test('journal: a body larger than one read can be read back', async () => {
  const dir = await emptyBooks()
  const body = Buffer.alloc(3 * 2 ** 20, 'large body ')

  await writeJournal(dir, ['before', body.toString(), 'after'], { codec: 'raw' })

  expect((await readJournal(dir)).map((frame) => frame.body?.length)).toEqual([6, body.length, 5])
})

test('journal: concurrent appends are in the order of the calls and share syncs', async () => {
  const dir = await emptyBooks()
  const bodies = [...Array(500).keys()].map((count) => `page ${count} `.repeat(1 + (count % 50)))

  const journal = await openJournal(dir, writing())
  const frames = await Promise.all(bodies.map((body) => journal.append(note(body), Buffer.from(body))))
  await journal.close()

  expect(frames.map((frame) => frame.seq)).toEqual(bodies.map((_, index) => index + 1))
  expect(await readJournal(dir)).toEqual(asRead(bodies))
})

test('journal: a full segment is followed by a new one that continues the chain', async () => {
  const dir = await emptyBooks()
  const bodies = ['a', 'b', 'c', 'd', 'e']

  const frames = await writeJournal(dir, bodies, { segmentBytes: 500 })

  expect(await readdir(join(dir, 'journal'))).toEqual(['000001.journal', '000002.journal', '000003.journal'])
  expect(await readJournal(dir)).toEqual(asRead(bodies))
  const more = await openJournal(dir, writing({ segmentBytes: 500 }))
  expect([more.lastSeq, more.lastChain, more.recovered]).toEqual([5, frames[4]?.chain, null])
  await more.append(note('f'), Buffer.from('f'))
  const tail = []
  for await (const frame of more.read(4)) tail.push(frame.seq)
  expect(tail).toEqual([4, 5, 6])
  await more.close()
  expect(await verifyJournal(dir)).toEqual({
    frames: 6,
    bytes: 6,
    erased: [],
    setAside: [],
    problems: [],
    tear: null,
  })
})

test('journal: frames are found at their places, even if they are larger than one read, and whole segments are skipped', async () => {
  const dir = await emptyBooks()
  // Bodies that cannot be compressed, of which three fill a segment that is read in several pieces.
  const bodies = Array.from({ length: 12 }, (_, nth) => {
    const noise = Buffer.alloc(nth === 4 ? 2_500_000 : 700_000)
    let state = nth + 1
    for (let at = 0; at < noise.length; at += 4) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      noise.writeUInt32LE(state, at)
    }
    return noise
  })
  const journal = await openJournal(dir, writing({ segmentBytes: 2_000_000 }))
  const written = []
  for (const [nth, body] of bodies.entries()) written.push(await journal.append(note(`${nth + 1}`), body))
  await journal.close()
  const segments = await readdir(join(dir, 'journal'))
  expect(segments.length).toBeGreaterThanOrEqual(4)
  // What lies in a segment that is not asked for is not looked at.
  const passed = join(dir, 'journal', segments[1] as string)
  const bytes = await readFile(passed)
  bytes.writeUInt8(bytes.readUInt8(5_000) ^ 0xff, 5_000)
  await writeFile(passed, bytes)

  const asked = new Set([12, 1, 2, 9, 10, 11, 99])
  const found = []
  for await (const frame of findFrames(dir, asked)) found.push(frame)

  expect(found.map(({ seq }) => seq)).toEqual([1, 2, 9, 10, 11, 12])
  for (const { seq, chain, body } of found) {
    expect(chain).toBe(written[seq - 1]?.chain)
    expect(Buffer.from(body ?? []).equals(bodies[seq - 1] as Buffer)).toBe(true)
  }
  const damaged = async (): Promise<void> => {
    for await (const _ of findFrames(dir, new Set([4])));
  }
  await expect(damaged()).rejects.toThrow(CorruptionError)
})

test('journal: reading from the end returns nothing', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'])

  const journal = await openJournal(dir, reading())
  const found = []
  for await (const frame of journal.read(3)) found.push(frame)

  expect(found).toEqual([])
})

test('journal: a reader sees the complete frames of the time when it opened while a writer continues', async () => {
  const dir = await emptyBooks()
  const writer = await openJournal(dir, writing())
  await writer.append(note('a'), Buffer.from('a'))

  const reader = await openJournal(dir, reading())
  await writer.append(note('b'), Buffer.from('b'))
  const seen = []
  for await (const frame of reader.read()) seen.push(frame.seq)

  expect(seen).toEqual([1])
  expect((await readJournal(dir)).map((frame) => frame.seq)).toEqual([1, 2])
  await writer.close()
})

test('journal: a description that JSON would change is refused before it gets a number', async () => {
  const dir = await emptyBooks()
  const journal = await openJournal(dir, writing())
  const broken = { ...note('a'), run: undefined } as unknown as FrameMeta

  await expect(journal.append(broken)).rejects.toThrow('would not survive as JSON')
  const frame = await journal.append(note('a'))

  expect(frame.seq).toBe(1)
  await journal.close()
})

test('journal: appending to a journal that is read-only or closed is refused', async () => {
  const dir = await emptyBooks()
  const [reader, writer] = [await openJournal(dir, reading()), await openJournal(dir, writing())]
  await writer.close()

  await expect(reader.append(note('a'))).rejects.toThrow('not open for writing')
  await expect(writer.append(note('a'))).rejects.toThrow('not open for writing')
})

test('journal: close waits for pending appends', async () => {
  const dir = await emptyBooks()
  const journal = await openJournal(dir, { mode: 'append', clock: stillClock })

  await journal.append(note('a'), Buffer.from('a'))
  const append = journal.append(note('b'), Buffer.from('b'))
  await journal.close()

  expect((await append).seq).toBe(2)
  expect(await readJournal(dir)).toEqual(asRead(['a', 'b']))
})
