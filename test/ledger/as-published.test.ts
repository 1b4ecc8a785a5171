// A night does not read again what it keeps of the published file, if that is the very file that a build put there. Any other
// one is read, and what is wrong with it does not get into the next ledger. Whether it did is read from the file: a build reports
// the rows that it was told.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'
import type { BuildOptions, BuildResult } from '../../pipeline/ledger/build.ts'
import { identityOf } from '../../pipeline/ledger/identity.ts'
import { askPublished } from '../../pipeline/ledger/kept.ts'
import { asked, isSame } from '../../pipeline/ledger/rows.ts'
import { isAsPublished } from '../../pipeline/ledger/steps.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'

const DAYS = 20

const deposit = (day: number): Move => ({
  ...{ id: `in ${day}`, coin: 'BTC', type: 'TRANSFER_IN', amount: '1' },
  ts: `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`,
})
const fee = (day: number): Move => ({
  ...{ id: `fee ${day}`, coin: 'BTC', type: 'OTHER_FEE', amount: '-0.5' },
  ts: `2026-01-${String(day).padStart(2, '0')} 13:00:00+00`,
})

const ledgerIn = (dir: string): string => join(dir, 'ledger.duckdb')
const namingIn = (dir: string): string => join(dir, 'steps.json')

/** Books of which everything is published; each test has its own like them. */
let published: TestBooks
let folder: string

const build = (books: TestBooks, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  books.build(
    {},
    {
      keepSteps: true,
      steps: [lotsStep({ method: 'fifo', scope: 'account' })],
      publishAnyway: true,
      ...options,
    },
  )

async function landed(): Promise<TestBooks> {
  const books = await TestBooks.open()
  await books.account('main', 'unified')
  const days = Array.from({ length: DAYS }, (_, day) => day + 1)
  const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
  await books.tax('SPOT', balanced([...days.map(deposit), ...[3, 9, 20].map(fee)]), { covers })
  return books
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-as-published-'))
  published = await landed()
  await build(published)
})

