// The journal on a disk that fails, under a process that is killed, and the files that are replaced as a whole.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { TieoutError } from '../../models/error.ts'
import { type Disk, DiskError, nodeDisk, writeFileAtomic } from '../../pipeline/journal/disk.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { writeFileFrom } from '../../pipeline/output/deliver.ts'
import { compileForChild } from '../support/child.ts'
import { asRead, emptyBooks, note, reading, readJournal, writing } from '../support/journal.ts'

const segment = (dir: string, number = 1): string => join(dir, 'journal', `00000${number}.journal`)

interface Trouble {
  /** Bytes that may still be written; what goes beyond is written in part and then refused. */
  spaceBytes?: number
  /** Syncs of files that still succeed. */
  syncs?: number
  /** Counts what happens. */
  count?: { writes: number; syncs: number }
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

/** The real disk, with the trouble of the moment; the object may be changed while it is used. */
function troubled(trouble: Trouble): Disk {
  return {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      return {
        ...file,
        write: async (bytes, position) => {
          if (trouble.count) trouble.count.writes += 1
          const space = trouble.spaceBytes ?? bytes.length
          await file.write(bytes.subarray(0, space), position)
          if (trouble.spaceBytes === undefined) return
          trouble.spaceBytes = Math.max(0, space - bytes.length)
          if (space < bytes.length)
            throw new DiskError('The disk refused to write.', path, systemError('ENOSPC'))
        },
        sync: async () => {
          if (trouble.count) trouble.count.syncs += 1
          if (trouble.syncs !== undefined && trouble.syncs-- <= 0)
            throw new DiskError('The disk refused to sync.', path, systemError('EIO'))
          await file.sync()
        },
      }
    },
  }
}

test('a missing right to a folder mentions reading too, and which user is running', () => {
  expect(
    new DiskError('The disk refused to list a folder.', '/books', systemError('EACCES')).details.action,
  ).toBe(
    'Run this as the user of the nightly runs, give this user permission to read and write here, or name another folder with --dir.',
  )
})

test('journal: appends that arrive together or during a sync share a write and a sync', async () => {
  const dir = await emptyBooks()
  const count = { writes: 0, syncs: 0 }
  const journal = await openJournal(dir, writing({ disk: troubled({ count }) }))

  await Promise.all(Array.from({ length: 100 }, (_, index) => journal.append(note(`${index}`))))

  // One of each for the header of the segment, one for the hundred frames.
  expect(count).toEqual({ writes: 2, syncs: 2 })
  await journal.close()
})

test('journal: on a full disk the append is refused, nothing later is acknowledged, and the file ends as before', async () => {
  const dir = await emptyBooks()
  const trouble: Trouble = {}
  const journal = await openJournal(dir, writing({ disk: troubled(trouble) }))
  await journal.append(note('a'), Buffer.from('a'))
  const before = await readFile(segment(dir))

  trouble.spaceBytes = 100
  const outcomes = await Promise.allSettled([
    journal.append(note('b'), Buffer.from('b')),
    journal.append(note('c'), Buffer.from('c')),
  ])
  delete trouble.spaceBytes
  const later = await journal.append(note('d')).catch((error: unknown) => error)

  for (const error of [...outcomes.map((outcome) => 'reason' in outcome && outcome.reason), later]) {
    expect(error).toBeInstanceOf(TieoutError)
    expect((error as DiskError).exitCode).toBe(5)
    expect((error as DiskError).describe()).toBe(
      [
        'The journal could not be written from frame 2 on.',
        `  where:    ${segment(dir)}`,
        '  expected: free space on this disk',
        '  found:    ENOSPC',
        '  next:     Free space on this disk, then run again. What was acknowledged is kept.',
      ].join('\n'),
    )
  }
  expect(journal.lastSeq).toBe(1)
  await journal.close()
  expect(await readFile(segment(dir))).toEqual(before)
  const again = await openJournal(dir, writing({ landedSeq: 1 }))
  expect([again.recovered, (await again.append(note('b'))).seq]).toEqual([null, 2])
  await again.close()
})

test('journal: after a failed sync nothing is acknowledged, and the next opening continues after the last acknowledged frame', async () => {
  const dir = await emptyBooks()
  const trouble: Trouble = {}
  const journal = await openJournal(dir, writing({ disk: troubled(trouble) }))
  await journal.append(note('a'), Buffer.from('a'))

  trouble.syncs = 0
  const error = await journal.append(note('b'), Buffer.from('b')).catch((found: unknown) => found)

  expect(error).toBeInstanceOf(DiskError)
  expect((error as DiskError).details).toMatchObject({ where: segment(dir), found: 'EIO' })
  await journal.close()
  expect(await readJournal(dir)).toEqual(asRead(['a']))
})

