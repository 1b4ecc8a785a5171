// What commands say to scripts, and in the last line to people.
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

test('build --json: whether it was published, and the open breaks by severity and one by one', async () => {
  const dir = temporaryFolder()
  const { code, stdout, stderr } = await command(['build', '--dir', dir, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    published: true,
    breaks: { error: 0, warning: 0, notice: 0 },
    open_breaks: [],
  })
  expect(stderr.trim().split('\n').at(-1)).toBe(
    'Published; nothing is open. Next: `tieout status`, or `tieout report balances`.',
  )

  const asJson = await command(['report', 'balances', '--dir', dir, '--json'])
  expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([0, []])
  const asked = await command([
    'sql',
    "select 1.50::decimal(9, 2) as amount, 'x' as name",
    '--dir',
    dir,
    '--json',
  ])
  expect(JSON.parse(asked.stdout)).toEqual([{ amount: '1.5', name: 'x' }])
  const status = await command(['status', '--dir', dir, '--json'])
  expect(Object.keys(JSON.parse(status.stdout))).toEqual([
    'dir',
    'now',
    'unpublished',
    'publishedAt',
    'lastGoodRunAt',
    'feeds',
    'runs',
    'breaks',
    'explained',
  ])
}, 120_000)
