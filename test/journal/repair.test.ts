// A damaged journal is mended: whatever is whole keeps its number and its bytes, whatever is not stands beside, the chain
// verifies again, and a repair that dies or finds no room can be made once more.
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import { type Disk, DiskError, nodeDisk } from '../../pipeline/journal/disk.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import type { Frame } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES } from '../../pipeline/journal/layout.ts'
import { finishRepair, repairJournal } from '../../pipeline/journal/repair.ts'
import { surveyJournal } from '../../pipeline/journal/survey.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { emptyBooks, reading, stillClock, writeJournal } from '../support/journal.ts'

const BODIES = Array.from({ length: 12 }, (_, at) => `body ${at + 1} `.repeat(1 + 5 * (at % 4)))
const WORDS = { run: 'r9', reopens: [], statements: [] }

const segment = (dir: string, number: number): string => join(dir, 'journal', `00000${number}.journal`)

const repair = async (dir: string, disk: Disk = nodeDisk) =>
  repairJournal(dir, await surveyJournal(disk, join(dir, 'journal')), WORDS, stillClock, disk)

/** Four segments of three frames each, the fifth frame erased. */
async function journal(): Promise<{ dir: string; frames: Frame[] }> {
  const dir = await emptyBooks()
  await writeJournal(dir, BODIES, { segmentBytes: 900 })
  await eraseFrames(dir, [5], stillClock)
  return { dir, frames: await framesOf(dir) }
}

/** Numbers that a repaired journal still has, with the bytes that they had. */
async function kept(dir: string, before: readonly Frame[]): Promise<number[]> {
  const after = await framesOf(dir)
  const same = before.filter((frame) => {
    const now = after[frame.seq - 1]
    if (now?.meta.kind === 'set-aside') return false
    expect({ seq: now?.seq, meta: now?.meta, body: now?.body }).toEqual({
      seq: frame.seq,
      meta: frame.meta,
      body: frame.body,
    })
    return true
  })
  return same.map(({ seq }) => seq)
}

/** Where each frame of a segment begins and ends, by the survey of a whole journal. */
async function places(dir: string): Promise<{ seq: number; segment: number; offset: number; end: number }[]> {
  const { segments } = await surveyJournal(nodeDisk, join(dir, 'journal'))
  return segments.flatMap(({ number, frames }) =>
    frames.flatMap((frame) =>
      'offset' in frame ? [{ seq: frame.seq, segment: number, offset: frame.offset, end: frame.end }] : [],
    ),
  )
}

const of = async (dir: string, number: number): Promise<number[]> =>
  (await places(dir)).filter((one) => one.segment === number).map(({ seq }) => seq)

const without = (frames: readonly Frame[], seqs: readonly number[]): number[] =>
  frames.map(({ seq }) => seq).filter((seq) => !seqs.includes(seq))

async function framesOf(dir: string): Promise<Frame[]> {
  const opened = await openJournal(dir, reading())
  const frames: Frame[] = []
  for await (const frame of opened.read()) frames.push(frame)
  await opened.close()
  return frames
}

const flip = async (path: string, position: number): Promise<void> => {
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(position) ^ 0x5a, position)
  await writeFile(path, bytes)
}

