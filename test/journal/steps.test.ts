// The order in which the journal reaches the disk. A power cut between two steps loses nothing only because each is safe
// before the next, which no test can see in the files: so the steps themselves are written down here.
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'
import { endErasure, eraseFrames, resumeErasure } from '../../pipeline/journal/erase.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { finishRepair, repairJournal } from '../../pipeline/journal/repair.ts'
import { surveyJournal } from '../../pipeline/journal/survey.ts'
import { emptyBooks, note, stillClock, writeJournal, writing } from '../support/journal.ts'

const SEGMENT = '000001.journal'
const TORN = 'torn-2026-01-05T030000.000Z.bin'

/** What changes the disk, by the names of the files; a file that is then renamed has the name `new`. */
function noting(steps: string[], fails: (step: string) => boolean = () => false): Disk {
  const named = (path: string): string => (basename(path).startsWith('.') ? 'new' : basename(path))
  const step = async (text: string, work: () => Promise<void>): Promise<void> => {
    steps.push(text)
    if (fails(text)) throw new Error(`${text} failed`)
    await work()
  }
  return {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      return {
        ...file,
        write: (bytes, at) => step(`write ${named(path)}`, () => file.write(bytes, at)),
        truncate: (length) => step(`cut ${named(path)}`, () => file.truncate(length)),
        sync: () => step(`sync ${named(path)}`, file.sync),
      }
    },
    rename: (from, to) => step(`rename ${named(from)} ${named(to)}`, () => nodeDisk.rename(from, to)),
    remove: (path) => step(`remove ${named(path)}`, () => nodeDisk.remove(path)),
    syncDir: (path) => step(`sync ${folderNamed(path)}/`, () => nodeDisk.syncDir(path)),
  }
}

const folderNamed = (path: string): string =>
  ['journal', 'repair'].includes(basename(path)) ? basename(path) : 'books'

/** A file that is replaced as a whole. */
const replaced = (name: string): string[] => ['write new', 'sync new', `rename new ${name}`, 'sync journal/']

test('a segment is there, with its header and its name, before the first frame; a frame is synced once written', async () => {
  const steps: string[] = []
  const journal = await openJournal(await emptyBooks(), writing({ disk: noting(steps) }))
  // The folder of the journal has been created.
  expect(steps.splice(0)).toEqual(['sync books/'])
  await journal.append(note('a'))
  expect(steps.splice(0)).toEqual([
    ...[`write ${SEGMENT}`, `sync ${SEGMENT}`, 'sync journal/'],
    ...[`write ${SEGMENT}`, `sync ${SEGMENT}`],
  ])
  await journal.append(note('b'))
  expect(steps).toEqual([`write ${SEGMENT}`, `sync ${SEGMENT}`])
  await journal.close()
})

test('a segment that is as long as allowed is followed by another one', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const { length } = await readFile(join(dir, 'journal', SEGMENT))
  const next = async (segmentBytes: number): Promise<string> => {
    const steps: string[] = []
    const journal = await openJournal(dir, writing({ disk: noting(steps), segmentBytes }))
    steps.splice(0)
    await journal.append(note('b'))
    await journal.close()
    return String(steps[0])
  }
  expect(await next(length + 1)).toBe(`write ${SEGMENT}`)
  const longer = (await readFile(join(dir, 'journal', SEGMENT))).length
  expect(await next(longer)).toBe('write 000002.journal')
})

test('what an earlier writer may not have synced is synced before anything is appended', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const steps: string[] = []
  await (await openJournal(dir, writing({ disk: noting(steps) }))).close()
  expect(steps).toEqual(['sync books/', `sync ${SEGMENT}`, 'sync journal/'])
})

test('an unfinished end is safe in its file before it is cut off, and cut off before anything is appended', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'])
  await truncate(join(dir, 'journal', SEGMENT), (await readFile(join(dir, 'journal', SEGMENT))).length - 1)
  const steps: string[] = []
  await (await openJournal(dir, writing({ disk: noting(steps) }))).close()
  expect(steps).toEqual([
    'sync books/',
    ...[`write ${TORN}`, `sync ${TORN}`, 'sync journal/'],
    ...[`cut ${SEGMENT}`, `sync ${SEGMENT}`],
    ...[`sync ${SEGMENT}`, 'sync journal/'],
  ])
})

