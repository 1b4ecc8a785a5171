// Paths that a user gives and that lead to nothing, or to something else: each is named with what was expected of it, what
// stands there, and what to do.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { systemWords } from '../../models/system-error.ts'
import { DiskError } from '../../pipeline/journal/disk.ts'
import { programFile } from '../support/child.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const TRADES = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency\n'
const KRAKEN = 'txid,refid,time,type,subtype,aclass,asset,amount,fee,balance\n'

/** A folder of books with a file, a folder and a link that leads nowhere beside each other. */
function folder(): string {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'file'), 'x')
  writeFileSync(join(dir, 'trades.csv'), TRADES)
  writeFileSync(join(dir, 'kraken.csv'), KRAKEN)
  mkdirSync(join(dir, 'folder'))
  symlinkSync(join(dir, 'nowhere'), join(dir, 'link'))
  return dir
}

const A_FOLDER = 'a folder (EISDIR)'
const NOTHING = 'nothing of this name (ENOENT)'
const NO_LINK = 'a broken link (ENOENT)'

test.each([
  [
    'status --config folder',
    'The configuration cannot be read.',
    'a YAML file such as `tieout init` writes',
    A_FOLDER,
  ],
  [
    'status --config link',
    'The configuration cannot be read.',
    'a YAML file such as `tieout init` writes',
    NO_LINK,
  ],
  ['import trades folder', 'The file to import cannot be read.', 'a CSV file', A_FOLDER],
  ['import trades link', 'The file to import cannot be read.', 'a CSV file', 'a broken link'],
  ['import trades trades.csv --mapping link', 'The mapping cannot be read.', 'a YAML file', NO_LINK],
  ['import trades trades.csv --mapping folder', 'The mapping cannot be read.', 'a YAML file', A_FOLDER],
  [
    'demo --dir file',
    'The folder of the books cannot be created.',
    'a folder that can be written',
    'a file with that name',
  ],
])('%s', async (words, message, expected, found) => {
  const dir = folder()
  const given = words
    .split(' ')
    .map((word) => (/^(file|folder|link|trades\.csv)$/.test(word) ? join(dir, word) : word))
  const { code, stderr } = await command(given.includes('--dir') ? given : [...given, '--dir', dir])
  expect(code).toBe(2)
  const [first, where, ...rest] = stderr.split('\n')
  expect([first, rest[0], rest[1]]).toEqual([
    `tieout: ${message}`,
    `  expected: ${expected}`,
    `  found:    ${found}`,
  ])
  expect(where).toMatch(/^ {2}where: {4}\/.*\/(file|folder|link)$/)
  expect(rest[2]).toMatch(/^ {2}next: {5}\w.*\.$/)
})

test('a missing file named by --config is not treated as an empty configuration', async () => {
  const dir = folder()
  // The usual name is meant no less than another one.
  for (const [words, name] of [
    [['status'], 'mine.yaml'],
    [['report', 'balances'], 'mine.yaml'],
    [['check'], 'tieout.yaml'],
  ] as const) {
    const { code, stderr } = await command([...words, '--dir', dir, '--config', join(dir, name)])
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      2,
      [
        'tieout: There is no configuration.',
        `  where:    ${join(dir, name)}`,
        '  expected: the file named by --config',
        `  next:     Correct --config. \`tieout init --dir ${dir} --config ${join(dir, name)}\` writes a commented one; \`tieout demo\` needs none.`,
      ],
    ])
  }
})

test('a folder in place of one of the books’ lists is named', async () => {
  const dir = folder()
  mkdirSync(join(dir, 'currencies.csv'))
  const file = join(dir, 'kraken.csv')
  const { code, stderr } = await command(['import', 'trades', file, '--account', 'kraken', '--dir', dir])
  expect([code, stderr.split('\n').slice(0, 4)]).toEqual([
    2,
    [
      'tieout: A list in the folder of the books cannot be read.',
      `  where:    ${join(dir, 'currencies.csv')}`,
      '  expected: a CSV file',
      `  found:    ${A_FOLDER}`,
    ],
  ])
})

test('a sandbox does not start in a folder whose configuration is not a file', async () => {
  const dir = folder()
  mkdirSync(join(dir, 'tieout.yaml'))
  const { code, stderr } = await command(['sandbox', '--init', dir])
  expect(code).toBe(2)
  expect(stderr).toContain('The folder contains a configuration that is not a sandbox’s.')
})

test('a sandbox does not start if its folder is a file', async () => {
  const file = join(folder(), 'file')
  const { code, stderr } = await command(['sandbox', '--init', file, '--days', '1'])
  expect([code, stderr.split('\n').slice(0, 4)]).toEqual([
    2,
    [
      'tieout: The folder of the books cannot be created.',
      `  where:    ${file}`,
      '  expected: a folder that can be written',
      '  found:    a file with that name',
    ],
  ])
})

