// The whole program with another way of paging that the venue has been reported to use: every figure equals the sandbox's truth.
// The demo of demo.test.ts is paged in further ways.
import { expect, test } from 'vitest'
import { compareWithTruth } from '../../pipeline/commands/demo/compare.ts'
import { startSandbox } from '../../sandbox/index.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

test('a nightly run equals the truth with the tax feeds paged newest-first', async () => {
  const [dir, now, speed] = [temporaryFolder(), '2026-06-30T00:00:00Z', 2_000]
  const sandbox = await startSandbox({
    seed: 3,
    days: 30,
    now: new Date(now),
    speed,
    paging: 'newest-first',
  })
  await configureBooks(dir, sandbox, { speed, since: '2026-05-25' })
  const night = await command(['nightly', '--dir', dir, '--now', now])
  expect({ code: night.code, stderr: night.code === 0 ? '' : night.stderr }).toEqual({ code: 0, stderr: '' })
  expect((await compareWithTruth(dir, sandbox.truth())).differences).toEqual([])
  expect(night.stdout).toMatch(/Open breaks: 0 errors, 0 warnings/)
  await sandbox.close()
}, 120_000)

test('an unknown way of paging is refused by name, listing the known ways', async () => {
  const refused = await tieout(['sandbox', '--paging', 'sideways'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('Unknown way of paging "sideways". Known ways: newest-first')
})