test('a second unfinished end of the same moment has a file of its own', async () => {
  const dir = await emptyBooks()
  const path = join(dir, 'journal', SEGMENT)
  for (const file of [TORN, TORN.replace('.bin', '-2.bin')]) {
    await writeJournal(dir, ['a'])
    await truncate(path, (await readFile(path)).length - 1)
    const journal = await openJournal(dir, writing())
    expect(journal.recovered?.file).toBe(join(dir, 'journal', file))
    await journal.close()
  }
})

test('a segment whose header was never finished is moved aside, and that is safe, before its number is used again', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  await truncate(join(dir, 'journal', SEGMENT), 10)
  const steps: string[] = []
  await (await openJournal(dir, writing({ disk: noting(steps) }))).close()
  expect(steps).toEqual(['sync books/', `rename ${SEGMENT} ${TORN}`, 'sync journal/'])
})

test('a segment that ends inside a frame is refused if another follows it, also one without a whole header', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'], { segmentBytes: 1 })
  const [first, second] = [SEGMENT, '000002.journal'].map((name) => join(dir, 'journal', name)) as [
    string,
    string,
  ]
  await truncate(first, (await readFile(first)).length - 1)
  await truncate(second, 10)
  const steps: string[] = []
  await expect(openJournal(dir, writing({ disk: noting(steps) }))).rejects.toThrow(
    'A segment in the middle of the journal ends inside a frame.',
  )
  expect(steps).toEqual(['sync books/'])
})

test('a frame that could not be synced is cut off again, and nothing is written after it', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a'])
  const steps: string[] = []
  const refused = 'could not be written from frame 2 on'
  let meanwhile: Promise<unknown> | undefined
  let isBroken = false
  const disk = noting(steps, (step) => {
    if (!isBroken || step !== `sync ${SEGMENT}`) return false
    meanwhile ??= expect(journal.append(note('c'))).rejects.toThrow(refused)
    return true
  })
  const journal = await openJournal(dir, writing({ disk }))
  steps.splice(0)
  isBroken = true
  await expect(journal.append(note('b'))).rejects.toThrow(refused)
  await meanwhile
  isBroken = false
  await expect(journal.append(note('d'))).rejects.toThrow(refused)
  expect(steps).toEqual([
    ...[`write ${SEGMENT}`, `sync ${SEGMENT}`],
    ...[`cut ${SEGMENT}`, `sync ${SEGMENT}`],
  ])
  expect(meanwhile).toBeDefined()
  await journal.close()
})

test('an erasure is written down, its copies are gone and it is listed before a body is; states come before bodies', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b', 'c'])
  const steps: string[] = []
  const disk = noting(steps)
  const removeCopies = async (): Promise<void> => void steps.push('remove copies')
  await eraseFrames(dir, [1, 3], stillClock, disk, removeCopies)
  expect(steps.splice(0)).toEqual([
    ...replaced('erasing.json'),
    'remove copies',
    ...replaced('erased.jsonl'),
    // Two states, then two bodies.
    ...[`write ${SEGMENT}`, `write ${SEGMENT}`, `sync ${SEGMENT}`],
    ...[`write ${SEGMENT}`, `write ${SEGMENT}`, `sync ${SEGMENT}`],
    ...replaced('erasing.json'),
  ])
  // The bodies are gone: what is left to do is elsewhere.
  expect([await resumeErasure(dir, stillClock, disk, removeCopies), steps]).toEqual([true, []])
  await endErasure(dir, disk)
  expect(steps.splice(0)).toEqual(['remove erasing.json', 'sync journal/'])
  await endErasure(dir, disk)
  expect([await resumeErasure(dir, stillClock, disk, removeCopies), steps]).toEqual([false, []])
})