/** What `status` says of a pipe; it is ended where it waits for ever. */
const statusOf = async (pipe: string): Promise<string> => {
  const ran = promisify(execFile)(
    process.execPath,
    [await programFile(), 'status', '--dir', dirname(pipe), '--config', pipe],
    { timeout: 60_000, killSignal: 'SIGKILL' },
  )
  return await ran.then(
    ({ stderr }) => stderr,
    (error: { stderr: string }) => error.stderr,
  )
}

function pipe(): string {
  const file = join(temporaryFolder(), 'tieout.yaml')
  execFileSync('mkfifo', [file])
  return file
}

test('waiting for a pipe that nobody writes to ends', async () => {
  const file = pipe()
  expect((await statusOf(file)).split('\n')).toEqual([
    'tieout: The file cannot be read.',
    `  where:    ${file}`,
    '  expected: a regular file, or a pipe with a writer',
    '  found:    a pipe that nothing was written to for 5 s',
    '  next:     Correct the name, or check why nothing was written to the pipe.',
    '',
  ])
}, 90_000)

test('a configuration is read through a pipe, even if it arrives late and in pieces', async () => {
  const file = pipe()
  const writer = spawn('sh', [
    '-c',
    'sleep 1; exec >"$0"; echo "history:"; sleep 7; echo "  sinc: 2026-01-01"',
    file,
  ])
  const status = await statusOf(file)
  writer.kill('SIGKILL')
  expect(status).toContain(`  where:    ${file}:2`)
  expect(status).toContain('sinc')
}, 90_000)

test('a folder in place of one of the books’ files is a configuration error', () => {
  const cause = Object.assign(new Error('no'), { code: 'EISDIR' })
  const { exitCode, details } = new DiskError('The disk refused to read a file.', '/books/x', cause)
  expect([exitCode, details.expected, details.found, details.action]).toEqual([
    2,
    'a file',
    A_FOLDER,
    'There is a folder where a file is expected. Move it, or name another folder with --dir.',
  ])
})

test('every disk error states what was expected, even if its code has no description', () => {
  const expected = (code: string) =>
    new DiskError('The disk refused to read a file.', '/books/x', Object.assign(new Error('no'), { code }))
      .details.expected
  expect(expected('EACCES')).toBe('permission to read and write it')
  expect(expected('EBUSY')).toBe('a file or folder that can be read and written')
})

test('system errors are described in words, or by their code if there are none', () => {
  const words = (code: string) => systemWords(Object.assign(new Error('no'), { code }))
  expect(words('EACCES')).toBe('no right to it (EACCES)')
  expect(words('ENOENT')).toBe(NOTHING)
  expect(words('EFBIG')).toBe('EFBIG')
})

test('a folder whose name is not UTF-8 is refused, and no other folder is created instead', async () => {
  const dir = temporaryFolder()
  const shell = String.raw`cd "$0" && named=$(printf 'b\377') && mkdir "$named" && exec "$1" "$2" build --dir "$named"`
  const ended = promisify(execFile)('sh', ['-c', shell, dir, process.execPath, await programFile()])
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr:
      'tieout: The path of the books is not valid UTF-8.\n' +
      `  where:    ${join(dir, 'b\uFFFD')}\n` +
      '  expected: a path in UTF-8\n' +
      '  found:    other bytes, shown as \uFFFD\n' +
      '  next:     Rename the folder, or choose another one with --dir.\n',
  })
  expect(readdirSync(dir, { encoding: 'buffer' })).toEqual([Buffer.from([0x62, 0xff])])
})

test('inside a folder of books --dir is asked for: the usual folder below it would be other, empty books', async () => {
  const dir = realpathSync(temporaryFolder())
  const inside = async (...words: string[]) =>
    promisify(execFile)(process.execPath, [await programFile(), ...words], { cwd: dir }).then(
      () => ({ code: 0, stderr: '' }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    )
  await inside('init', '--dir', '.')

  const refused = await inside('build')
  expect(refused).toEqual({
    code: 2,
    stderr:
      'tieout: This folder holds books, and --dir does not name them.\n' +
      `  where:    ${dir}\n` +
      '  expected: --dir, or books in data/books\n' +
      '  found:    tieout.yaml\n' +
      '  next:     Add `--dir .` to use the books in this folder, or `--dir data/books` for other books.\n',
  })
  expect(readdirSync(dir)).toEqual(['tieout.yaml'])

  // What names its files itself, and what needs no books, is not held up.
  expect((await inside('status', '--config', 'tieout.yaml')).stderr).not.toContain('This folder holds books')
  expect((await inside('build', '--dir', '.')).code).toBe(0)
  expect((await inside('status')).stderr).toContain('  found:    tieout.yaml, landing.duckdb, ledger.duckdb')
  expect((await inside('build', '--dir', 'data/books')).code).toBe(0)
  expect((await inside('status')).code).toBe(0)
}, 90_000)
