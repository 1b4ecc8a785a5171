// The values that options accept, the same for every command: one value, and a number if a number is required. A usage error
// names the option.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import yargs from 'yargs'
import { helpWidth } from '../../pipeline/commands/command-line.ts'
import { commands } from '../../pipeline/commands/index.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const refused: readonly (readonly [string, string])[] = [
  ['sql 1 --timeout soon', '--timeout is not a number.'],
  ['sql 1 --timeout 1e400', '--timeout is not a number.'],
  ['sql 1 --timeout 0', '--timeout is out of range.'],
  ['sql 1 --timeout -1', '--timeout is out of range.'],
  ['sql 1 --timeout 9999999', '--timeout is out of range.'],
  ['sql 1 --timeout 3 --timeout 4', '--timeout is given more than once.'],
  ['demo --seed one', '--seed is not a number.'],
  ['report gains --year 2025 --year 2026', '--year is given more than once.'],
  ['report gains --format json --format csv', '--format is given more than once.'],
  ['status --config a.yaml --config b.yaml', '--config is given more than once.'],
  ['report gains --year --rules us', '--year has no value.'],
  ['sql 1 --timeout', '--timeout has no value.'],
  ['import --undo first', '--undo is not a number.'],
  ['erase nope', 'This is not the number of a frame.'],
  ['erase 1 1e2', 'This is not the number of a frame.'],
  ['sql 1 --format csv --json', '--json and --format ask for different output formats.'],
  ['report gains --out=', '--out has no value.'],
  ['report gains --freeze=', '--freeze has no value.'],
  ['sandbox --port 65536', '--port is not a valid port.'],
  ['sandbox --port 1.5', '--port is not a valid port.'],
  ['sandbox --days 0', '--days is not a usable number.'],
  ['writes --settle 5', 'An option requires another option, which is missing:\n settle -> as\n'],
  ['import --undo 1.5', 'There is no import with this number.'],
]

describe('a usage error is', () => {
  for (const [words, message] of refused)
    test(words, async () => {
      const { code, stdout, stderr } = await command(['--dir', temporaryFolder(), ...words.split(' ')])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(message)
    })
})

describe('nothing after -- is an option', () => {
  const given: readonly (readonly [string[], number, string])[] = [
    [
      ['erase', '--account', 'a', '--yes', '--', '4x'],
      2,
      'This is not the number of a frame.\n  where:    frames\n  expected: the page_id of a row, such as 17\n  found:    4x\n',
    ],
    [['erase', '1', '--', '--yes'], 2, 'found:    --yes\n'],
    [['explain', '--', '-x'], 2, 'There is no published ledger yet.'],
    [['explain', '--json', '--', 'true'], 2, 'There is no published ledger yet.'],
    [['explain', '--', 'help'], 2, 'There is no published ledger yet.'],
    [['sql', '--', '-- a comment\nselect 1'], 2, 'There is no published ledger yet.'],
    [['sql', '-- a comment\nselect 1'], 2, 'There is no published ledger yet.'],
    [['sql', '--a comment\nselect 1'], 2, 'There is no published ledger yet.'],
    [['import', 'trades', '--', '-x.csv'], 2, 'where:    -x.csv\n'],
    [['import', '--', 'stocks', 'x.csv'], 2, 'Argument: kind, Given: "stocks"'],
    [['call', '--', 'futures.none', 'a=1'], 2, 'futures.none'],
    [['call', 'futures.positions', '--', 'coupon=1'], 2, 'coupon is not a field of this endpoint.'],
    [['tables', '--', 'none'], 2, 'There is no published ledger yet.'],
    [['sql', '--out', '--', 'select 1'], 2, '--out has no value.'],
    [['status', '--', '-x'], 2, 'tieout: Unknown argument: -x\n'],
    [['sync', '--feeds', 'a', '--', 'b'], 2, 'tieout: Unknown argument: b\n'],
  ]
  for (const [words, code, message] of given)
    test(words.join(' '), async () => {
      const ended = await command(['--dir', temporaryFolder(), ...words])
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(message)
      expect(ended.stderr).not.toContain('\0')
    })
})

test.each([
  ['explain', '-x'],
  ['explain', '-x', '--log-level', 'info'],
])('%s %s explains how to pass an id that begins with a dash', async (...words) => {
  const { code, stderr } = await command(['--dir', temporaryFolder(), ...words])
  expect(code).toBe(2)
  expect(stderr).toContain('Put arguments that begin with a dash but are not options after `--`.')
})

test('a port in use by another program is named, also by the sandbox', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const { code, stderr } = await command(['sandbox', '--port', String(port), '--days', '1'])
    expect(code).toBe(2)
    expect(stderr).toContain('Another program is listening on this port.')
    expect(stderr).toContain(`--port ${port}`)
  } finally {
    server.close()
  }
})

test('help is no wider than the terminal, and never too narrow to read', () => {
  const widths = [undefined, 0, 60, 80, 95, 200].map((columns) =>
    helpWidth({ isTTY: true, ...(columns === undefined ? {} : { columns }) }),
  )
  expect(widths).toEqual([110, 110, 80, 80, 95, 110])
  expect(helpWidth({ columns: 80 })).toBe(110)
})

test('completion has help with an example, prints its script, and completes', async () => {
  const help = await tieout(['completion', '--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('Examples:\n')
  expect(help.stdout).not.toContain('###-begin')
  const script = await tieout(['completion'])
  expect(script).toMatchObject({ code: 0, stderr: '' })
  expect(script.stdout).toMatch(/^###-begin-tieout-completions-###\n[\s\S]+###-end-tieout-completions-###\n/)
  const completed = await tieout(['--get-yargs-completions', 'tieout', 'comp'])
  expect(completed.stdout).toMatch(/^completion(:|$)/m)
})

test('an option that takes several values may be given again', async () => {
  const { stderr } = await command(['sync', '--feeds', 'a', '--feeds', 'b', '--dir', temporaryFolder()])
  expect(stderr).not.toContain('more than once')
})

interface Options {
  readonly string: readonly string[]
  readonly number: readonly string[]
  readonly choices: Readonly<Record<string, unknown>>
  readonly narg: Readonly<Record<string, number>>
}

test.each(commands)(
  'no option of $command is accepted without its value',
  async ({ command: words, load }) => {
    const { builder } = await load()
    const { string, number, choices, narg } = (
      builder(yargs()) as unknown as { getOptions(): Options }
    ).getOptions()
    const positionals = Array.from(words.matchAll(/[<[](\w+)/g), ([, name]) => name)
    const valued = new Set([...string, ...number, ...Object.keys(choices)])
    expect([...valued].filter((name) => narg[name] === undefined && !positionals.includes(name))).toEqual([])
  },
)

test.each(['-', ''])(
  'import %j names no file, and the error explains how to name standard input',
  async (file) => {
    const { code, stderr } = await command(['import', 'trades', file, '--dir', temporaryFolder()])
    expect(code).toBe(2)
    expect(stderr).toContain('tieout: The file to import has no name.')
    expect(stderr).toContain('use /dev/stdin for standard input')
  },
)
