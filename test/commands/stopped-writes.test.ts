// Imports, withdrawals and erasures that are asked to stop: real processes, each signalled at a moment that its files show.
// Whatever the moment, nothing is left half done for good: the same command, or a build, finishes it.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askLedger } from '../support/ask-ledger.ts'
import { type Outcome, startTieout, temporaryFolder } from '../support/cli.ts'
import { everyByte } from '../support/every-byte.ts'
import { TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { problemsOf } from '../support/whole-books.ts'

const NAME = 'Jane Roe of 12 Elm Street'
const ROWS = [
  `${NAME},2024-03-01T00:00:00Z,desk,buy,BTC,1,USD,100,0,USD`,
  's1,2024-06-01T00:00:00Z,desk,sell,BTC,1,USD,250,0,USD',
]
const MORE = 'b9,2024-07-01T00:00:00Z,desk,buy,ETH,2,USD,300,0,USD'

let original: string
let file: string
beforeAll(async () => {
  original = mkdtempSync(join(tmpdir(), 'stopped-'))
  writeFileSync(join(original, 'tieout.yaml'), 'accounts: {}\n')
  file = join(original, 'first.csv')
  writeFileSync(file, [TRADE_HEADER, ...ROWS, ''].join('\n'))
  expect((await command(['import', 'trades', file, '--dir', original])).code).toBe(0)
  file = join(original, 'more.csv')
  writeFileSync(file, [TRADE_HEADER, MORE, ''].join('\n'))
}, 120_000)
afterAll(() => rmSync(original, { recursive: true, force: true }))

function copied(): string {
  const dir = temporaryFolder()
  cpSync(original, dir, { recursive: true })
  // Only the books themselves are searched for what was erased.
  for (const name of ['first.csv', 'more.csv']) writeFileSync(join(dir, name), '')
  return dir
}

const journalSize = (dir: string): number => statSync(join(dir, 'journal', '000001.journal')).size

/** When a process has come that far with these books. */
const MOMENTS: Readonly<Record<string, (dir: string) => () => boolean>> = {
  'it has the lock': (dir) => () => existsSync(join(dir, 'lock')),
  'the journal has changed': (dir) => {
    const [size, bytes] = [journalSize(dir), readFileSync(join(dir, 'journal', '000001.journal'))]
    return () =>
      journalSize(dir) !== size || !readFileSync(join(dir, 'journal', '000001.journal')).equals(bytes)
  },
  'it builds': (dir) => () =>
    existsSync(join(dir, 'tmp')) && readdirSync(join(dir, 'tmp')).some((name) => name.startsWith('ledger-')),
}

async function stopped(
  args: readonly string[],
  dir: string,
  moment: string,
  signal: NodeJS.Signals,
): Promise<Outcome> {
  const hasCome = MOMENTS[moment]!(dir)
  const { child, ended } = await startTieout([...args, '--dir', dir])
  while (!hasCome() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
  child.kill(signal)
  return ended
}

async function asked(dir: string, sql: string): Promise<unknown> {
  const [rows] = await askLedger(dir, [sql])
  return rows
}

/** Books that nobody writes, whose journal and ledger verify. */
async function mustBeWhole(dir: string): Promise<void> {
  expect(existsSync(join(dir, 'lock'))).toBe(false)
  expect(existsSync(join(dir, 'tmp')) ? readdirSync(join(dir, 'tmp')) : []).toEqual([])
  expect(await problemsOf(dir)).toEqual([])
}

/** Every moment, by one signal and the other in turn: what a signal does is the same for every command. */
const casesFrom = (first: number) =>
  Object.keys(MOMENTS).map((moment, at) => [moment, (first + at) % 2 === 0 ? 'SIGTERM' : 'SIGHUP'] as const)

const ASSETS = 'select asset from imported_trades order by 1'

describe('asked to stop once', { timeout: 240_000 }, () => {
  test.each(casesFrom(0))(
    '%s (%s), an import ends with 0 or 5, and the same import completes it',
    async (moment, signal) => {
      const dir = copied()
      const ended = await stopped(['import', 'trades', file], dir, moment, signal)
      expect([0, 5]).toContain(ended.code)
      await mustBeWhole(dir)
      const again = await command(['import', 'trades', file, '--dir', dir])
      expect(again.code).toBe(0)
      expect(await asked(dir, ASSETS)).toEqual([{ asset: 'BTC' }, { asset: 'BTC' }, { asset: 'ETH' }])
      // However far it had come, the file is journaled once.
      expect(JSON.parse((await command(['import', '--list', '--json', '--dir', dir])).stdout)).toHaveLength(2)
      await mustBeWhole(dir)
    },
  )

  test.each(casesFrom(1))(
    '%s (%s), a withdrawal ends with 0 or 5, and the same withdrawal completes it',
    async (moment, signal) => {
      const dir = copied()
      const ended = await stopped(['import', '--undo', '1'], dir, moment, signal)
      expect([0, 5]).toContain(ended.code)
      await mustBeWhole(dir)
      const again = await command(['import', '--undo', '1', '--dir', dir])
      expect(again.code).toBe(ended.code === 0 ? 2 : 0)
      expect(await asked(dir, ASSETS)).toEqual([])
      await mustBeWhole(dir)
    },
  )

  test.each(casesFrom(0))(
    '%s (%s), an erasure ends with 0 or 5, and erasing again leaves the text in no file',
    async (moment, signal) => {
      const dir = copied()
      expect(await everyByte(dir)).toContain(NAME)
      const erase = ['erase', '1', '--yes']
      const ended = await stopped(erase, dir, moment, signal)
      expect([0, 5]).toContain(ended.code)
      expect(existsSync(join(dir, 'lock'))).toBe(false)
      if (ended.code === 5) {
        // Unfinished, and said to be so.
        const seen = await command(['erase', '1', '--dir', dir])
        expect(seen.stderr).toContain('An earlier erasure was interrupted')
        expect((await command([...erase, '--dir', dir])).code).toBe(0)
      }
      expect(await everyByte(dir)).not.toContain(NAME)
      expect(await asked(dir, 'select row_count from imports')).toEqual([{ row_count: 2 }])
      await mustBeWhole(dir)
    },
  )
})
