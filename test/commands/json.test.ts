// What commands print for scripts, and their last line for people.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import yargs from 'yargs'
import { commands } from '../../pipeline/commands/index.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

test('build --json: whether it was published, and the open breaks, by severity and individually', async () => {
  const dir = temporaryFolder()
  const { code, stdout, stderr } = await command(['build', '--dir', dir, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    published: true,
    breaks: { error: 0, warning: 0, notice: 0 },
    open_breaks: [],
  })
  expect(stderr.trim().split('\n').at(-1)).toBe(
    `Published; nothing is open. Next: \`tieout status --dir ${dir}\`, or \`tieout report balances --dir ${dir}\`.`,
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
    'unbuilt',
  ])
}, 120_000)

test('every command that answers has --json', async () => {
  const without: string[] = []
  for (const { command: words, load } of commands) {
    const { builder } = await load()
    const parser = yargs([])
    builder(parser)
    const { key } = (parser as unknown as { getOptions(): { key: Record<string, unknown> } }).getOptions()
    if (!('json' in key)) without.push(words)
  }
  expect(without).toEqual([])
})

test('a command line among the examples in the help is never broken, so it can be copied', async () => {
  for (const { command: words, load } of commands) {
    const parser = (await load()).builder(yargs([]).scriptName('tieout').wrap(80))
    const help = await parser.getHelp()
    const [, examples = ''] = help.split('Examples:\n')
    const shown = (examples.split('\n\n')[0] ?? '').split('\n').filter((line) => line !== '')
    expect(shown.length, words).toBeGreaterThan(0)
    const [line = '', use] = shown
    expect(line, words).toMatch(/^ {2}tieout [a-z-]+/)
    // A long one has its use below it; beside a short one it may go on below.
    if (use !== undefined) expect(use, words).toMatch(/^ {2}# |^ {20,}/)
    expect(help, words).not.toContain('$0')
  }
})

test('init, export and worksheet --json: the files that were written, and the rows to fill in', async () => {
  const dir = temporaryFolder()
  const made = await command(['init', '--dir', dir, '--json'])
  expect(JSON.parse(made.stdout)).toEqual({ path: join(dir, 'tieout.yaml') })
  await command(['build', '--dir', dir])
  const out = join(dir, 'books.beancount')
  const exported = await command(['export', 'beancount', '--dir', dir, '--out', out, '--json'])
  expect([exported.code, JSON.parse(exported.stdout)]).toEqual([0, { path: out, tables: null }])
  const worksheet = await command(['worksheet', '--dir', dir, '--json'])
  expect([worksheet.code, JSON.parse(worksheet.stdout)]).toEqual([0, []])
  expect(worksheet.stderr).toBe('Nothing to fill in: there are no arrivals without a known cost.\n')
}, 60_000)
