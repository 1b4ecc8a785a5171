// The main job against the sandbox, by real processes over real HTTP: what is fetched, resumed, published and refused.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { compareWithTruth } from '../../pipeline/commands/demo/compare.ts'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { type Sandbox, startSandbox, writeSandboxConfig } from '../../sandbox/index.ts'
import { type Outcome, type Running, startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'
import { problemsOf } from '../support/whole-books.ts'

const SPEED = 400
const NOW = '2026-06-30T00:00:00Z'
/** A run after others: a clock that goes back behind theirs leaves their last moments for the next one, and says so. */
const LATER = '2026-06-30T00:01:00Z'
const DAYS = 20
/** Before the past begins. */
const SINCE = '2026-06-01'

let sandbox: Sandbox
/** Milliseconds by which the venue's clock runs ahead, as it does when a slow machine takes its time. */
let aheadMs = 0
/** Books of a finished night, which tests copy. */
let finished: string

/** Two of the accounts: one unified with margin and P2P, one classic with futures. */
const ACCOUNTS = ['--accounts', 'sub-2,classic']

beforeAll(async () => {
  const monotonicMs = () => performance.now() + aheadMs
  sandbox = await startSandbox({ seed: 3, days: DAYS, now: new Date(NOW), speed: SPEED, monotonicMs })
  finished = mkdtempSync(join(tmpdir(), 'tieout-night-'))
  await configureBooks(finished, sandbox, { speed: SPEED, since: SINCE })
  const night = await command(['nightly', '--dir', finished, '--now', NOW])
  expect({ code: night.code, stderr: night.code === 0 ? '' : night.stderr }).toEqual({ code: 0, stderr: '' })
}, 240_000)
afterAll(async () => {
  await sandbox.close()
  rmSync(finished, { recursive: true, force: true })
  if (second !== undefined) rmSync(folderOf((await second).books), { recursive: true, force: true })
})

/** A folder with the sandbox's configuration, and `--dir` and `--now` for every command on it. */
async function newBooks(venue: Sandbox = sandbox): Promise<string[]> {
  const dir = temporaryFolder()
  await configureBooks(dir, venue, { speed: SPEED, since: SINCE })
  return ['--dir', dir, '--now', NOW]
}

/** The same, but they look as far back as the venue remembers. */
async function unboundedBooks(): Promise<string[]> {
  const dir = temporaryFolder()
  await writeSandboxConfig(dir, sandbox, { speed: SPEED })
  return ['--dir', dir, '--now', NOW]
}

/** A copy of the finished night. */
function copiedBooks(): string[] {
  const dir = temporaryFolder()
  cpSync(finished, dir, { recursive: true })
  return ['--dir', dir, '--now', NOW]
}

const folderOf = (args: readonly string[]): string => args[1] as string
const later = (args: readonly string[]): string[] => args.map((word) => (word === NOW ? LATER : word))
const hashOf = (args: readonly string[]): Promise<string> => ledgerHash(join(folderOf(args), 'ledger.duckdb'))

const requestsSoFar = (): number =>
  sandbox.stats().endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0)

interface SecondNight {
  readonly books: string[]
  readonly pid: number | undefined
  /** That the venue saw. */
  readonly requests: number
  readonly night: Outcome
  /** What others came to while it ran. */
  readonly answer: Outcome
  readonly refused: Outcome
}

let second: Promise<SecondNight> | undefined

/** A night over a copy of the finished one, during which others ask and want to write: for every test that looks at one. */
function secondNight(): Promise<SecondNight> {
  second ??= runSecondNight()
  return second
}

async function runSecondNight(): Promise<SecondNight> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-second-'))
  cpSync(finished, dir, { recursive: true })
  const books = ['--dir', dir, '--now', NOW]
  const before = requestsSoFar()
  const run = await startUntil(10, ['nightly', ...books])
  const [answer, refused] = await Promise.all([
    command(['sql', 'select count(*) > 0 as filled from entries', '--format', 'json', ...books]),
    command(['sync', ...books]),
  ])
  const night = await run.ended
  return { books, pid: run.child.pid, requests: requestsSoFar() - before, night, answer, refused }
}

