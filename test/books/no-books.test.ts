// A folder without books: what works on books refuses it and leaves it as it was, rather than find nothing wrong in it.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const NOTHING_LANDED = 'Nothing has landed in these books yet'

test.each([
  ['check', ['check']],
  ['verify', ['verify']],
  ['rebuild', ['rebuild']],
  ['erase', ['erase', '--matching', 'Jane Roe', '--yes']],
  ['writes', ['writes']],
  ['import --list', ['import', '--list']],
  ['import --undo', ['import', '--undo', '3']],
  ['verify --repair', ['verify', '--repair']],
  ['writes --settle', ['writes', '--settle', '1', '--as', 'done']],
  ['explain-break', ['explain-break', 'x', '--note', 'y']],
])('%s refuses a folder without books, and creates nothing in it', async (_name, words) => {
  const dir = temporaryFolder()
  for (const place of [dir, join(dir, 'mistyped')]) {
    const { code, stdout, stderr } = await command([...words, '--dir', place])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('There are no books in this folder.')
    expect(stderr).toContain(place)
  }
  expect(readdirSync(dir)).toEqual([])
})

test.each([
  ['a file with that name', (path: string) => writeFileSync(path, '')],
  ['a broken link', (path: string) => symlinkSync(`${path}-gone`, path)],
])('a demo whose --dir is not a folder names it: %s', async (found, make) => {
  const place = join(temporaryFolder(), 'books')
  make(place)
  const { code, stderr } = await command(['demo', '--dir', place])
  expect(code).toBe(2)
  expect(stderr).toContain(`where:    ${place}\n`)
  expect(stderr).toContain(`found:    ${found}\n`)
})

const trades = (dir: string): string => join(dir, 'trades.csv')

const ALL_THAT_WRITE: readonly (readonly [string, (dir: string) => readonly string[]])[] = [
  ['build', () => ['build']],
  ['rebuild', () => ['rebuild']],
  ['check', () => ['check']],
  ['verify', () => ['verify']],
  ['nightly', () => ['nightly']],
  ['sync', () => ['sync']],
  ['prices fetch', () => ['prices', 'fetch']],
  ['import', (dir) => ['import', 'trades', trades(dir)]],
]

/** A folder with a configuration, a file to import, and no venue that would answer. */
function folderWithout(): string {
  const dir = temporaryFolder()
  writeFileSync(
    join(dir, 'tieout.yaml'),
    'venue:\n  base_url: http://127.0.0.1:9\naccounts:\n  main: { credentials: env }\nprices:\n  sources: { candles: {} }\n',
  )
  writeFileSync(trades(dir), TRADES)
  return dir
}

const bytesOf = (dir: string): Buffer => readFileSync(join(dir, 'ledger.duckdb'))

const TRADES =
  'id,time,account,type,asset,quantity,currency,total,fee,fee_currency\n' +
  'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,1,USD\n'

test.each(ALL_THAT_WRITE)(
  '%s refuses a ledger without its journal, and leaves it unchanged',
  async (_name, words) => {
    const dir = folderWithout()
    writeFileSync(join(dir, 'ledger.duckdb'), 'a ledger')
    const { code, stderr } = await command([...words(dir), '--dir', dir])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('a ledger without the journal it was built from'),
    ])
    expect(readdirSync(dir)).toEqual(['ledger.duckdb', 'tieout.yaml', 'trades.csv'])
    expect(bytesOf(dir).toString()).toBe('a ledger')
  },
)

describe('a ledger beside a journal that ends before what it was built from', () => {
  let full: string

  beforeAll(async () => {
    full = mkdtempSync(join(tmpdir(), 'tieout-full-'))
    writeFileSync(trades(full), TRADES)
    expect((await command(['import', 'trades', trades(full), '--dir', full])).code).toBe(0)
  }, 120_000)

  afterAll(() => rmSync(full, { recursive: true, force: true }))

  test.each(ALL_THAT_WRITE)(
    '%s refuses, and leaves it unchanged',
    async (_name, words) => {
      const dir = folderWithout()
      mkdirSync(join(dir, 'journal'))
      cpSync(join(full, 'ledger.duckdb'), join(dir, 'ledger.duckdb'))
      const { code, stderr } = await command([...words(dir), '--dir', dir])
      expect([code, stderr]).toEqual([1, expect.stringContaining('The journal ends before what has landed.')])
      expect(bytesOf(dir).equals(bytesOf(full))).toBe(true)
    },
    120_000,
  )
})

test('new books state that nothing has landed', async () => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'tieout.yaml'), '')
  const checked = await command(['check', '--dir', dir])
  expect([checked.code, checked.stdout]).toEqual([0, 'No open breaks.\n'])
  expect(checked.stderr).toContain(NOTHING_LANDED)

  const fresh = temporaryFolder()
  const built = await command(['build', '--dir', fresh])
  expect(built.code).toBe(0)
  expect(built.stderr).toContain(NOTHING_LANDED)
  expect(existsSync(join(fresh, 'ledger.duckdb'))).toBe(true)
}, 120_000)

test('a journal whose landing database is missing is not called empty by commands that only read', async () => {
  const dir = folderWithout()
  expect((await command(['import', 'trades', trades(dir), '--dir', dir])).code).toBe(0)
  rmSync(join(dir, 'landing.duckdb'))
  for (const words of [['import', '--list'], ['writes'], ['plan']]) {
    const { code, stdout, stderr } = await command([...words, '--dir', dir])
    expect([words, code, stdout]).toEqual([words, 2, ''])
    expect(stderr).toContain('There is no landing database here.')
    expect(stderr).toContain(`\`tieout rebuild --dir ${dir}\``)
  }
})
