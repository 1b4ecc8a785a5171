// Damage to the journal of real books, by the commands themselves: verify names it once, a repair keeps what is whole, and the next
// night brings back what the venue still has, to the hash of the books before.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { describeRepair, repairBooks } from '../../pipeline/books/repair.ts'
import { optionalConfig } from '../../pipeline/config/context.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import type { FrameMeta } from '../../pipeline/journal/frame.ts'
import { encodeFrame, encodeSegmentHeader } from '../../pipeline/journal/layout.ts'
import { isWhole, surveyJournal } from '../../pipeline/journal/survey.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { journaledBooks, taxPage, taxRow } from '../evidence/explain-books.ts'
import { buildOnly, silentContext } from '../support/build-only.ts'
import { startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'
import { problemsOf, storedVerification } from '../support/whole-books.ts'

const SPEED = 2_000
const NOW = '2026-06-30T00:00:00Z'
/** When the night after begins: a clock that went back to the first one's beginning would leave its last second unasked for. */
const LATER = '2026-06-30T00:10:00Z'
const TRADES = [
  'id,time,account,type,asset,quantity,currency,total,fee,fee_currency',
  'b1,2026-01-01T00:00:00Z,elsewhere,buy,BTC,1,USD,100,1,USD',
  '',
].join('\n')

let venue: Sandbox
let whole: string
/** The same books after one more night. */
let undamaged: string
/** Books of some forty pages, for tests that ask no venue. */
let small: string

const run = (dir: string, ...words: string[]) => command([...words, '--dir', dir, '--now', NOW])
const nightAfter = (dir: string) => command(['nightly', '--dir', dir, '--now', LATER])
const segment = (dir: string): string => join(dir, 'journal', '000001.journal')
/** Of every table but the list of imports, where a file that was imported again has another number. */
async function hashesOf(dir: string): Promise<Record<string, string>> {
  const { imports: _, ...hashes } = Object.fromEntries(await tableHashes(join(dir, 'ledger.duckdb')))
  return hashes
}

beforeAll(async () => {
  venue = await startSandbox({ seed: 7, days: 5, now: new Date(NOW), speed: SPEED })
  whole = mkdtempSync(join(tmpdir(), 'tieout-repair-'))
  // Two of its accounts: one unified, one classic.
  const accounts = venue.accounts.filter(({ name }) => ['parent', 'classic'].includes(name))
  await configureBooks(whole, { ...venue, accounts }, { speed: SPEED, since: '2026-06-20' })
  expect((await run(whole, 'sync')).code).toBe(0)
  const file = join(whole, 'elsewhere.csv')
  writeFileSync(file, TRADES)
  expect((await run(whole, 'import', 'trades', file)).code).toBe(0)
  // What was imported needs prices too, which the next night asks for.
  undamaged = mkdtempSync(join(tmpdir(), 'tieout-undamaged-'))
  cpSync(whole, undamaged, { recursive: true })
  expect([0, 3]).toContain((await nightAfter(undamaged)).code)
  const pages = Array.from({ length: 40 }, (_, at) => {
    const id = String(at + 1)
    const ts = new Date(Date.UTC(2026, 0, 5, at)).toISOString()
    return taxPage([taxRow({ id, coin: 'BTC', type: 'TRANSFER_IN', amount: '1', balance: id, ts })])
  })
  small = await journaledBooks(pages)
}, 300_000)

afterAll(async () => {
  await venue.close()
  for (const dir of [whole, undamaged]) rmSync(dir, { recursive: true, force: true })
})

function copied(books = whole): string {
  const dir = join(temporaryFolder(), 'books')
  mkdirSync(dir)
  cpSync(books, dir, { recursive: true })
  return dir
}

async function framesOf(dir: string) {
  const { segments } = await surveyJournal(nodeDisk, join(dir, 'journal'))
  return segments.flatMap(({ frames }) => frames.filter(isWhole))
}

/** A second segment, of books with a chain and runs of their own; gives its path. */
function ofOtherBooks(dir: string, frames: readonly (readonly [seq: number, meta: FrameMeta])[]): string {
  const path = join(dir, 'journal', '000002.journal')
  let chain: Buffer = Buffer.alloc(32, 7)
  const parts = [encodeSegmentHeader(2, frames[0]![0], chain)]
  for (const [seq, meta] of frames) {
    const body = Buffer.from('{"code":"00000","msg":"success","data":{"list":[]}}')
    const theirs = { ...meta, run: 'of-other-books' } as FrameMeta
    const salt = Buffer.alloc(16, seq)
    const frame = encodeFrame({ seq, meta: theirs, body, salt, previousChain: chain, codec: 'brotli' })
    parts.push(frame.bytes)
    chain = frame.chain
  }
  writeFileSync(path, Buffer.concat(parts))
  return path
}

/** Flips a byte of each of these frames, so many bytes before its end. */
async function damage(dir: string, seqs: readonly number[], beforeEnd: number): Promise<void> {
  const bytes = readFileSync(segment(dir))
  for (const { seq, end } of await framesOf(dir))
    if (seqs.includes(seq)) bytes.writeUInt8(bytes.readUInt8(end - beforeEnd) ^ 0xff, end - beforeEnd)
  writeFileSync(segment(dir), bytes)
}

/** What `verify --repair` says of damaged books, without the full build with which it ends. */
async function repaired(dir: string): Promise<string> {
  const context = silentContext(dir, NOW)
  const repair = await repairBooks(context, optionalConfig(context))
  if (repair === null) throw new Error('There was nothing to repair.')
  return `${describeRepair(repair)}\n${await storedVerification(dir, NOW)}`
}

/** The ranges that are not complete. */
async function openRanges(dir: string): Promise<{ status: string; ends_at: string }[]> {
  const instance = await DuckDBInstance.create(join(dir, 'ledger.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    "select status, ends_at from coverage where status in ('pending', 'missing', 'lost')",
  )
  connection.closeSync()
  instance.closeSync()
  return reader.getRowObjectsJson() as { status: string; ends_at: string }[]
}

describe('damaged books', () => {
  test('are reported once by frame and byte; once repaired, the next night gives the same books again', async () => {
    const dir = copied()
    const pages = (await framesOf(dir)).filter(
      ({ meta }) => meta.kind === 'page' && meta.feed === 'tax.records' && meta.account === 'parent',
    )
    const [first, last] = [pages[0]!, pages.at(-1)!]
    await damage(dir, [first.seq, last.seq], 40)

    const named = await run(dir, 'verify')
    expect(named.code).toBe(1)
    for (const { seq } of [first, last])
      expect(named.stdout.match(new RegExp(`frame ${seq}, byte \\d+`, 'g'))?.length).toBe(1)
    expect(named.stdout).toContain('2 problems.')

    const repaired = await run(dir, 'verify', '--repair')
    expect({ code: repaired.code, stderr: repaired.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('journaled frames that had not landed'),
    })
    expect(repaired.stdout).toContain('ranges are pending again')
    expect(repaired.stdout).toContain(
      `Frame ${first.seq} was damaged or missing when the journal was repaired; the chain holds without it.`,
    )
    expect(readdirSync(join(dir, 'journal')).filter((name) => /^damaged-.*\.bin$/.test(name))).toHaveLength(1)
    const isOlder = async () =>
      /^The ledger is missing \d+ frames? of the journal/m.test((await run(dir, 'status')).stdout)
    expect(await isOlder()).toBe(true)
    await buildOnly(dir, ['main.coverage', 'main.runs'], { now: NOW })
    expect(await isOlder()).toBe(false)
    expect((await openRanges(dir)).map(({ status }) => status)).toContain('pending')

    expect([0, 3]).toContain((await nightAfter(dir)).code)
    expect(await openRanges(dir)).toEqual([])
    expect(await hashesOf(dir)).toEqual(await hashesOf(undamaged))
    const again = await run(dir, 'verify', '--repair')
    expect(again.stdout).toContain('The journal needs no repair.')
    expect(again.stdout).toContain('Everything verifies.')
  }, 300_000)

  test('with a hole of unknown frames and a lost import: what the user has to supply is listed, the rest is fetched again', async () => {
    const dir = copied()
    const frames = await framesOf(dir)
    const middle = Math.floor(frames.length / 2)
    const bytes = readFileSync(segment(dir))
    bytes.fill(0xee, frames[middle]!.offset + 3, frames[middle + 6]!.offset + 9)
    const imported = frames.find(({ meta }) => meta.kind === 'import')!
    bytes.fill(0x11, imported.offset, imported.offset + 8)
    writeFileSync(segment(dir), bytes)

    const repaired = await run(dir, 'verify', '--repair', '--json')

    expect(repaired.code).toBe(0)
    const { repair } = JSON.parse(repaired.stdout) as { repair: { setAside: unknown; losses: string[] } }
    expect(repair.setAside).toEqual([
      { from: frames[middle]!.seq, to: frames[middle + 6]!.seq },
      { from: imported.seq, to: imported.seq },
    ])
    expect(repair.losses).toEqual([
      `Frame ${imported.seq} was the import of elsewhere.csv: import the file again.`,
    ])
    expect((await run(dir, 'sync')).code).toBe(0)
    expect((await run(dir, 'import', 'trades', join(dir, 'elsewhere.csv'))).code).toBe(0)
    expect(await hashesOf(dir)).toEqual(await hashesOf(whole))
  }, 300_000)

  test('at their very beginning: everything after it is kept, and books in which nothing is intact are reported as such', async () => {
    const dir = copied(small)
    const frames = await framesOf(dir)
    const bytes = readFileSync(segment(dir))
    writeFileSync(segment(dir), bytes.fill(0xee, 0, frames[0]!.offset + 8))
    expect((await run(dir, 'verify')).code).toBe(1)

    const repaired = await run(dir, 'verify', '--repair', '--json')

    expect(repaired.code).toBe(0)
    const { repair, problems } = JSON.parse(repaired.stdout) as { repair: object; problems: object[] }
    expect(repair).toMatchObject({ kept: frames.length - 1, setAside: [{ from: 1, to: 1 }] })
    expect(problems).toEqual([])
    expect((await framesOf(dir)).slice(1, frames.length).map(({ meta }) => meta)).toEqual(
      frames.slice(1).map(({ meta }) => meta),
    )

    writeFileSync(segment(dir), bytes.fill(0xee))
    const hopeless = await run(dir, 'verify', '--repair')
    expect(hopeless.code).toBe(1)
    expect(hopeless.stdout).toContain('Restore the journal folder from a backup')
    expect(readFileSync(segment(dir))).toEqual(bytes)
  }, 300_000)

  test('with a segment of other books in place of their own: nothing of it is adopted', async () => {
    const dir = copied(small)
    const frames = await framesOf(dir)
    const cut = frames.at(-30)!
    writeFileSync(segment(dir), readFileSync(segment(dir)).subarray(0, cut.end))
    // The same numbers, a chain of its own, and runs that these books never had.
    const other = ofOtherBooks(
      dir,
      frames.slice(-29).map(({ seq, meta }) => [seq, meta]),
    )

    const stdout = await repaired(dir)

    expect(stdout).toContain('Everything verifies.')
    expect(stdout).toContain(`${other} belonged to other books: its pages are not the ones that had landed.`)
    const last = frames.at(-1)!.seq
    expect(stdout).toContain(
      `No frame of the journal is damaged; all ${cut.seq} frames are kept.\n` +
        `Frames ${cut.seq + 1} to ${last} are missing: they had landed, but are beyond the end of this journal.`,
    )
    expect(
      (await framesOf(dir)).filter(({ meta }) => 'run' in meta && meta.run === 'of-other-books'),
    ).toEqual([])
  }, 300_000)

  test('with a segment of other books after their own: nothing of it is adopted, nor anything beyond their end', async () => {
    const dir = copied(small)
    const frames = await framesOf(dir)
    const { seq: last, meta } = frames.findLast(({ meta: { kind } }) => kind === 'page')!
    const end = frames.at(-1)!.seq
    // It begins at the number of a frame that is there, and goes on where no page has landed.
    const numbers = Array.from({ length: end - last + 11 }, (_, at) => last + at)
    const other = ofOtherBooks(
      dir,
      numbers.map((seq) => [seq, meta]),
    )

    const stdout = await repaired(dir)

    expect(stdout).toContain('Everything verifies.')
    expect(stdout).toContain(`${other} belonged to other books: its pages are not the ones that had landed.`)
    expect(stdout).toContain(`all ${frames.length} frames are kept.`)
    // With the frame that tells of the repair.
    expect(stdout).toContain(`${frames.length + 1} frames, `)
  }, 300_000)

  test('beside a landing database of other, shorter books: it is no evidence, and every intact frame is kept', async () => {
    const dir = copied(small)
    const frames = await framesOf(dir)
    const bytes = readFileSync(segment(dir))
    // Two segments, of which the first lacks its last frame: the chain no longer joins the second to it.
    const [gone, before, last] = [frames.at(-30)!, frames.at(-31)!, frames.at(-1)!]
    writeFileSync(segment(dir), bytes.subarray(0, before.end))
    writeFileSync(
      join(dir, 'journal', '000002.journal'),
      Buffer.concat([encodeSegmentHeader(2, gone.seq + 1, gone.chain), bytes.subarray(gone.end, last.end)]),
    )
    const instance = await DuckDBInstance.create(join(dir, 'landing.duckdb'))
    const connection = await instance.connect()
    await connection.run(`
      update state set landed_seq = ${before.seq},
        row_total = row_total - (select count(*) from pages where page_id > ${before.seq});
      delete from pages where page_id > ${before.seq};
      update pages set run_id = 'of-other-books'`)
    connection.closeSync()
    instance.closeSync()

    const stdout = await repaired(dir)

    expect(stdout).toContain('Everything verifies.')
    expect(stdout).toContain(`Missing: frame ${gone.seq}. Kept: ${frames.length - 1} whole frames.`)
    expect(stdout).not.toContain('other books')
  }, 300_000)

  test('report what became of one frame and one range in the singular', () => {
    const one = { kept: 1, setAside: [{ from: 7, to: 7 }], missing: null, losses: [] }
    expect(describeRepair({ ...one, file: '/books/journal/damaged-1.bin', pending: 1 })).toBe(
      [
        'Damaged or missing: frame 7. Kept: 1 whole frame.',
        'The damaged bytes are in /books/journal/damaged-1.bin.',
        '1 range is pending again: `tieout nightly` fetches it while the venue still has it.',
      ].join('\n'),
    )
    const many = { ...one, kept: 9, setAside: [{ from: 7, to: 8 }] }
    expect(describeRepair({ ...many, file: null, pending: 0 })).toBe(
      'Missing: frames 7 to 8. Kept: 9 whole frames.',
    )
  })

  test.each([
    ['landing and ledger', []],
    ['the ledger alone', ['landing.duckdb']],
    ['landing alone', ['ledger.duckdb']],
  ])('under an older journal, as %s show: missing frames are called missing', async (_who, gone) => {
    const dir = copied(small)
    for (const name of gone) rmSync(join(dir, name))
    const frames = await framesOf(dir)
    const kept = frames.at(-4)!
    writeFileSync(segment(dir), readFileSync(segment(dir)).subarray(0, kept.end))

    const stdout = await repaired(dir)

    expect(stdout).toContain(`No frame of the journal is damaged; all ${kept.seq} frames are kept.`)
    expect(stdout).toContain(
      `Frames ${kept.seq + 1} to ${kept.seq + 3} are missing: they had landed, but are beyond the end of this journal.`,
    )
    // Thousands of frames that follow each other are one line.
    expect(stdout).toContain(
      `Frames ${kept.seq + 1} to ${kept.seq + 3} were damaged or missing when the journal was repaired; the chain holds without them.`,
    )
    expect(stdout).not.toMatch(/damaged frames|damaged bytes/)
  })

  test.each([
    ['', 'stdout'],
    ['--json', 'stderr'],
  ] as const)(
    'repaired and not verified %s report what became of them: the next run finds nothing to report',
    async (option, output) => {
      const dir = copied(small)
      const frames = await framesOf(dir)
      const bytes = readFileSync(segment(dir))
      bytes[frames[Math.floor(frames.length / 2)]!.end - 60]! ^= 0x20
      writeFileSync(segment(dir), bytes)
      // Where verifying would land the journal once more.
      rmSync(join(dir, 'tmp'), { recursive: true, force: true })
      writeFileSync(join(dir, 'tmp'), '')

      const stopped = await run(dir, 'verify', '--repair', ...(option === '' ? [] : [option]))

      expect(stopped.code).toBe(2)
      expect(stopped.stderr).toContain(join(dir, 'tmp'))
      expect(stopped[output]).toMatch(
        /^Damaged or missing: frames? [\d, to]+\. Kept: \d+ whole frames\.\nThe damaged bytes are in .*damaged-.*\.bin\.$/m,
      )
      expect(stopped.stdout).not.toContain('verifies')
      rmSync(join(dir, 'tmp'))
      const context = silentContext(dir, NOW)
      expect(await repairBooks(context, optionalConfig(context))).toBe(null)
      expect(await problemsOf(dir)).toEqual([])
    },
    120_000,
  )

  test('cut in the middle, with a repair that is killed: the next one finishes it, or starts over', async () => {
    const dir = copied()
    const frames = await framesOf(dir)
    const { size } = statSync(segment(dir))
    const kept = frames[Math.floor(frames.length / 3)]!
    writeFileSync(segment(dir), readFileSync(segment(dir)).subarray(0, kept.end + 50))
    expect((await run(dir, 'build')).stderr).toContain('The journal ends before what has landed.')

    for (let count = 0; count < 3; count += 1) {
      const { child, ended } = await startTieout(['verify', '--repair', '--dir', dir, '--now', NOW])
      while (child.exitCode === null && !readdirSync(join(dir, 'journal')).includes('repair'))
        await systemClock.sleep(1)
      child.kill('SIGKILL')
      await ended
    }
    const repaired = await run(dir, 'verify', '--repair')

    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toContain('Everything verifies.')
    expect(statSync(segment(dir)).size).toBeLessThan(size * 2)
    expect((await run(dir, 'sync')).code).toBe(0)
    await run(dir, 'import', 'trades', join(dir, 'elsewhere.csv'))
    expect(await hashesOf(dir)).toEqual(await hashesOf(whole))
  }, 300_000)
})
