// Commands in messages can be pasted: they name the books and the configuration that the command itself was given.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { optionsToRepeat, pasteable } from '../../models/suggested.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const BOOKS = ' --dir /books'

describe('a suggested command', () => {
  for (const [said, shown] of [
    ['Run `tieout build`.', 'Run `tieout build --dir /books`.'],
    ['As in `tieout sql "select 1"`.', 'As in `tieout sql "select 1" --dir /books`.'],
    ['Run `npx tieout nightly`.', 'Run `npx tieout nightly --dir /books`.'],
    ['`tieout build`, then `tieout check`', '`tieout build --dir /books`, then `tieout check --dir /books`'],
    ['`tieout explain-break ID --note "…"` does', '`tieout explain-break ID --note "…" --dir /books` does'],
    [
      'withdraw it: tieout import --undo 12\nMore.',
      'withdraw it: tieout import --undo 12 --dir /books\nMore.',
    ],
    [
      '(tieout import --undo 1, tieout import --undo 2)',
      '(tieout import --undo 1 --dir /books, tieout import --undo 2 --dir /books)',
    ],
    ['is damaged; run tieout build --full', 'is damaged; run tieout build --full --dir /books'],
    [
      'Then: tieout writes --settle 4 --as done, or --as refused.',
      'Then: tieout writes --settle 4 --as done --dir /books, or --as refused.',
    ],
  ] as const)
    test(said, () => expect(pasteable(said, BOOKS)).toBe(shown))

  for (const kept of [
    'See `tieout import --help`.',
    '`tieout demo` needs none',
    '`tieout sandbox` invents one',
    'another version of tieout built it',
    'Serve them: `npx tieout serve --dir data/books`',
    'set `reports: { currency: EUR }`',
  ])
    test(`${kept} stays`, () => expect(pasteable(kept, BOOKS)).toBe(kept))

  test('repeats what was given, quoted for a shell, and nothing else', () => {
    expect(optionsToRepeat({})).toBe('')
    expect(pasteable('Run `tieout build`.', '')).toBe('Run `tieout build`.')
    expect(optionsToRepeat({ dir: 'my books' })).toBe(" --dir 'my books'")
    expect(optionsToRepeat({ dir: 'b', config: "it's.yaml" })).toBe(" --dir b --config 'it'\\''s.yaml'")
  })
})

test('errors, answers and progress name the books, and JSON stays as it is', async () => {
  const dir = join(temporaryFolder(), 'my books')
  const quoted = `--dir '${dir}'`
  const missing = await command(['plan', '--dir', dir])
  expect(missing.stderr).toContain(
    `\`tieout init ${quoted}\` writes a commented one; \`tieout demo\` needs none.`,
  )
  mkdirSync(dir)
  const file = join(dir, 'prices.csv')
  writeFileSync(file, 'time,asset,currency,price\n2026-01-01,BTC,EUR,90000\n')
  const imported = await command(['import', 'prices', file, '--dir', dir])
  expect(imported.stdout).toContain(`To withdraw it: tieout import --undo 1 ${quoted}\n`)
  expect((await command(['build', '--dir', dir])).stderr).toContain(
    `Next: \`tieout status ${quoted}\`, or \`tieout report balances ${quoted}\`.`,
  )
  const again = await command(['import', '--undo', '7', '--dir', dir])
  expect(again.stderr).toContain(`next:     Run \`tieout import --list ${quoted}\` to see them.`)
  expect((await command(['status', '--json', '--dir', dir])).stdout).not.toContain('--dir')
}, 60_000)
