// What a program finds on standard error that asked for a log: lines of JSON and nothing else, whatever happens.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, tieout } from '../support/cli.ts'

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
  test('holds JSON lines alone in a run with progress, notes and open breaks', async () => {
    const words = ['demo', '--dir', temporaryFolder(), '--days', '8', '--now', '2026-03-01T00:00:00Z']

    const { code, stdout, stderr } = await tieout([...words, '--log-level', 'info'])

    expect([0, 3]).toContain(code)
    expect(stdout).toContain('balances')
    const lines = linesOf(stderr)
    expect(new Set(lines.map(({ run }) => run)).size).toBe(1)
    expect(lines.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/tax\.records: done, \d+ rows in \d+ requests/),
    )
  })

  test.each<[string, string[], number, Record<string, unknown>]>([
    ['an error of ours', ['plan'], 2, { error: 'UsageError', msg: 'There is no configuration.' }],
    ['an unknown option', ['status', '--nope'], 2, { msg: 'Unknown argument: nope' }],
    ['a command that is none', ['statsu'], 2, { msg: 'Did you mean status?' }],
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