describe('a repair', () => {
  test('keeps every frame but the one with a flipped byte, wherever it is, and states what the chain was', async () => {
    const { dir, frames } = await journal()
    const all = await places(dir)
    const originals = new Map(
      await Promise.all(
        [1, 2, 3, 4].map(async (number) => [number, await readFile(segment(dir, number))] as const),
      ),
    )
    expect(all.map(({ seq }) => seq)).toEqual(frames.map(({ seq }) => seq))
    for (const { seq, segment: number, offset, end } of all) {
      // Magic, state, lengths, checksum, header, body, chain hash.
      for (const position of [offset, offset + 4, offset + 7, offset + 20, offset + 40, end - 40, end - 1]) {
        await rm(join(dir, 'journal'), { recursive: true })
        await nodeDisk.makeDir(join(dir, 'journal'), 0o700)
        for (const [one, bytes] of originals) await writeFile(segment(dir, one), bytes)
        await eraseFrames(dir, [5], stillClock)
        await flip(segment(dir, number), position)
        const { problems } = await verifyJournal(dir)
        expect(problems.length, `frame ${seq}, byte ${position - offset}`).toBeLessThanOrEqual(1)
        // The state byte of an erased frame, and nothing else, can be wrong without a loss.
        if (problems.length === 0) continue

        const { file } = await repair(dir)

        expect(await verifyJournal(dir)).toMatchObject({ problems: [], tear: null })
        const left = await kept(dir, frames)
        const gone = frames.map((frame) => frame.seq).filter((one) => !left.includes(one))
        expect([[], [seq]], `frame ${seq}, byte ${position - offset}`).toContainEqual(gone)
        // A damaged hash or state of a frame that is whole besides costs nothing, unless nothing follows to prove it.
        if (position === offset + 4) expect(gone).toEqual([])
        if (position === end - 1 && seq < frames.length) expect(gone).toEqual([])
        if (position === offset + 40 && seq < frames.length) expect(gone).toEqual([seq])
        if (gone.length > 0) {
          const bytes = await readFile(file ?? '')
          expect(bytes.length).toBe(end - offset)
          expect(bytes[position - offset]).toBe((originals.get(number)?.[position] ?? 0) ^ 0x5a)
          const repaired = (await framesOf(dir)).at(-1)?.meta
          expect(repaired).toMatchObject({
            kind: 'repair',
            setAside: [{ from: seq, to: seq }],
            oldChain: (gone[0] === frames.length ? frames.at(-2) : frames.at(-1))?.chain,
          })
        }
      }
    }
  }, 300_000)

  test('of a segment that is missing, cut in the middle or overwritten keeps the frames around it', async () => {
    const missing = await journal()
    const inMissing = await of(missing.dir, 2)
    await rm(segment(missing.dir, 2))
    await repair(missing.dir)
    expect(await kept(missing.dir, missing.frames)).toEqual(without(missing.frames, inMissing))
    expect((await verifyJournal(missing.dir)).problems).toEqual([])

    const cut = await journal()
    const inCut = await of(cut.dir, 2)
    const [, second] = (await places(cut.dir)).filter((one) => one.segment === 2)
    await truncate(segment(cut.dir, 2), second!.offset + 30)
    await repair(cut.dir)
    expect(await kept(cut.dir, cut.frames)).toEqual(without(cut.frames, inCut.slice(1)))
    expect((await verifyJournal(cut.dir)).problems).toEqual([])

    const over = await journal()
    const [one, two] = (await places(over.dir)).filter(({ segment: number }) => number === 1).slice(1)
    const bytes = await readFile(segment(over.dir, 1))
    bytes.fill(0xee, one!.offset + 10, two!.offset + 5)
    await writeFile(segment(over.dir, 1), bytes)
    await repair(over.dir)
    expect(await kept(over.dir, over.frames)).toEqual(without(over.frames, [one!.seq, two!.seq]))
    expect((await verifyJournal(over.dir)).problems).toEqual([])
  })

  test('of segments under each other’s names puts each in its place, and loses nothing', async () => {
    const renames: readonly (readonly (readonly [from: number, to: number])[])[] = [
      [
        [2, 7],
        [3, 2],
        [7, 3],
      ],
      [
        [1, 7],
        [4, 1],
        [7, 4],
      ],
      [[2, 9]],
      [[4, 6]],
    ]
    for (const moves of renames) {
      const { dir, frames } = await journal()
      for (const [from, to] of moves) await rename(segment(dir, from), segment(dir, to))
      const { file, setAside } = await repair(dir)
      expect({ moves, file, setAside }).toEqual({ moves, file: null, setAside: [] })
      expect(await kept(dir, frames)).toEqual(without(frames, []))
      expect(await verifyJournal(dir)).toMatchObject({ problems: [], setAside: [], frames: 13 })
      // Opened as every command does, and gone on with.
      await writeJournal(dir, ['after'])
      expect((await framesOf(dir)).length).toBe(14)
    }
  })

  test('of swapped segments, one of which has a damaged header, relies on the header of the other', async () => {
    for (const damaged of [2, 3]) {
      const { dir, frames } = await journal()
      await rename(segment(dir, 2), segment(dir, 7))
      await rename(segment(dir, 3), segment(dir, 2))
      await rename(segment(dir, 7), segment(dir, 3))
      await flip(segment(dir, damaged), 10)
      await repair(dir)
      expect(await kept(dir, frames)).toEqual(without(frames, []))
      expect(await verifyJournal(dir)).toMatchObject({ problems: [], setAside: [], frames: 13 })
    }
  })

  test('sets aside the whole copy of a segment in place of another', async () => {
    const between = await journal()
    const lost = await of(between.dir, 3)
    const copy = await readFile(segment(between.dir, 2))
    await writeFile(segment(between.dir, 3), copy)
    const repaired = await repair(between.dir)
    expect(await kept(between.dir, between.frames)).toEqual(without(between.frames, lost))
    expect((await verifyJournal(between.dir)).problems).toEqual([])
    expect(await readFile(repaired.file ?? '')).toEqual(copy)

    // A later one: its numbers must not push out those between.
    const early = await journal()
    const lostEarly = await of(early.dir, 2)
    await writeFile(segment(early.dir, 2), await readFile(segment(early.dir, 4)))
    await repair(early.dir)
    expect(await kept(early.dir, early.frames)).toEqual(without(early.frames, lostEarly))
    expect((await verifyJournal(early.dir)).problems).toEqual([])

    // Behind the last, no number is gone.
    const behind = await journal()
    await writeFile(segment(behind.dir, 5), await readFile(segment(behind.dir, 2)))
    expect((await repair(behind.dir)).setAside).toEqual([])
    expect(await kept(behind.dir, behind.frames)).toEqual(without(behind.frames, []))
    expect(await verifyJournal(behind.dir)).toMatchObject({ problems: [], setAside: [], frames: 13 })
  })

  test('puts all damaged bytes into one file, one piece after the other', async () => {
    const { dir } = await journal()
    const damaged = (await places(dir)).filter(({ seq }) => [2, 8].includes(seq))
    for (const { segment: number, end } of damaged) await flip(segment(dir, number), end - 40)
    const pieces = await Promise.all(
      damaged.map(async (one) => (await readFile(segment(dir, one.segment))).subarray(one.offset, one.end)),
    )

    const { file, setAside } = await repair(dir)

    expect(setAside).toEqual([
      { from: 2, to: 2 },
      { from: 8, to: 8 },
    ])
    expect(await readFile(file ?? '')).toEqual(Buffer.concat(pieces))
  })

  test('of an erased frame of which bytes are left removes them, and keeps them nowhere else', async () => {
    const { dir, frames } = await journal()
    const fifth = (await places(dir)).find(({ seq }) => seq === 5)!
    await flip(segment(dir, fifth.segment), fifth.end - 40)

    expect(await repair(dir)).toEqual({ file: null, setAside: [] })

    expect(await kept(dir, frames)).toEqual(without(frames, []))
    expect((await framesOf(dir))[4]?.body).toBeNull()
    expect((await verifyJournal(dir)).problems).toEqual([])
  })

  test('does not look for the segments between if a file states a number that the journal cannot have', async () => {
    const { dir, frames } = await journal()
    const lost = await of(dir, 2)
    // As of another journal, of more segments.
    const other = encodeSegmentHeader(5_000, 4, Buffer.alloc(32, 7))
    const bytes = Buffer.concat([other, (await readFile(segment(dir, 2))).subarray(other.length)])
    await writeFile(segment(dir, 2), bytes)

    expect(
      (await surveyJournal(nodeDisk, join(dir, 'journal'))).segments.map(({ number }) => number),
    ).toEqual([1, 2, 3, 4])
    const { file } = await repair(dir)

    expect(await readFile(file ?? '')).toEqual(bytes)
    expect(await kept(dir, frames)).toEqual(without(frames, lost))
  })

  test('replaces the frames that the header of an empty last segment leaves out', async () => {
    const { dir, frames } = await journal()
    const end = Buffer.from(frames.at(-1)!.chain, 'hex')
    await writeFile(segment(dir, 5), encodeSegmentHeader(5, frames.length + 3, end))

    const { setAside } = await repair(dir)

    expect(setAside).toEqual([{ from: frames.length + 1, to: frames.length + 2 }])
    expect(await kept(dir, frames)).toEqual(without(frames, []))
    expect((await verifyJournal(dir)).problems).toEqual([])
  })

  test('counts the frames of a damaged end once: the header of the next segment says how many there were', async () => {
    const { dir } = await journal()
    const last = (await places(dir)).find(({ seq }) => seq === 9)!
    const third = await readFile(segment(dir, last.segment))
    await writeFile(segment(dir, last.segment), third.fill(0, last.offset, last.end))
    const fourth = await readFile(segment(dir, last.segment + 1))
    await writeFile(segment(dir, last.segment + 1), fourth.fill(0, SEGMENT_HEADER_BYTES))

    const { segments, lastSeq } = await surveyJournal(nodeDisk, join(dir, 'journal'))

    // At least one behind the header, which begins at the tenth.
    const seqs = segments.flatMap(({ frames }) => frames.map(({ seq }) => seq))
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(lastSeq).toBe(10)
  })

  test('of a state byte alone loses nothing: the body shows what it was, and the damage begins there', async () => {
    const { dir, frames } = await journal()
    const seventh = (await places(dir)).find(({ seq }) => seq === 7)!
    await flip(segment(dir, seventh.segment), seventh.offset + 4)
    const survey = await surveyJournal(nodeDisk, join(dir, 'journal'))
    expect([survey.firstDamaged, survey.pieces]).toEqual([seventh.segment, []])
    expect(seventh.segment).toBeGreaterThan(1)
    expect(await repair(dir)).toEqual({ file: null, setAside: [] })
    expect(await kept(dir, frames)).toEqual(without(frames, []))
  })

  test('can be appended to afterwards, and a second repair finds nothing to do', async () => {
    const { dir } = await journal()
    await flip(segment(dir, 2), 200)
    await repair(dir)
    const before = (await framesOf(dir)).length
    await writeJournal(dir, ['after'])
    expect((await framesOf(dir)).length).toBe(before + 1)
    expect((await surveyJournal(nodeDisk, join(dir, 'journal'))).firstDamaged).toBeNull()
  })

  test('that dies at any step leaves the journal unchanged, or one that the next writer finishes repairing', async () => {
    for (let steps = 0; ; steps += 1) {
      const { dir, frames } = await journal()
      await flip(segment(dir, 1), 200)
      const before = await verifyJournal(dir)
      let left = steps
      const dying = failing(() => left-- <= 0, 'EIO')
      const died = await repair(dir, dying).then(
        () => false,
        (error) => error instanceof DiskError,
      )
      expect(dying.openFiles()).toBe(0)
      if (!died) break
      const pending = await nodeDisk.readFile(join(dir, 'journal', 'repair.json'))
      if (pending === null) {
        const problems = (await verifyJournal(dir)).problems.map(({ details }) => details.where)
        if (problems.length > 0) {
          expect(problems).toEqual(before.problems.map(({ details }) => details.where))
          await repair(dir)
        }
      } else {
        expect((await verifyJournal(dir)).problems[0]?.message).toBe(
          'A repair of the journal was interrupted.',
        )
        expect(await finishRepair(dir, nodeDisk)).toBe(true)
      }
      expect((await verifyJournal(dir)).problems).toEqual([])
      expect((await kept(dir, frames)).length).toBe(frames.length - 1)
      expect((await readdir(join(dir, 'journal'))).filter((name) => /^repair/.test(name))).toEqual([])
    }
  }, 120_000)

  test('that is interrupted and whose manifest is then damaged is refused, with the way out', async () => {
    const { dir } = await journal()
    const manifest = join(dir, 'journal', 'repair.json')
    for (const text of [
      '{',
      '',
      '{"segments":["1"],"file":null}',
      '{"segments":[],"file":"../ledger.duckdb"}',
    ]) {
      await writeFile(manifest, text)
      const error = await finishRepair(dir, nodeDisk).catch((found: unknown) => found)
      expect([text, error]).toEqual([text, expect.any(CorruptionError)])
      expect(await readFile(manifest, 'utf8')).toBe(text)
    }
  })

  test('without space changes nothing and says so', async () => {
    const { dir } = await journal()
    await flip(segment(dir, 1), 200)
    const files = async () =>
      Promise.all(
        (await readdir(join(dir, 'journal'))).map(async (name) => [
          name,
          await readFile(join(dir, 'journal', name)),
        ]),
      )
    const before = await files()
    let written = 0
    const full = failing((operation) => {
      if (operation === 'write') written += 1
      return written > 3
    }, 'ENOSPC')
    await expect(repair(dir, full)).rejects.toMatchObject({ code: 'ENOSPC', exitCode: 5 })
    expect(await files()).toEqual(before)
  })
})

/** The machine's disk, on which an operation that changes something fails when asked to. It counts what is open. */
function failing(
  fails: (operation: string) => boolean,
  code: string,
): Disk & { readonly openFiles: () => number } {
  let opened = 0
  const step = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    if (fails(operation))
      throw new DiskError(
        `The disk refused to ${operation}.`,
        'here',
        Object.assign(new Error(code), { code }),
      )
    return work()
  }
  return {
    ...nodeDisk,
    openFiles: () => opened,
    open: async (path, how, mode) => {
      const file = await (how === 'read'
        ? nodeDisk.open(path, how)
        : step('open', () => nodeDisk.open(path, how, mode)))
      opened += 1
      return {
        ...file,
        close: () => {
          opened -= 1
          return file.close()
        },
        write: (bytes, position) => step('write', () => file.write(bytes, position)),
        sync: () => step('sync', () => file.sync()),
      }
    },
    rename: (from, to) => step('rename', () => nodeDisk.rename(from, to)),
    remove: (path) => step('remove', () => nodeDisk.remove(path)),
    syncDir: (path) => step('syncDir', () => nodeDisk.syncDir(path)),
  }
}
