// Backup and restore as docs/operations.md has them: the journal copied while a run writes it, put elsewhere, and the books
// made again from it, to the hash.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

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
  for (const folder of [dir, copied]) rmSync(folder, { recursive: true, force: true })
})

/** A new folder with the configuration and a copy of this journal. */
function restored(from: string): string {
  const folder = join(temporaryFolder(), 'restored')
  mkdirSync(folder)
  for (const name of FILES) cpSync(join(dir, name), join(folder, name))
  cpSync(join(from, 'journal'), join(folder, 'journal'), { recursive: true })
  return folder
}

const hashOf = (folder: string): Promise<string> => ledgerHash(join(folder, 'ledger.duckdb'))

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
    const folder = restored(copied)
    const frames = await framesOf(folder)

    const rebuilt = await command(['rebuild', '--dir', folder, '--now', NOW])
    const verified = await command(['verify', '--dir', folder, '--now', NOW])
    await command(night(folder))

    expect([frames > 10, frames < (await framesOf(dir))]).toEqual([true, true])
    expect([rebuilt.code, verified.code]).toEqual([0, 0])
    expect(await hashOf(folder)).toBe(await hashOf(dir))
  }, 240_000)

  test('that is older than the landing database beside it is refused by name; without that landing database, rebuild accepts it', async () => {
    const folder = restored(copied)
    cpSync(join(dir, 'landing.duckdb'), join(folder, 'landing.duckdb'))

    const refused = await command(['build', '--dir', folder, '--now', NOW])
    rmSync(join(folder, 'landing.duckdb'))
    const rebuilt = await command(['rebuild', '--dir', folder, '--now', NOW])

    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('The journal ends before what has landed.'),
    ])
    expect(rebuilt.code).toBe(0)
  }, 120_000)
})