/** Starts a run and lets the venue see so many requests of it. */
async function startUntil(requests: number, args: readonly string[]): Promise<Running> {
  const start = requestsSoFar()
  const run = await startTieout(args)
  // Looked at every millisecond: a loop without a pause would take the processor from the very run it waits for.
  while (requestsSoFar() - start < requests && run.child.exitCode === null) await systemClock.sleep(1)
  return run
}

describe('nightly', () => {
  test('the published ledger equals the venue’s truth in every balance, futures figure and record count', async () => {
    const comparison = await compareWithTruth(finished, sandbox.truth())
    expect(comparison.differences).toEqual([])
    expect(comparison.balances).toBeGreaterThan(20)
    expect(comparison.futuresFigures).toBeGreaterThan(20)
  })

  test('a second night requests only the tail, and changes nothing', async () => {
    const { books, night, requests } = await secondNight()
    expect(night.code).toBe(0)
    // Six accounts, at most two requests for each partition of their feeds, and the lists that are read whole.
    expect(requests).toBeLessThan(260)
    expect(await hashOf(books)).toBe(await ledgerHash(join(finished, 'ledger.duckdb')))
  }, 240_000)

  test('no budget is ever exceeded, by the venue’s own count', () => {
    const breaches = sandbox
      .stats()
      .endpoints.filter((endpoint) => endpoint.peak > endpoint.limit || '429' in endpoint.refused)
    expect(breaches).toEqual([])
  })
})

describe('a run that is killed', () => {
  test('resumes where it was and arrives at the same ledger, down to the hash, though the oldest minutes have expired meanwhile', async () => {
    aheadMs = 200_000
    const whole = await unboundedBooks()
    await command(['nightly', ...later(whole), ...ACCOUNTS])

    const books = await unboundedBooks()
    for (const afterRequests of [5, 60, 200, 150]) {
      const run = await startUntil(afterRequests, ['nightly', ...books, ...ACCOUNTS])
      run.child.kill('SIGKILL')
      await run.ended
    }
    const last = await command(['nightly', ...later(books), ...ACCOUNTS])
    expect({ code: last.code, stderr: last.code === 0 ? '' : last.stderr }).toEqual({ code: 0, stderr: '' })
    expect(await hashOf(books)).toBe(await hashOf(whole))
    const verified = await command(['verify', '--rebuild', ...books])
    expect(verified.stdout).toMatch(/Everything verifies\.\n(\d{2}) of \1 tables equal\n$/)
  }, 240_000)

  test('Ctrl-C ends it with code 5 and keeps what has landed', async () => {
    const books = await newBooks()
    const start = requestsSoFar()
    const run = await startUntil(60, ['sync', ...books, ...ACCOUNTS])
    run.child.kill('SIGINT')
    const stopped = await run.ended
    expect(stopped.code).toBe(5)
    expect(stopped.stderr).toContain('progress is kept')
    const before = requestsSoFar()
    expect((await command(['sync', ...books, ...ACCOUNTS])).code).toBe(0)
    // What had been received is not asked for again: the two runs together need hardly more than one.
    expect(before - start).toBeGreaterThan(54)
    expect(await problemsOf(folderOf(books))).toEqual([])
  }, 240_000)
})

describe('rebuild', () => {
  test('rebuilding everything from the journal gives the same ledger, down to the hash, without the network', async () => {
    const books = copiedBooks()
    const before = await hashOf(books)
    const requests = requestsSoFar()
    const rebuilt = await command(['rebuild', ...books])
    expect(rebuilt.code).toBe(0)
    expect(await hashOf(books)).toBe(before)
    expect(requestsSoFar()).toBe(requests)
  }, 240_000)
})

describe('while a run writes', () => {
  test('sql answers from the published ledger, and a second sync is refused, naming the holder of the lock', async () => {
    const { answer, refused, pid, night } = await secondNight()
    expect(JSON.parse(answer.stdout)).toEqual([{ filled: true }])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(String(pid))
    expect(night.code).toBe(0)
  }, 240_000)
})

