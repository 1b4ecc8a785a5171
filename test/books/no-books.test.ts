// A folder without books: what works on books refuses it and leaves it as it was, rather than find nothing wrong in it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const NOTHING_LANDED = 'Nothing has landed in these books yet'

test.each([
  ['check', ['check']],
  ['verify', ['verify']],
  ['verify --repair', ['verify', '--repair']],
  ['writes --settle', ['writes', '--settle', '1', '--as', 'done']],
  ['explain-break', ['explain-break', 'x', '--note', 'y']],
])('%s refuses a folder without books, and makes nothing in it', async (_name, words) => {
  const dir = temporaryFolder()
  for (const place of [dir, join(dir, 'mistyped')]) {
    const { code, stdout, stderr } = await command([...words, '--dir', place])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('There are no books in this folder.')
    expect(stderr).toContain(place)
  }
  expect(readdirSync(dir)).toEqual([])
})

test.each(['build', 'rebuild', 'check', 'verify'])(
  '%s refuses a ledger that stands without its journal, and leaves it as it was',
  async (name) => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'ledger.duckdb'), 'a ledger')
    const { code, stderr } = await command([name, '--dir', dir])
    expect(code).toBe(2)
    expect(stderr).toContain('a ledger without the journal it was built from')
    expect(readdirSync(dir)).toEqual(['ledger.duckdb'])
  },
)

test('books that begin say that nothing has landed', async () => {
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