afterAll(async () => {
  await published.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What the build of a file leaves beside it. */
const name = (dir: string): void =>
  writeFileSync(namingIn(dir), `${JSON.stringify({ ledger: identityOf(ledgerIn(dir)) })}\n`)

/** Books like those, whose ledger is as published, until the test ends. */
async function opened(): Promise<TestBooks> {
  const books = await landed()
  onTestFinished(() => books.close())
  cpSync(published.dir, books.dir, { recursive: true, filter: (path) => !/landing\.duckdb/.test(path) })
  name(books.dir)
  return books
}

let nights = 0

/** More lands on the days after those that are published. */
async function land(books: TestBooks): Promise<void> {
  nights += 1
  const [rest] = await books.landing.connection
    .runAndReadAll('select sum(amount) from landing.main.tax_records')
    .then((reader) => reader.getRowsJson().flat())
  const next = [deposit(DAYS + 1), fee(DAYS + 1)].map((one) => ({
    ...one,
    id: `${one.id} of night ${nights}`,
  }))
  await books.tax('SPOT', balanced(next, { BTC: String(rest) }))
}

/** More lands, and a build; what it remarked, and the tables of which it rebuilt some days. */
async function night(books: TestBooks, options: Partial<BuildOptions> = {}) {
  await land(books)
  const notes: string[] = []
  const built = await build(books, { onNote: (text) => notes.push(text), ...options })
  const sliced = built.tables.flatMap(({ table, days }) => (days === undefined ? [] : [table]))
  return { built, notes, sliced }
}

async function inLedger<T>(
  dir: string,
  work: (connection: Awaited<ReturnType<DuckDBInstance['connect']>>) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(ledgerIn(dir), { threads: '1' })
  const connection = await instance.connect()
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Another program changes the published file. */
const change = (dir: string, statement: string): Promise<unknown> =>
  inLedger(dir, (connection) => connection.run(statement))

/** The published tables whose rows, as they are in the file, are not those of a full build. */
async function differences(books: TestBooks): Promise<string[]> {
  const full = await build(books, { full: true, publish: false, keepSteps: false })
  const tables = [...full.found.keys()].filter((table) => table.startsWith('main.'))
  const copy = mkdtempSync(join(tmpdir(), 'tieout-as-published-'))
  try {
    // Opening the file may change its times.
    copyFileSync(ledgerIn(books.dir), ledgerIn(copy))
    const found = await inLedger(copy, (connection) => askPublished(asked(connection), tables))
    return tables.filter((table) => !isSame(full.found.get(table), found.get(table)))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const ENTRIES = "update entries set amount = amount + 1 where source_id = 'in 2'"
const PIECES = "update disposals set quantity = quantity + 1 where disposed_at < '2026-01-04'"

const noteOn = (table: string): string =>
  `Rebuilding every table: the published ${table} is not what was built.`

test('a build names the file that it has published, and the next one does not read again what it keeps', async () => {
  const books = await opened()
  const { notes, sliced } = await night(books)
  expect(notes).toEqual([])
  expect(sliced).toEqual(expect.arrayContaining(['main.entries', 'lots']))
  expect(JSON.parse(readFileSync(namingIn(books.dir), 'utf8'))).toEqual({
    ledger: identityOf(ledgerIn(books.dir)),
  })
  expect(statSync(namingIn(books.dir)).mode & 0o777).toBe(0o600)
  expect(await isAsPublished(nodeDisk, books.dir)).toBe(true)
  expect(await differences(books)).toEqual([])
  // What a file system would have to hide from a build.
  await change(books.dir, ENTRIES)
  await change(books.dir, PIECES)
  name(books.dir)
  expect((await night(books)).notes).toEqual([])
  expect(await differences(books)).toEqual(expect.arrayContaining(['main.entries', 'main.disposals']))
  // Named or not, a full build takes nothing over.
  await build(books, { full: true })
  expect(await differences(books)).toEqual([])
})

/** What may have become of the published file, and what is remarked then; null if nothing is to be. */
const changes: readonly (readonly [string, string | null, (dir: string) => Promise<unknown> | unknown])[] = [
  ['a value that was changed in it', 'main.entries', (dir) => change(dir, ENTRIES)],
  ['a value of what is carried on', 'main.disposals', (dir) => change(dir, PIECES)],
  [
    'a row that was added to it',
    'main.entries',
    (dir) => change(dir, "insert into entries from entries where source_id = 'in 2'"),
  ],
  [
    'a row that was removed from it',
    'main.disposals',
    (dir) => change(dir, "delete from disposals where disposed_at < '2026-01-04'"),
  ],
  [
    'a copy of it',
    null,
    (dir) => {
      copyFileSync(ledgerIn(dir), join(dir, 'copy'))
      renameSync(join(dir, 'copy'), ledgerIn(dir))
    },
  ],
  [
    'a copy of it in which a value was changed',
    'main.entries',
    async (dir) => {
      mkdirSync(join(dir, 'copy'))
      copyFileSync(ledgerIn(dir), ledgerIn(join(dir, 'copy')))
      await change(join(dir, 'copy'), ENTRIES)
      renameSync(ledgerIn(join(dir, 'copy')), ledgerIn(dir))
    },
  ],
  [
    'a changed value and the times of before',
    'main.entries',
    async (dir) => {
      const { atime, mtime } = statSync(ledgerIn(dir))
      await change(dir, ENTRIES)
      utimesSync(ledgerIn(dir), atime, mtime)
    },
  ],
  ['a file that was only touched', null, (dir) => utimesSync(ledgerIn(dir), new Date(), new Date())],
]

describe('another file than the one that was published', () => {
  for (const [what, table, happens] of changes)
    test(`is read: ${what}`, async () => {
      const books = await opened()
      await happens(books.dir)
      expect(await isAsPublished(nodeDisk, books.dir)).toBe(false)
      const { notes, sliced } = await night(books)
      expect(notes).toEqual(table === null ? [] : [noteOn(table)])
      // With equal rows it is as good as the one that was published.
      if (table === null) expect(sliced).toContain('main.entries')
      else expect(sliced).toEqual([])
      expect(await isAsPublished(nodeDisk, books.dir)).toBe(true)
      expect(await differences(books)).toEqual([])
    })

  test('is read: damaged bytes, of the same size and with the times of before', async () => {
    const books = await opened()
    const [[block]] = (await books.query(
      "select max(block_id) from pragma_storage_info('entries') where block_id >= 0",
    )) as [[string]]
    const { atime, mtime } = statSync(ledgerIn(books.dir))
    const file = await open(ledgerIn(books.dir), 'r+')
    await file.write(Buffer.alloc(64, 0x5a), 0, 64, 3 * 4_096 + Number(block) * 262_144 + 64)
    await file.close()
    utimesSync(ledgerIn(books.dir), atime, mtime)
    expect((await night(books)).notes).toHaveLength(1)
    expect(await differences(books)).toEqual([])
  })
})

test('only the name of the very file says that it is as published', async () => {
  const dir = mkdtempSync(join(folder, 'named-'))
  const isIt = (): Promise<boolean> => isAsPublished(nodeDisk, dir)
  expect(await isIt()).toBe(false)
  // Without a ledger nothing is.
  for (const text of ['{"ledger":null}', '{}', 'null']) {
    writeFileSync(namingIn(dir), text)
    expect(await isIt(), text).toBe(false)
  }
  copyFileSync(ledgerIn(published.dir), ledgerIn(dir))
  name(dir)
  const right = readFileSync(namingIn(dir), 'utf8')
  expect(await isIt()).toBe(true)
  const [device, inode, ...others] = JSON.parse(right).ledger.split(' ')
  for (const text of [
    ...[
      '',
      ' ',
      'null',
      '[]',
      '"x"',
      '7',
      '{}',
      '{"ledger":null}',
      '{"ledger":""}',
      '{"ledger":7}',
      '\0\0\0',
    ],
    ...[right.slice(0, -3), right.slice(0, 12), right.slice(1)],
    JSON.stringify({ ledger: [JSON.parse(right).ledger] }),
    JSON.stringify({ ledger: [device, BigInt(inode) + 1n, ...others].join(' ') }),
    readFileSync(namingIn(published.dir), 'utf8'),
  ]) {
    writeFileSync(namingIn(dir), text)
    expect(await isIt(), text).toBe(false)
  }
  writeFileSync(namingIn(dir), right)
  expect(await isIt()).toBe(true)
  // The same bytes written again, as many, at the same time: only when that was done is different.
  const { atime, mtime } = statSync(ledgerIn(dir))
  const file = await open(ledgerIn(dir), 'r+')
  const { buffer } = await file.read(Buffer.alloc(64), 0, 64, 0)
  await file.write(buffer, 0, 64, 0)
  await file.close()
  utimesSync(ledgerIn(dir), atime, mtime)
  expect(await isIt()).toBe(false)
  name(dir)
  expect(await isIt()).toBe(true)
  // Of a link, the file that it leads to counts.
  renameSync(ledgerIn(dir), join(dir, 'elsewhere'))
  symlinkSync(join(dir, 'elsewhere'), ledgerIn(dir))
  expect(await isIt()).toBe(false)
})

test('a file that another program changes while a build begins is read', async () => {
  const books = await opened()
  let moved = 0
  const disk: Disk = {
    ...nodeDisk,
    rename: async (from, to) => {
      if (basename(from) === 'steps.duckdb') {
        moved += 1
        await change(books.dir, ENTRIES)
      }
      await nodeDisk.rename(from, to)
    },
  }
  expect((await night(books, { disk })).notes).toEqual([noteOn('main.entries')])
  expect(moved).toBe(1)
  expect(await differences(books)).toEqual([])
})

/** A disk that dies at the n-th of its changes to these books, and the changes that it has made. */
function dying(at: number): { readonly disk: Disk; readonly done: string[] } {
  const done: string[] = []
  const step = async <T>(what: string, path: string, work: () => Promise<T>): Promise<T> => {
    if (done.length >= at) throw new Error('the process was killed')
    done.push(`${what} ${basename(path).replace(/^(\.[a-z.]+)\.\d.*/, '$1')}`)
    return await work()
  }
  const disk: Disk = {
    ...nodeDisk,
    rename: (from, to) => step('rename to', to, () => nodeDisk.rename(from, to)),
    remove: (path) => step('remove', path, () => nodeDisk.remove(path)),
    open: (path, how, mode) => step(how, path, () => nodeDisk.open(path, how, mode)),
    syncDir: (path) => step('sync', path, () => nodeDisk.syncDir(path)),
  }
  return { disk, done }
}

test('a build that is killed at any moment leaves nothing that vouches for a file that was changed', async () => {
  // All that a build changes once it has its ledger, from its sync to the name of the published file.
  const whole = dying(Number.POSITIVE_INFINITY)
  const books = await opened()
  await night(books, { disk: whole.disk })
  const renames = whole.done.flatMap((what, at) => (what.startsWith('rename to') ? [at] : []))
  expect(renames.map((at) => whole.done[at])).toEqual([
    expect.stringMatching(/^rename to ledger-.*\.staging\.duckdb$/),
    ...['rename to ledger.duckdb', 'rename to steps.duckdb', 'rename to steps.json'],
  ])
  // Without steps; with a new ledger and no steps; and with both, but the name of another file.
  for (const at of [(renames[0] ?? 0) + 1, ...renames.slice(2)]) {
    const killed = await opened()
    await expect(night(killed, { disk: dying(at).disk }), `step ${at}`).rejects.toThrow()
    await change(killed.dir, ENTRIES)
    await night(killed)
    expect(await differences(killed), `step ${at}: ${whole.done[at]}`).toEqual([])
  }
})

/** What may happen between two nights. */
const between: readonly (readonly [string, (books: TestBooks) => Promise<unknown>])[] = [
  ['a build that is not published', (books) => build(books, { publish: false })],
  ['a build of one table', (books) => build(books, { only: ['main.entries'] })],
  ['a build of everything', (books) => build(books, { full: true })],
  ['a build that keeps no steps', (books) => build(books, { keepSteps: false })],
  [
    'a build with an error among its breaks',
    async (books) => {
      await books.insert('tax_records', {
        ...{ account: 'main', partition: 'SPOT', page_id: '999', page_row: '0', id: 'no page', coin: 'BTC' },
        ...{ type: 'TRANSFER_IN', amount: '1', fee: '0', ts: '2026-01-02 10:00:00+00' },
      })
      expect((await build(books, { publishAnyway: false })).published).toBe(false)
      await books.sql("delete from landing.main.tax_records where id = 'no page'")
    },
  ],
]

describe('after', () => {
  for (const [what, happens] of between)
    test(`${what}, nights come to what a full build makes`, async () => {
      const books = await opened()
      await land(books)
      await happens(books)
      expect((await night(books)).notes).toEqual([])
      expect(await isAsPublished(nodeDisk, books.dir)).toBe(true)
      await change(books.dir, ENTRIES)
      expect((await night(books)).notes).toEqual([noteOn('main.entries')])
      expect(await differences(books)).toEqual([])
    })
})