describe('a record that the venue leaves out', () => {
  test('opens the balance chain, and check names the two records around the gap', async () => {
    const faulty = await startSandbox({
      seed: 3,
      days: DAYS,
      now: new Date(NOW),
      speed: SPEED,
      faults: 'drop=tax.records:200',
    })
    try {
      const books = await newBooks(faulty)
      const chosen = ['--accounts', 'parent', '--feeds', 'tax.records']
      expect((await command(['nightly', ...books, ...chosen])).code).toBe(3)
      const check = await command(['check', '--json', ...books])
      expect(check.code).toBe(3)
      const open = JSON.parse(check.stdout) as { check_name: string; severity: string; evidence: string }[]
      const chain = open.filter((one) => one.check_name === 'balance_chain')
      expect(chain).toHaveLength(1)
      expect(JSON.parse((chain[0] as { evidence: string }).evidence)).toHaveLength(2)
      expect(open.filter((one) => one.severity === 'error')).toEqual([])
    } finally {
      await faulty.close()
    }
  }, 240_000)
})

describe('bad input', () => {
  test('a wrong secret is refused with code 4, and the credential is named', async () => {
    const books = await newBooks()
    const file = join(folderOf(books), 'credentials.yaml')
    const secret = sandbox.accounts[0]?.secret as string
    writeFileSync(file, readFileSync(file, 'utf8').replace(secret, 'not-the-secret'))
    const run = await command(['sync', '--accounts', 'parent', ...books])
    expect(run.code).toBe(4)
    expect(run.stderr).toContain('the API key of account parent')
    expect(run.stderr).not.toContain('not-the-secret')
  }, 240_000)

  test('a venue that cannot be reached ends with code 5', async () => {
    const books = await newBooks()
    const file = join(folderOf(books), 'tieout.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/base_url: .*/, 'base_url: http://127.0.0.1:1'))
    const run = await command(['sync', '--accounts', 'classic', ...books])
    expect(run.code).toBe(5)
  }, 240_000)

  const refusals: [string, string[], string][] = [
    ['an impossible date', ['plan', '--now', '2026-02-30'], '--now is not a date'],
    ['an unknown option', ['plan', '--colour'], 'colour'],
    ['an unknown command', ['plam'], 'Did you mean plan?'],
    ['an unknown feed', ['plan', '--feeds', 'tax.record'], 'There is no feed tax.record'],
    ['an unknown account', ['plan', '--accounts', 'mine'], 'There is no account mine'],
    ['a start in the future', ['sync', '--from', '2099-01-01'], '--from lies in the future'],
    ['no ledger yet', ['report', 'balances'], 'There is no published ledger yet'],
  ]
  for (const [what, args, message] of refusals) {
    test(`${what} is a usage error with code 2 and no stack trace`, async () => {
      const [dirOption, dir, , ...rest] = await newBooks()
      const now = args.includes('--now') ? [] : ['--now', ...rest]
      const run = await command([...args, dirOption as string, dir as string, ...now])
      expect(run.code).toBe(2)
      expect(run.stderr).toContain(message)
      expect(run.stderr).not.toMatch(/\n\s+at /)
    })
  }

  test('a folder that cannot be written is named', async () => {
    const run = await command(['init', '--dir', '/proc/tieout'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('/proc/tieout')
  })

  test('an unknown key of the configuration names the nearest known one', async () => {
    const books = await newBooks()
    const file = join(folderOf(books), 'tieout.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('base_url:', 'base_ulr:'))
    const run = await command(['plan', ...books])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('venue.base_ulr')
    expect(run.stderr).toContain('the nearest is base_url')
  })

  test('a corrupt journal is refused and named', async () => {
    const books = await newBooks()
    await command(['sync', '--accounts', 'classic', ...books])
    const segment = join(folderOf(books), 'journal', '000001.journal')
    const bytes = readFileSync(segment)
    bytes[Math.floor(bytes.length / 2)]! ^= 0x20
    writeFileSync(segment, bytes)
    const run = await command(['sync', '--accounts', 'classic', ...books])
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('000001.journal')
    expect(run.stderr).not.toMatch(/\n\s+at /)
  }, 240_000)
})
