// Commands that no other test starts as a separate process.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { programFile } from '../support/child.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'

test('endpoints lists the catalogue', async () => {
  const { code, stdout, stderr } = await tieout(['endpoints'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('tax.records')
  expect(stdout).toMatch(/^section .* page +effect\n/)
})

test('tables without published books is a usage error', async () => {
  const { code, stdout, stderr } = await tieout(['tables', '--dir', temporaryFolder()])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('There is no published ledger yet.')
})

test('add-subaccounts without a configuration is a usage error', async () => {
  const { code, stdout, stderr } = await tieout(['add-subaccounts', '1001', '--dir', temporaryFolder()])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('There is no configuration.')
})

test('sql without a query ends the process that it started, and removes its folder', async () => {
  const folder = temporaryFolder()
  const { code, stderr } = await tieout(['sql'], { TMPDIR: folder })
  expect(code).toBe(2)
  expect(stderr).toContain('tieout: Too few arguments: got 0, at least 1 needed.\n')
  expect(readdirSync(folder)).toEqual([])
})

test('a working folder that no longer exists is named', async () => {
  const gone = join(temporaryFolder(), 'gone')
  mkdirSync(gone)
  const shell = 'cd "$0" && rmdir "$0" && exec "$1" "$2" status'
  const ended = promisify(execFile)('sh', ['-c', shell, gone, process.execPath, await programFile()])
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tieout: The folder in which tieout was started no longer exists\.\n/),
  })
})

test.each([[['status']], [['status', '--help']], [['build', '--help']], [['--log-level', 'error', 'build']]])(
  'a program without DuckDB’s library says so in one way: %j',
  async (words) => {
    const without = join(temporaryFolder(), 'without.cjs')
    writeFileSync(
      without,
      `const Module = require('node:module')
    const resolve = Module._resolveFilename
    Module._resolveFilename = (name, ...rest) => resolve(name.endsWith('duckdb.node') ? './not-there' : name, ...rest)`,
    )
    const { code, stdout, stderr } = await tieout(words, {
      NODE_OPTIONS: `--require=${JSON.stringify(without)}`,
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      'tieout: The program cannot be loaded.',
      '  expected: the complete package as npm installs it, including DuckDB for this machine (an optional dependency)',
      expect.stringMatching(/^ {2}found: {4}Cannot find module /),
      '  next:     Reinstall tieout with its optional dependencies. If it is just being updated, run again afterwards.',
      '',
    ])
  },
)

test('a limit on open files that is too low for loading is named as the cause', async () => {
  const shell = 'ulimit -n 30 && exec "$0" "$1" build'
  const ended = promisify(execFile)('sh', ['-c', shell, process.execPath, await programFile()])
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^tieout: The program cannot be loaded: too many open files\.\n.*\n {2}found: {4}EMFILE.*\n {2}next: {5}Raise it \(`ulimit -n`/,
    ),
  })
})