test('journal: if the new segment cannot be created, the next opening recovers', async () => {
  const dir = await emptyBooks()
  const trouble: Trouble = {}
  const journal = await openJournal(dir, writing({ disk: troubled(trouble), segmentBytes: 1 }))
  await journal.append(note('a'), Buffer.from('a'))

  trouble.spaceBytes = 20
  await expect(journal.append(note('b'))).rejects.toThrow('could not be written from frame 2 on')
  await journal.close()

  const again = await openJournal(dir, writing({ segmentBytes: 1 }))
  expect(again.recovered).toMatchObject({ segment: segment(dir, 2), offset: 0, bytes: 20 })
  await again.append(note('b'), Buffer.from('b'))
  await again.close()
  expect(await readJournal(dir)).toEqual(asRead(['a', 'b']))
})

test('journal: every frame acknowledged by a process killed with SIGKILL is kept, and the next one continues', async () => {
  const dir = await emptyBooks()
  const program = await compileForChild('test/support/journal-child.ts')
  let acknowledged = 0

  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const enough = acknowledged + 300
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Math.max(acknowledged, Number(line))
      if (acknowledged >= enough) child.kill('SIGKILL')
    }
    await exited
    const reader = await openJournal(dir, reading({ landedSeq: acknowledged }))
    let last = 0
    for await (const { seq, body } of reader.read()) {
      last += 1
      expect([seq, body?.length]).toEqual([last, 50_000])
    }
    expect(last).toBeGreaterThanOrEqual(acknowledged)
    acknowledged = last
  }
  const { frames, problems } = await verifyJournal(dir)
  expect([frames, problems]).toEqual([acknowledged, []])
  expect(
    (await readdir(join(dir, 'journal'))).filter((name) => name.endsWith('.journal')).length,
  ).toBeGreaterThan(1)
})

test('disk: a folder that is not writable is reported as a configuration problem, and named', async () => {
  const dir = await emptyBooks()
  await writeFile(join(dir, 'journal'), 'a file where a folder should be')

  const error = (await openJournal(dir, writing()).catch((found: unknown) => found)) as DiskError

  expect(error).toBeInstanceOf(DiskError)
  expect(error.details.where).toBe(join(dir, 'journal'))
  expect(error.code).toBe('EEXIST')
})

test('disk: writeFileAtomic replaces a file completely, with its mode, and leaves nothing beside it', async () => {
  const dir = await emptyBooks()
  const path = join(dir, 'file')
  await writeFile(path, 'old')
  await chmod(path, 0o644)

  await writeFileAtomic(nodeDisk, path, 'new', 0o600)

  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['new', 0o600])
  expect(await readdir(dir)).toEqual(['file'])
})

test('disk: stored files and delivered files are replaced in the same steps, each synced before the next', async () => {
  const steps: string[] = []
  const done = (step: string) => (): void => void steps.push(step)
  const noted: Disk = {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      return { ...file, sync: () => file.sync().then(done('sync the file')) }
    },
    rename: (from, to) => nodeDisk.rename(from, to).then(done('rename')),
    syncDir: (path) => nodeDisk.syncDir(path).then(done('sync the folder')),
  }
  const dir = await emptyBooks()
  for (const replace of [
    () => writeFileAtomic(noted, join(dir, 'kept'), 'new', 0o600),
    () => writeFileFrom(noted, join(dir, 'delivered'), Readable.from(['n', 'ew'])),
  ]) {
    await replace()
    expect(steps.splice(0)).toEqual(['sync the file', 'rename', 'sync the folder'])
  }
  expect(await readdir(dir)).toEqual(['delivered', 'kept'])
})

test('disk: writeFileAtomic on a full disk leaves the old file and nothing beside it', async () => {
  const dir = await emptyBooks()
  const path = join(dir, 'file')
  await writeFile(path, 'old')

  const error = await writeFileAtomic(troubled({ spaceBytes: 2 }), path, 'new', 0o600).catch(
    (found: unknown) => found,
  )

  expect(error).toBeInstanceOf(DiskError)
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(dir)).toEqual(['file'])
})
