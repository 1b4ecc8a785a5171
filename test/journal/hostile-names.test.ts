// Names from the venue and from the user that mean something to a spreadsheet, a browser, a terminal or a file system:
// through the real command line they stay names.
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, test } from 'vitest'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { UsageError } from '../../models/error.ts'
import { readImport } from '../../pipeline/books/import.ts'
import { readValues } from '../../pipeline/calls/values.ts'
import { readConfig } from '../../pipeline/config/config.ts'
import { readCredentials } from '../../pipeline/config/credentials.ts'
import { LARGE_FILE_BYTES } from '../../pipeline/config/input-file.ts'
import { mustBeNew } from '../../pipeline/evidence/filing.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { outFile } from '../../pipeline/output/deliver.ts'
import { readAllocation, readSelection } from '../../pipeline/reports/selection.ts'
import { journaledBooks, taxPage, taxRow } from '../evidence/explain-books.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

/** Each is a coin, as the venue's JSON has it. */
const COINS = [
  "=cmd|'/C calc'!A0",
  '+1+HYPERLINK(1)',
  '@SUM(A1)',
  '-2+3',
  '<script>alert(1)</script>',
  '\\" onmouseover=\\"x',
  'RED\\u001b[31m\\u0007',
  'BACK\\u009b2J\\u202e',
  'LINE\\n2026-01-01 open Assets:Evil\\n',
  '../../../etc/passwd',
  '$(id)`id`; drop table entries',
]

/** What a terminal would act upon. */
const CONTROL = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const at = '2026-01-05T10:00:00Z'
const move = (coin: string, index: number): string =>
  taxRow({ id: `${coin}-${index}`, coin, type: coin, amount: '1', balance: '1', ts: at })

/** Read by every test that changes nothing. */
let dir: string
beforeAll(async () => {
  dir = await journaledBooks([taxPage(COINS.map(move))])
})

const coins = COINS.map((coin) => JSON.parse(`"${coin}"`) as string)

describe('names of the venue', { timeout: 120_000 }, () => {
  test.each(['balances', 'statement', 'breaks'])(
    'are not formulas in the CSV of %s, and can be read back',
    async (name) => {
      const { code, stdout } = await command(['report', name, '--format', 'csv', '--dir', dir])

      const cells = (parse(stdout) as string[][]).flat()
      expect(code).toBe(0)
      expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^-?[\d.]+$/.test(cell))).toEqual([])
      if (name !== 'breaks')
        expect(coins.filter((coin) => !cells.includes(coin) && !cells.includes(`'${coin}`))).toEqual([])
    },
  )

  test('are text in a workbook, never formulas', async () => {
    const out = join(temporaryFolder(), 'balances.xlsx')

    const { code } = await command(['report', 'balances', '--format', 'xlsx', '--out', out, '--dir', dir])

    const files = unzipSync(readFileSync(out))
    const sheets = Object.entries(files).filter(([name]) => name.includes('sheet'))
    const text = sheets.map(([, bytes]) => Buffer.from(bytes).toString()).join('\n')
    expect(code).toBe(0)
    expect(text).not.toMatch(/<f[ >]/)
    expect(
      Object.values(files)
        .map((bytes) => Buffer.from(bytes).toString())
        .join(''),
    ).toContain('=cmd|')
  })

  test('are not markup in a page', async () => {
    const { stdout } = await command(['report', 'balances', '--format', 'html', '--dir', dir])

    expect(stdout).not.toContain('<script')
    expect(stdout).not.toMatch(/<[^>]*onmouseover/)
    expect(stdout).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(stdout).toContain("default-src 'none'")
  })

  test.each([
    ['a table', ['report', 'balances']],
    ['breaks', ['report', 'breaks']],
    ['status', ['status']],
    ['a query', ['sql', 'select coin, kind from entries']],
    ['an explanation', ['explain', '3:0']],
    ['an explanation in JSON', ['explain', '3:0', '--json']],
  ])('never control a terminal through %s', async (_what, words) => {
    const { stdout, stderr } = await command([...words, '--dir', dir])

    expect(stdout).not.toMatch(CONTROL)
    expect(stderr).not.toMatch(CONTROL)
    expect(stdout.length).toBeGreaterThan(20)
  })

  test('form no directives of their own in exported books', async () => {
    const folder = temporaryFolder()

    const [beancount, hledger] = await Promise.all(
      ['beancount', 'hledger'].map(async (kind) => {
        const file = join(folder, kind)
        await command(['export', kind, '--out', file, '--dir', dir])
        return readFileSync(file, 'utf8')
      }),
    )

    expect(beancount).not.toMatch(/^2026-01-01 open/m)
    expect(hledger).not.toMatch(/^2026-01-01 open/m)
    expect(beancount?.match(/^\d{4}-\d\d-\d\d commodity/gm)).toHaveLength(COINS.length)
  })
})