test('an erasure that may not write to one of its segments changes nothing', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'], { segmentBytes: 1 })
  const segments = await readdir(join(dir, 'journal'))
  const steps: string[] = []
  const disk = noting(steps)
  const guarded: Disk = {
    ...disk,
    open: (path, how, mode) =>
      how === 'change' && path.endsWith('2.journal')
        ? Promise.reject(new Error('no right'))
        : disk.open(path, how, mode),
  }
  await expect(eraseFrames(dir, [1, 2], stillClock, guarded)).rejects.toThrow('no right')
  expect([steps, await readdir(join(dir, 'journal'))]).toEqual([[], segments])
})

test('an erasure that was interrupted before its end goes through again from its list', async () => {
  const dir = await emptyBooks()
  await writeJournal(dir, ['a', 'b'])
  const removeCopies = async (): Promise<void> => undefined
  const dying = noting([], (step) => step === `sync ${SEGMENT}`)
  await expect(eraseFrames(dir, [2], stillClock, dying, removeCopies)).rejects.toThrow('failed')
  const steps: string[] = []
  expect(await resumeErasure(dir, stillClock, noting(steps), removeCopies)).toBe(true)
  expect(steps).toEqual([
    ...replaced('erased.jsonl'),
    ...[`write ${SEGMENT}`, `sync ${SEGMENT}`, `write ${SEGMENT}`, `sync ${SEGMENT}`],
    ...replaced('erasing.json'),
  ])
})

const REPAIR = { run: 'r2', reopens: [], statements: [] }

/** What a repair puts in place, once all of it is safe under other names. */
const PUT_IN_PLACE = [
  ...['remove landing.duckdb.wal', 'remove landing.duckdb', 'sync books/'],
  ...['rename damaged.bin damaged-2026-01-05T030000.000Z.bin', 'sync journal/'],
  ...[`rename ${SEGMENT} ${SEGMENT}`, 'sync journal/'],
  ...['remove repair.json', 'sync journal/'],
]

/** A journal whose second frame has a damaged body. */
async function damagedBooks(): Promise<string> {
  const dir = await emptyBooks()
  await writeJournal(dir, ['first', 'second', 'third'])
  const path = join(dir, 'journal', SEGMENT)
  const bytes = await readFile(path)
  bytes.write('s', bytes.lastIndexOf('second') + 3)
  await writeFile(path, bytes)
  return dir
}

test('a repair writes everything anew, safely, before it lists it; damaged bytes are kept before they are replaced', async () => {
  const dir = await damagedBooks()
  const steps: string[] = []
  const survey = await surveyJournal(nodeDisk, join(dir, 'journal'))
  await repairJournal(dir, survey, REPAIR, stillClock, noting(steps))
  expect(steps).toEqual([
    ...['write damaged.bin', 'sync damaged.bin'],
    // The header, three frames, and that of the repair.
    ...Array.from({ length: 5 }, () => `write ${SEGMENT}`),
    ...[`sync ${SEGMENT}`, 'sync repair/'],
    ...replaced('repair.json'),
    ...PUT_IN_PLACE,
  ])
  expect(await readdir(join(dir, 'journal'))).toEqual([SEGMENT, 'damaged-2026-01-05T030000.000Z.bin'])
})

test('a repair that was interrupted while it put its files in place goes on where it was', async () => {
  const dir = await damagedBooks()
  const survey = await surveyJournal(nodeDisk, join(dir, 'journal'))
  const dying = noting([], (step) => step === 'remove repair.json')
  await expect(repairJournal(dir, survey, REPAIR, stillClock, dying)).rejects.toThrow('failed')
  const steps: string[] = []
  expect(await finishRepair(dir, noting(steps))).toBe(true)
  // Nothing is left to be renamed.
  expect(steps).toEqual(PUT_IN_PLACE.filter((step) => !step.startsWith('rename')).toSpliced(3, 1))
  expect(await readdir(join(dir, 'journal'))).toEqual([SEGMENT, 'damaged-2026-01-05T030000.000Z.bin'])
  expect(await finishRepair(dir, noting(steps))).toBe(false)
})
