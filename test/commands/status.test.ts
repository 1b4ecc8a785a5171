// What monitoring gets from `tieout status`, and which times of a run follow --now.

import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/index.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const NOW = '2026-03-01T00:00:00.000Z'
const at = (hours: number): string => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString()

describe('status', { timeout: 300_000 }, () => {
  test('ends with code 3 without a ledger, and with code 2 if --max-age is not a duration', async () => {
    const dir = temporaryFolder()
    const none = await tieout(['status', '--dir', dir])
    expect([none.code, none.stdout]).toEqual([
      3,
      expect.stringContaining('There is no published ledger yet.'),
    ])

    const wrong = await command(['status', '--dir', dir, '--max-age', 'soon'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--max-age is not a duration.')])
  })

  test('distinguishes stale from fresh books by the last good run, and dates a run under --now by that time', async () => {
    const dir = join(temporaryFolder(), 'books')
    const [days, speed] = [3, 2_000]
    const sandbox = await startSandbox({ days, now: new Date(NOW), speed, faults: 'drop=tax.records:20' })
    const accounts = sandbox.accounts.slice(0, 1)
    await configureBooks(dir, { ...sandbox, accounts }, { speed, since: '2026-02-20' })
    const night = await command(['nightly', '--dir', dir, '--now', NOW])
    await sandbox.close()
    expect([0, 3]).toContain(night.code)

    const fresh = await command(['status', '--dir', dir, '--max-age', '36h', '--now', at(36)])
    expect(fresh.stderr).toBe('')
    expect(fresh.code).toBe(night.code)
    const old = await command(['status', '--dir', dir, '--max-age', '36h', '--now', at(37)])
    expect(old.code).toBe(3)
    expect(old.stderr).toMatch(
      /^tieout: The last good run ended 2026-03-01T00:\d\d:.*Z, 1 d ago; --max-age allows 36h\.$/m,
    )

    const instance = await DuckDBInstance.create(join(dir, 'ledger.duckdb'), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(
      `select 'published', published_at from about
       union all select 'started', started_at from runs
       union all select 'ended', ended_at from runs
       union all select 'broken', first_seen_at from breaks`,
    )
    connection.closeSync()
    instance.closeSync()
    const hour = reader.getRowsJson().map(([what, time]) => [what, String(time).slice(0, 13)])
    expect(hour.length).toBeGreaterThanOrEqual(3)
    expect(hour).toEqual(hour.map(([what]) => [what, '2026-03-01 00']))
  })
})