describe('names of the user', { timeout: 120_000 }, () => {
  const evil = '\u001b]0;owned\u0007\u009b31m'

  test.each([
    ['an account', ['report', 'balances', '--account', evil]],
    ['an id', ['explain', evil]],
    ['a date', ['report', 'pnl', '--from', evil]],
    ['a query', ['sql', `select '${evil}' from ${evil}`]],
    ['an endpoint', ['call', evil]],
    ['an unknown option', ['report', 'balances', `--${evil}`]],
    ['an unknown command', [evil]],
    ['a file', ['import', 'trades', `/nowhere/${evil}.csv`]],
  ])('never control a terminal through the error for %s', async (_what, words) => {
    const { code, stdout, stderr } = await command([...words, '--dir', dir])

    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(CONTROL)
  })

  test.each([
    '../evil',
    '..',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '.hidden',
    '',
    'x'.repeat(65),
    'CON ',
    'a\nb',
    '-rf',
  ])('an account called %j is refused by the configuration', (name) => {
    const file = join(temporaryFolder(), 'tieout.yaml')
    writeFileSync(file, `accounts:\n  ${JSON.stringify(name)}: {}\n`)

    expect(() => readConfig(file, [])).toThrow('The configuration has a bad value at accounts')
  })

  test.each(['../filing', '/tmp/filing', 'a/b', '..', '.x', 'x'.repeat(70), 'a b'])(
    'a filing called %j is refused',
    async (name) => {
      await expect(mustBeNew(nodeDisk, dir, name)).rejects.toThrow('Invalid filing name.')
    },
  )

  test('an output that would replace part of the books, even through a link or with other capitals, is refused', async () => {
    const folder = temporaryFolder()
    symlinkSync(dir, join(folder, 'link'))
    symlinkSync(join(dir, 'ledger.duckdb'), join(folder, 'file.csv'))

    for (const out of [
      join(dir, 'ledger.duckdb'),
      join(dir, 'journal', 'x.csv'),
      join(dir, 'journal', '..', 'Landing.duckdb'),
      join(folder, 'link', 'lock'),
      join(folder, 'file.csv'),
      '/dev/full',
      `${folder}/${'x'.repeat(300)}`,
      `${folder}/a\0b`,
    ])
      await expect([out, outFile(out, 'x.csv', dir)][1], out).rejects.toBeInstanceOf(UsageError)
  })

  test('a folder of the books that is a file, a device, has an endless name or contains a question mark is refused', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    writeFileSync(join(folder, 'a.csv'), 'time,asset,currency,price\n')

    const odd = [join(folder, 'x'.repeat(300)), join(folder, 'books?')]
    for (const books of [join(folder, 'file'), '/dev/null', '/proc/nope', ...odd]) {
      const { code, stderr } = await command(['import', 'prices', join(folder, 'a.csv'), '--dir', books])
      expect([books, code, stderr.includes('unexpected')]).toEqual([books, 2, false])
    }
  })

  test('an input file that is a device, a folder or too large is refused at once', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder'))
    symlinkSync('/dev/zero', join(folder, 'link'))
    writeFileSync(join(folder, 'large'), '')
    truncateSync(join(folder, 'large'), LARGE_FILE_BYTES + 1)
    const paths = ['/dev/zero', 'link', 'folder', 'large', 'x'.repeat(300), 'a\0b'].map((name) =>
      resolve(folder, name),
    )

    for (const path of paths) {
      await expect(readImport(nodeDisk, 'trades', path, { dir: folder }), path).rejects.toBeInstanceOf(
        UsageError,
      )
      for (const read of [
        () => readSelection(path),
        () => readAllocation(path),
        () => readConfig(path, []),
        () => readCredentials(path),
        () => readValues(taxRecords, [`coin=@${path}`]),
      ])
        expect(read, `${read} ${path}`).toThrow(UsageError)
    }
  })
})
