// Backup and restore as docs/operations.md has them: the journal copied while a run writes it, put elsewhere, and the books
// made again from it, to the hash.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { type Outcome, startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'
import { problemsOf } from '../support/whole-books.ts'

const SPEED = 2_000
const NOW = '2026-06-30T00:00:00Z'
const FILES = ['tieout.yaml', 'credentials.yaml']

let venue: Sandbox
let dir: string
/** The journal as it was copied while the run wrote it. */
let copied: string

const framesOf = async (folder: string): Promise<number> => (await verifyJournal(folder)).frames
const night = (folder: string) => ['nightly', '--dir', folder, '--now', NOW]

beforeAll(async () => {
  venue = await startSandbox({ seed: 7, days: 5, now: new Date(NOW), speed: SPEED })
  dir = mkdtempSync(join(tmpdir(), 'tieout-backup-'))
  copied = mkdtempSync(join(tmpdir(), 'tieout-copied-'))
  // Two of its accounts: one unified, one classic.
  const accounts = venue.accounts.filter(({ name }) => ['parent', 'classic'].includes(name))
  await configureBooks(dir, { ...venue, accounts }, { speed: SPEED, since: '2026-06-20' })
  const running = await startTieout(night(dir))
  const asked = (): number => venue.stats().endpoints.reduce((sum, { requests }) => sum + requests, 0)
  while (asked() < 40 && running.child.exitCode === null) await systemClock.sleep(1)
  cpSync(join(dir, 'journal'), join(copied, 'journal'), { recursive: true })
  expect([0, 3]).toContain((await running.ended).code)
}, 300_000)

afterAll(async () => {
  await venue.close()
  const folders = [dir, copied, ...(older === undefined ? [] : [dirname((await older).folder)])]
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder with the configuration and a copy of this journal. */
function restored(from: string): string {
  const folder = join(temporaryFolder(), 'restored')
  restoreTo(folder, from)
  return folder
}

function restoreTo(folder: string, from: string): void {
  mkdirSync(folder)
  for (const name of FILES) cpSync(join(dir, name), join(folder, name))
  cpSync(join(from, 'journal'), join(folder, 'journal'), { recursive: true })
}

const hashOf = (folder: string): Promise<string> => ledgerHash(join(folder, 'ledger.duckdb'))

/**
 * A backup that is older than the landing database beside it: what a build says of it, and a rebuild once that database is gone.
 * For the tests of older backups.
 */
async function rebuildOlder(): Promise<{ folder: string; refused: Outcome; rebuilt: Outcome }> {
  const folder = join(mkdtempSync(join(tmpdir(), 'tieout-older-')), 'restored')
  restoreTo(folder, copied)
  cpSync(join(dir, 'landing.duckdb'), join(folder, 'landing.duckdb'))
  const refused = await command(['build', '--dir', folder, '--now', NOW])
  rmSync(join(folder, 'landing.duckdb'))
  return { folder, refused, rebuilt: await command(['rebuild', '--dir', folder, '--now', NOW]) }
}

let older: ReturnType<typeof rebuildOlder> | undefined

function olderBooks(): ReturnType<typeof rebuildOlder> {
  older ??= rebuildOlder()
  return older
}

describe('a backup', () => {
  test('of the journal alone gives the same books, down to the hash', async () => {
    const folder = restored(dir)

    const rebuilt = await command(['rebuild', '--dir', folder, '--now', NOW])

    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.stringContaining('frames again.')])
    expect(await hashOf(folder)).toBe(await hashOf(dir))
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['journal', 'landing.duckdb', 'ledger.duckdb']),
    )
  }, 120_000)

  test('made in the middle of a run holds a complete beginning; the next night fetches the rest and arrives at the same hash', async () => {
    const { folder, rebuilt } = await olderBooks()
    const frames = await framesOf(folder)

    const problems = await problemsOf(folder)
    await command(night(folder))

    expect([frames > 10, frames < (await framesOf(dir))]).toEqual([true, true])
    expect([rebuilt.code, problems]).toEqual([0, []])
    expect(await hashOf(folder)).toBe(await hashOf(dir))
  }, 240_000)

  test('that is older than the landing database beside it is refused by name; without that landing database, rebuild accepts it', async () => {
    const { refused, rebuilt } = await olderBooks()

    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('The journal ends before what has landed.'),
    ])
    expect(rebuilt.code).toBe(0)
  }, 120_000)
})
