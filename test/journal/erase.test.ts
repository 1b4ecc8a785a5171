// Erasing a body: the bytes are gone, the chain still verifies, and reading says what is missing.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'
import { eraseFrames, readErased } from '../../pipeline/journal/erase.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { at, emptyBooks, readJournal, stillClock, writeJournal } from '../support/journal.ts'

const segment = (dir: string, number = 1): string => join(dir, 'journal', `00000${number}.journal`)

test('erase: body and salt are overwritten; the other frames and every hash stay', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['John Doe', 'kept', 'Jane Roe'], { segmentBytes: 500 })
  const before = await readJournal(dir)

  await eraseFrames(dir, [3, 1], stillClock)

  expect(await readJournal(dir)).toEqual(
    before.map((frame) => (frame.seq === 2 ? frame : { ...frame, body: null })),
  )
  expect(await verifyJournal(dir)).toEqual({
    frames: 3,
    bytes: 20,
    erased: [1, 3],
    setAside: [],
    problems: [],
    tear: null,
  })
  const bytes = Buffer.concat([await readFile(segment(dir, 1)), await readFile(segment(dir, 2))])
  // The salts of this journal are the bytes 1, 2 and 3, repeated; the texts still stand in the commands of meta.
  for (const gone of [Buffer.alloc(16, 1), Buffer.alloc(16, 3)]) expect(bytes.includes(gone)).toBe(false)
  expect(bytes.includes(Buffer.concat([Buffer.alloc(16, 2), Buffer.from('kept')]))).toBe(true)
  expect(await readFile(join(dir, 'journal', 'erased.jsonl'), 'utf8')).toBe(
    `{"seq":1,"at":"${at}"}\n{"seq":3,"at":"${at}"}\n`,
  )
})

test('erase: a frame that is not in the journal is refused before anything is changed', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'])
  const before = await readFile(segment(dir))

  const error = (await eraseFrames(dir, [1, 7], stillClock).catch((found: unknown) => found)) as UsageError

  expect(error).toBeInstanceOf(UsageError)
  expect(error.details.found).toBe('7')
  expect(await readFile(segment(dir))).toEqual(before)
})

test('erase: interrupted between its two writes, the frame is refused until it is erased again', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'secret', 'c'])

  // The writes: the file of what is under way, the list, the state; the body is the fourth.
  await expect(eraseFrames(dir, [2], stillClock, dyingAtWrite(4))).rejects.toThrow('died')

  expect(await readErased(dir)).toEqual([2])
  const error = (await readJournal(dir).catch((found: unknown) => found)) as CorruptionError
  expect(error).toBeInstanceOf(CorruptionError)
  expect(error.message).toBe('An erased frame of the journal still holds bytes.')
  expect(error.details.found).toContain('erase it again')
  await eraseFrames(dir, [2], stillClock)
  expect((await readJournal(dir)).map((frame) => frame.body)).toEqual(['a', null, 'c'])
})

test('erase: an empty body loses its salt', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, [''])

  await eraseFrames(dir, [1], stillClock)
  await eraseFrames(dir, [1], stillClock)

  expect(await verifyJournal(dir)).toEqual({
    frames: 1,
    bytes: 0,
    erased: [1],
    setAside: [],
    problems: [],
    tear: null,
  })
})

test('erase: the state byte alone neither erases nor restores anything', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, [''])
  const live = await readFile(segment(dir))
  await eraseFrames(dir, [1], stillClock)
  const erased = await readFile(segment(dir))

  for (const [bytes, state] of [
    [live, 'S'],
    [erased, 'L'],
  ] as const) {
    const changed = Buffer.from(bytes)
    changed.write(state, 60 + 4)
    await writeFile(segment(dir), changed)
    expect((await verifyJournal(dir)).problems).toHaveLength(1)
  }
})

/** A disk whose process dies at a write, counted over all files from 1. */
function dyingAtWrite(last: number): Disk {
  let writes = 0
  return {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      return {
        ...file,
        write: async (bytes, position) => {
          writes += 1
          if (writes >= last) throw new Error('died')
          await file.write(bytes, position)
        },
      }
    },
  }
}

test('erase: the list of a later erasure has those of the earlier ones', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'])
  await eraseFrames(dir, [3], stillClock)
  await eraseFrames(dir, [1], stillClock)

  expect(await readFile(join(dir, 'journal', 'erased.jsonl'), 'utf8')).toBe(
    `{"seq":3,"at":"${at}"}\n{"seq":1,"at":"${at}"}\n`,
  )
  expect(await readErased(dir)).toEqual([1, 3])
})

test('erase: the list written by earlier versions is read together with the present one', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'])
  await eraseFrames(dir, [1, 3], stillClock)
  await writeFile(join(dir, 'journal', 'struck.jsonl'), `{"seq":2,"at":"${at}"}\n{"seq":3,"at":"${at}"}\n`)

  expect(await readErased(dir)).toEqual([1, 2, 3])
})

test('verify: the list of erased frames is compared with the frames, in both directions', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'])
  const live = await readFile(join(dir, 'journal', '000001.journal'))
  await eraseFrames(dir, [1, 3], stillClock)
  const list = join(dir, 'journal', 'erased.jsonl')
  const lines = await readFile(list, 'utf8')
  const found = async () =>
    (await verifyJournal(dir)).problems.map(({ message, details }) => [message, details.found])
  expect(await found()).toEqual([])

  await writeFile(list, `${lines.split('\n')[0]}\n`)
  expect(await found()).toEqual([['Some erased frames are not in the list of erased frames.', '3']])

  await writeFile(list, `${lines}{"seq":9,"at":"2026-01-05T03:00:00.000Z"}\n`)
  expect(await found()).toEqual([
    ['The list of erased frames contains frames that the journal does not have.', '9'],
  ])

  await writeFile(list, lines)
  await writeFile(join(dir, 'journal', '000001.journal'), live)
  expect(await found()).toEqual([['The list of erased frames contains frames that are not erased.', '1, 3']])
})
