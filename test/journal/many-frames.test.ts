// Journals of more frames, and of more bytes, than one call or the memory of a machine should have to hold at once.
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UsageError } from '../../models/error.ts'
import { findEraseTargets } from '../../pipeline/books/erase.ts'
import { reopened } from '../../pipeline/books/repair.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { findFrames } from '../../pipeline/journal/find.ts'
import type { FrameMeta } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { encodeFrame, encodeSegmentHeader, GENESIS } from '../../pipeline/journal/layout.ts'
import { isWhole, type LostFrame, surveyJournal, type WholeFrame } from '../../pipeline/journal/survey.ts'
import { at, emptyBooks, note, writeJournal, writing } from '../support/journal.ts'

/** More than a function call takes arguments. */
const MANY = 130_000

/** A segment of so many frames without bodies, made at once. */
function segmentOf(number: number, firstSeq: number, count: number): Buffer {
  const pieces = [encodeSegmentHeader(number, firstSeq, GENESIS)]
  let previousChain = GENESIS
  for (let seq = firstSeq; seq < firstSeq + count; seq += 1) {
    const { bytes, chain } = encodeFrame({
      ...{ seq, meta: note('sync'), body: Buffer.alloc(0), salt: Buffer.alloc(16, 1) },
      ...{ previousChain, codec: 'raw' },
    })
    pieces.push(bytes)
    previousChain = chain
  }
  return Buffer.concat(pieces)
}

test('frames can be searched for by any number of frame numbers', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'])
  const found: number[] = []
  const asked = new Set(Array.from({ length: MANY }, (_, nth) => nth + 2))
  for await (const { seq } of findFrames(dir, asked)) found.push(seq)
  expect(found).toEqual([2, 3])
})

test('a number beyond many frames is refused by name', { timeout: 300_000 }, async () => {
  const dir = await emptyBooks()
  await mkdir(join(dir, 'journal'))
  await writeFile(join(dir, 'journal', '000001.journal'), segmentOf(1, 1, MANY))

  const erasing = findEraseTargets(dir, { frames: [MANY + 1] })
  const { details } = (await erasing.catch((cause: unknown) => cause)) as UsageError

  expect(details.expected).toBe(`numbers from 1 to ${MANY}: the page_id of their rows`)
})

test('a missing segment may have held many frames: each number is kept at its place', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'])
  await writeFile(join(dir, 'journal', '000003.journal'), segmentOf(3, MANY + 3, 1))

  const { segments, lastSeq } = await surveyJournal(nodeDisk, join(dir, 'journal'))

  expect(segments.map(({ frames }) => [frames.length, frames[0]?.seq])).toEqual([
    [2, 1],
    [MANY, 3],
    [1, MANY + 3],
  ])
  expect(lastSeq).toBe(MANY + 3)
})

test('a survey stores the place of each frame, and none of its bytes', async () => {
  const dir = await emptyBooks()
  const journal = await openJournal(dir, writing({ segmentBytes: 100_000 }))
  for (let nth = 0; nth < 6; nth += 1) await journal.append(note(String(nth)), randomBytes(60_000))
  await journal.close()

  const { segments, lastChain } = await surveyJournal(nodeDisk, join(dir, 'journal'))

  const chains = [
    ...segments.flatMap(({ frames }) => frames.filter(isWhole)).map(({ chain }) => chain),
    lastChain,
  ]
  expect(chains).toHaveLength(7)
  for (const chain of chains) expect(chain.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize)
})

test('many runs around many lost frames: the runs that may have written them are found without comparing each with each', () => {
  const [runs, lost] = [4_000, 40_000]
  const frames: (WholeFrame | LostFrame)[] = []
  const whole = (meta: FrameMeta): number =>
    frames.push({ seq: frames.length + 1, meta, offset: 0, end: 0, state: 0, chain: GENESIS })
  for (let nth = 0; nth < runs; nth += 1) {
    const run = `r${nth}`
    whole({ kind: 'run-start', at, run, command: 'sync', now: at })
    const window = { start: nth, end: nth }
    whole({
      ...{ kind: 'page', at, run, account: 'main', feed: 'tax.records', partition: 'SPOT' },
      ...{ request: { method: 'GET', path: '/' }, status: 200, window },
    })
  }
  for (let nth = 0; nth < lost; nth += 1) frames.push({ seq: frames.length + 1, meta: null })

  const found = reopened({
    ...{ segments: [{ number: 1, path: null, firstSeq: 1, continues: true, frames }], pieces: [] },
    ...{ lastSeq: frames.length, lastChain: GENESIS, firstDamaged: 1 },
  })

  expect(found.map(({ range }) => range)).toEqual([{ start: runs - 1, end: runs - 1 }])
})
