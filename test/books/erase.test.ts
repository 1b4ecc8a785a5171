// A person's data out of the books by command: what would go is shown first; afterwards no file of the books holds it, the
// chain verifies, and every command that meets the gap says so.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { erase, findEraseTargets, unsearchedFiles } from '../../pipeline/books/erase.ts'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import { journaledBooks, type PageOf, rows, taxPage } from '../evidence/explain-books.ts'
import { buildOnly } from '../support/build-only.ts'
import { compileForChild } from '../support/child.ts'
import { type Outcome, startTieout, temporaryFolder } from '../support/cli.ts'
import { everyByte } from '../support/every-byte.ts'
import { command } from '../support/in-process.ts'
import { problemsOf } from '../support/whole-books.ts'

const p2pOrders = (orders: readonly string[]): PageOf => ({
  feed: 'p2p.orders',
  path: '/api/v2/p2p/orderList',
  body: `{"code":"00000","msg":"success","data":{"orderList":[${orders.join(',')}],"minMerchantOrderId":"1"}}`,
})

const order = (id: string, name: string): string =>
  `{"orderId":"${id}","orderNo":"${id}","advNo":"1","price":"1","count":"5","side":"buy","fiat":"EUR","coin":"USDT","buyerRealName":"${name}","cTime":"1767600000000","uTime":"1767600000000"}`

/** Frames: 3 tax records, 4 with two people, 5 with one of them again, escaped as JSON may have it. */
const PAGES = [
  taxPage([rows.bought, rows.paid]),
  p2pOrders([order('1', 'Jane Roe'), order('2', 'John Doe')]),
  p2pOrders([order('3', 'J\\u0061ne Roe')]),
]

/** What the tests ask of the published books. */
const READ = ['main.p2p_orders', 'main.entries']

let original: string
/** The same, frame 4 erased. */
let without4: string
let program: string
beforeAll(async () => {
  original = await journaledBooks(PAGES, [])
  // Asked for, so that the published books hold names before.
  writeFileSync(join(original, 'tieout.yaml'), 'privacy: { publish_personal_data: true }\n')
  await buildOnly(original, READ)
  without4 = mkdtempSync(join(tmpdir(), 'tieout-without-'))
  cpSync(original, without4, { recursive: true })
  await erase(without4, await findEraseTargets(without4, { frames: [4] }), systemClock)
  await buildOnly(without4, READ)
  program = await compileForChild('test/books/erase-child.ts')
}, 120_000)
afterAll(async () => {
  for (const dir of [
    without4,
    ...(erased === undefined ? [] : [(await erased).dir]),
    ...Object.values(ofProcess ?? {}),
  ])
    rmSync(dir, { recursive: true, force: true })
})

function copied(from = original): string {
  const dir = temporaryFolder()
  cpSync(from, dir, { recursive: true })
  return dir
}

let erased: Promise<{ readonly dir: string; readonly done: Outcome }> | undefined

/**
 * Books from which the text was erased, while the steps of a build and the copies of a repair that was killed, which may contain
 * it, stood beside them.
 */
function erasedBooks(): Promise<{ readonly dir: string; readonly done: Outcome }> {
  erased ??= (async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tieout-erased-'))
    cpSync(original, dir, { recursive: true })
    expect(await names(dir)).toContain('Jane Roe')
    expect(await everyByte(dir)).toContain('Jane Roe')
    writeFileSync(join(dir, 'steps.duckdb'), 'Jane Roe')
    mkdirSync(join(dir, 'journal', 'repair'))
    writeFileSync(join(dir, 'journal', 'repair', '000001.journal'), 'Jane Roe')
    return { dir, done: await command(['erase', '--matching', 'Jane Roe', '--yes', '--dir', dir]) }
  })()
  return erased
}

let ofProcess: { readonly books: string; readonly copies: string } | undefined

