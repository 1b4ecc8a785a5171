// With a log level, standard error contains lines of JSON and nothing else, whatever happens.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/index.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const linesOf = (stderr: string): Record<string, unknown>[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** A module that makes Node warn once the command has done its work. */
function warningAtTheEnd(): string {
  const file = join(temporaryFolder(), 'warn.mjs')
  writeFileSync(file, "process.once('beforeExit', () => process.emitWarning('mind the gap', 'ForTheTest'))")
  return file
}

describe('standard error at --log-level info', { timeout: 300_000 }, () => {
  test('contains only JSON lines in a run with progress, notes and open breaks', async () => {
    const [dir, now, days, speed] = [temporaryFolder(), '2026-03-01T00:00:00Z', 3, 2_000]
    const faults = 'drop=tax.records:20'
    const sandbox = await startSandbox({ days, now: new Date(now), speed, faults })
    const accounts = sandbox.accounts.slice(0, 1)
    await configureBooks(dir, { ...sandbox, accounts }, { speed, since: '2026-02-20' })

    const words = ['nightly', '--dir', dir, '--now', now, '--log-level', 'info']
    const { code, stdout, stderr } = await tieout(words)
    await sandbox.close()

    expect(code).toBe(3)
    expect(stdout).toContain('balance_chain')
    const lines = linesOf(stderr)
    expect(new Set(lines.map(({ run }) => run)).size).toBe(1)
    expect(lines.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/tax\.records: done, \d+ rows in \d+ requests/),
    )
  })

  test.each<[string, string[], number, Record<string, unknown>]>([
    ['an error of ours', ['plan'], 2, { error: 'UsageError', msg: 'There is no configuration.' }],
    ['an unknown option', ['status', '--nope'], 2, { msg: 'Unknown argument: nope' }],
    ['a command that is none', ['statsu'], 2, { msg: 'Unknown command. Did you mean status?' }],
    ['no command', [], 2, { msg: expect.stringContaining('Name a command.') }],
    ['a warning of Node’s', ['endpoints'], 0, { level: 40, warning: 'ForTheTest', msg: 'mind the gap' }],
  ])('says %s in one line of JSON', async (what, words, expected, line) => {
    const environment = what.startsWith('a warning') ? { NODE_OPTIONS: `--import ${warningAtTheEnd()}` } : {}
    const args = [
      ...words,
      ...(words.length === 0 ? [] : ['--dir', temporaryFolder()]),
      '--log-level',
      'info',
    ]

    const { code, stderr } = await tieout(args, environment)

    expect(code).toBe(expected)
    expect(linesOf(stderr)).toMatchObject([line])
  })
})