/** Books of which a process has erased the text, up to the published ledger, and copies of them behind each of its changes. */
function erasedByProcess(): { readonly books: string; readonly copies: string } {
  if (ofProcess !== undefined) return ofProcess
  const books = mkdtempSync(join(tmpdir(), 'tieout-erased-'))
  const copies = mkdtempSync(join(tmpdir(), 'tieout-changes-'))
  cpSync(original, books, { recursive: true })
  const child = spawnSync(process.execPath, [program, books, 'Jane Roe', copies])
  expect([child.status, child.stderr.toString()]).toEqual([0, ''])
  ofProcess = { books, copies }
  return ofProcess
}

const names = async (dir: string): Promise<string> =>
  (
    await command([
      'sql',
      'select buyer_real_name from p2p_orders order by 1',
      '--format',
      'csv',
      '--dir',
      dir,
    ])
  ).stdout

/** A disk whose process dies after so many writes into the journal. */
function dyingAfter(writes: number): Disk {
  let left = writes
  return {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      if (how !== 'change') return file
      const write: typeof file.write = async (bytes, position) => {
        if (left === 0) throw new Error('died')
        left -= 1
        await file.write(bytes, position)
      }
      return { ...file, write }
    },
  }
}

describe('erase', { timeout: 120_000 }, () => {
  test('without --yes shows the frames that contain the text, however it is escaped, and changes nothing', async () => {
    const dir = copied()
    const before = await everyByte(dir)

    const { code, stdout, stderr } = await command(['erase', '--matching', 'Jane Roe', '--dir', dir])

    expect(code).toBe(0)
    expect(
      stdout
        .split('\n')
        .slice(2)
        .map((line) => line.trim().split(/\s+/)),
    ).toEqual([
      ['4', 'page', 'main', 'p2p.orders', '2026-02-01T03:00:00.000Z', '442', '2', '1'],
      ['5', 'page', 'main', 'p2p.orders', '2026-02-01T03:00:00.000Z', '266', '1', '1'],
      expect.arrayContaining(['2', 'frames', 'with', '3', 'rows:']),
      [''],
    ])
    expect(stdout).not.toContain('Jane')
    expect(stderr).toContain('Nothing has been changed. Add --yes')
    expect(await everyByte(dir)).toBe(before)
  })

  test('with --yes leaves the text in no file of the books; everything else stays, and everything verifies', async () => {
    const { dir, done } = await erasedBooks()

    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Erased 2 frames')])
    const left = await everyByte(dir)
    expect([left.includes('Jane'), left.includes('J\\u0061ne'), left.includes('John Doe')]).toEqual([
      false,
      false,
      false,
    ])
    expect(await names(dir)).toBe('buyer_real_name\n')
    const entries = await command(['sql', 'select count(*) n from entries', '--format', 'json', '--dir', dir])
    expect(JSON.parse(entries.stdout)).toEqual([{ n: 3 }])
    const verified = await command(['verify', '--dir', dir])
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('Everything verifies.')])
    expect(verified.stdout).toContain(
      'Frame 4 was erased: its body is gone, the chain holds.\nFrame 5 was erased',
    )
  })

  test('rebuild states which frames no longer have rows, and builds the same books', async () => {
    const dir = copied(without4)
    const before = await names(dir)

    const rebuilt = await command(['rebuild', '--dir', dir])

    expect([rebuilt.code, rebuilt.stderr]).toEqual([
      0,
      expect.stringContaining('Erased earlier, so without rows: frame 4.'),
    ])
    expect([before, await names(dir)]).toEqual(['buyer_real_name\nJane Roe\n', 'buyer_real_name\nJane Roe\n'])
  })

  test('killed after the journal and before the books were changed, the next build lands what is left', async () => {
    const dir = copied()
    rmSync(join(dir, 'landing.duckdb'))
    await eraseFrames(dir, [4, 5], systemClock)

    const { published } = await buildOnly(dir, READ)

    expect(published).toBe(true)
    expect(await everyByte(dir)).not.toContain('Jane')
  })

  test.each([
    ['between two bodies', 3],
    ['before anything but the list', 0],
  ])('killed %s, finished by a repair or by erasing again, no file contains the text', async (_, writes) => {
    const dir = copied()
    rmSync(join(dir, 'landing.duckdb'))
    await expect(eraseFrames(dir, [4, 5], systemClock, dyingAfter(writes))).rejects.toThrow('died')

    const repaired = await command(['verify', '--repair', '--dir', dir])
    expect([repaired.code, repaired.stderr]).toEqual([1, expect.anything()])
    expect(repaired.stdout).toContain('an erasure was interrupted, erase them again')
    await buildOnly(dir, READ)
    expect((await command(['erase', '4', '5', '--yes', '--dir', dir])).code).toBe(0)

    expect(await everyByte(dir)).not.toContain('Jane')
    expect(await problemsOf(dir)).toEqual([])
  })

  test('a process killed at any change: the next writer leaves the text in no file but the published ledger', async () => {
    const { books, copies } = erasedByProcess()
    // File under way, landing and its log, list, two states, two bodies, file under way.
    const changes = readdirSync(copies).length
    expect(changes).toBeGreaterThan(10)
    const states = Array.from({ length: changes }, (_, at) => join(copies, String(at + 1)))
    for (const [steps, state] of [...states, books].entries()) {
      const dir = copied(state)
      // Until the first rename nothing is begun.
      const isBegun = existsSync(join(dir, 'journal', 'erasing.json'))
      expect([steps, isBegun]).toEqual([steps, steps > 0])
      if (!isBegun) continue

      await (await openBooks(dir, { clock: systemClock, command: 'test' })).close()
      rmSync(join(dir, 'ledger.duckdb'))
      expect([steps, (await everyByte(dir)).includes('Jane')]).toEqual([steps, false])
    }
  })

  test('a copy taken after each change is what a process killed there leaves behind', () => {
    const { copies } = erasedByProcess()
    const place = String(Math.ceil(readdirSync(copies).length / 2))
    const [dir, others] = [copied(), temporaryFolder()]
    const child = spawnSync(process.execPath, [program, dir, 'Jane Roe', others, place])
    expect(child.signal).toBe('SIGKILL')
    const sizes = (of: string) =>
      readdirSync(of, { recursive: true })
        // The lock has the number of its process, which may have a digit more.
        .map((name) => (name === 'lock' ? name : `${name} ${statSync(join(of, String(name))).size}`))
        .sort()
    expect(sizes(dir)).toEqual(sizes(join(copies, place)))
  })

  test('cannot search what crashes and repairs moved aside, nor reports as filed', async () => {
    const dir = temporaryFolder()
    for (const folder of ['journal', 'filings']) mkdirSync(join(dir, folder))
    const beside = ['journal/damaged-1.bin', 'journal/torn-1.bin', 'filings/2025.json']
    for (const name of [...beside, 'journal/000001.journal', 'journal/erased.jsonl'])
      writeFileSync(join(dir, name), '')

    expect(await unsearchedFiles(dir)).toEqual(beside)
  })

  test('a named frame that has no body is reported', async () => {
    const { code, stdout, stderr } = await command(['erase', '1', '--dir', copied()])
    expect([code, stdout]).toEqual([0, 'No frame in the journal matches.\n'])
    expect(stderr).toContain('Nothing to erase in 1 frame named here: 1.')
  })

  test.each([
    ['erasing again', ['erase', '--matching', 'Jane Roe', '--yes'], 'Finishing the erasure;'],
    ['a build', ['build'], 'An erasure was interrupted.'],
  ])(
    'killed when the bodies are gone and the old ledger still exists, %s finishes it',
    async (_, words, told) => {
      const dir = copied(erasedByProcess().books)
      expect(await names(dir)).toContain('Jane Roe')
      const shown = await command(['erase', '--matching', 'Jane Roe', '--dir', dir])
      expect([shown.code, shown.stdout]).toEqual([0, 'No frame in the journal matches.\n'])
      expect(shown.stderr).toContain('An earlier erasure was interrupted')
      expect(shown.stderr).toContain('Add --yes to finish the erasure.')
      expect(await problemsOf(dir)).toContainEqual(expect.stringContaining('ledger: an erasure'))

      const { code, stderr } = await command([...words, '--dir', dir])

      expect([code, stderr]).toEqual([0, expect.stringContaining(told)])
      expect((await everyByte(dir)).includes('Jane')).toBe(false)
      expect(await problemsOf(dir)).toEqual([])
      expect((await command(['erase', '--matching', 'Jane Roe', '--dir', dir])).stderr).toBe('')
    },
  )

  test('a ledger file from before the books were on a server is removed too', async () => {
    const dir = copied(erasedByProcess().books)
    writeFileSync(join(dir, 'tieout.yaml'), 'engine:\n  clickhouse: { url: "http://127.0.0.1:1" }\n')
    expect((await everyByte(dir)).includes('Jane')).toBe(true)
    expect((await command(['build', '--dir', dir])).code).toBe(5)
    expect((await everyByte(dir)).includes('Jane')).toBe(false)
  })

  test('killed while the books are being rebuilt, erasing again leaves the text in no file', async () => {
    const dir = copied()
    const words = ['erase', '--matching', 'Jane Roe', '--yes', '--dir', dir]
    const { child, ended } = await startTieout(words)
    const isUnderWay = () =>
      readdirSync(join(dir, 'tmp')).some((name) => /^ledger-\d+-\d+\.duckdb$/.test(name))
    while (child.exitCode === null && !isUnderWay()) await systemClock.sleep(1)
    child.kill('SIGKILL')
    expect((await ended).code).toBe(null)
    expect((await everyByte(dir)).includes('Jane')).toBe(true)

    expect((await command(words)).code).toBe(0)

    expect((await everyByte(dir)).includes('Jane')).toBe(false)
  })

  test('copies left by a repair that was killed are removed by the next writer', async () => {
    const { dir } = await erasedBooks()
    expect(existsSync(join(dir, 'journal', 'repair'))).toBe(false)
    expect((await everyByte(dir)).includes('Jane')).toBe(false)
  })

  test.each([
    ['landing.duckdb', ['erase', '4', '--yes']],
    ['ledger.duckdb', ['erase', '4', '--yes']],
    ['landing.duckdb', ['rebuild']],
    ['ledger.duckdb', ['build']],
    ['landing.duckdb', ['verify', '--repair']],
    ['steps.duckdb', ['build']],
  ])('%s as a symbolic link: %j is refused before anything is touched', async (name, words) => {
    const dir = copied()
    // Only large books have it.
    if (name === 'steps.duckdb') writeFileSync(join(dir, name), 'steps')
    const elsewhere = join(temporaryFolder(), name)
    renameSync(join(dir, name), elsewhere)
    symlinkSync(elsewhere, join(dir, name))
    const before = await everyByte(dir)

    const { code, stderr } = await command([...words, '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toContain(`${name} is a symbolic link.`)
    expect(stderr).toContain(`Move ${elsewhere} here in place of the link.`)
    expect(await everyByte(dir)).toBe(before)
    expect(readFileSync(elsewhere).length).toBeGreaterThan(0)
  })

  test('the steps of a build are removed, which may contain the text', async () => {
    const { dir, done } = await erasedBooks()
    expect([0, 3]).toContain(done.code)
    expect(existsSync(join(dir, 'steps.duckdb'))).toBe(false)
  })

  test('a frame that is already erased may be named again; text that no frame contains erases nothing', async () => {
    const dir = copied(without4)
    writeFileSync(join(dir, 'journal', 'damaged-1.bin'), 'Nobody')

    const again = await command(['erase', '4', '--dir', dir])
    const none = await command(['erase', '--matching', 'Nobody', '--yes', '--dir', dir])
    const other = await command(['erase', '--account', 'other', '--dir', dir])

    expect(again.stdout).toContain('erased already')
    expect([none.code, none.stdout, other.stdout]).toEqual([
      0,
      'No frame in the journal matches.\n',
      'No frame in the journal matches.\n',
    ])
    expect(none.stderr).toContain('Not searched; check these files yourself: journal/damaged-1.bin.\n')
  })

  test.each([
    [['erase'], 'Nothing to erase is named.'],
    [['erase', '4', '99', '--yes'], 'The journal has no such frame to erase.'],
    [['erase', '--matching', ''], '--matching'],
  ])('%j is refused, and changes nothing', async (words, message) => {
    const dir = copied()
    const before = await everyByte(dir)

    const { code, stderr } = await command([...words, '--dir', dir])

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(await everyByte(dir)).toBe(before)
  })
})
