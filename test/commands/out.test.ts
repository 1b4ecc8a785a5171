// The format in which a command writes to --out: the file's extension determines it if no format is given, and never contradicts it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../support/in-process.ts'

const root = mkdtempSync(join(tmpdir(), 'out-'))
const dir = join(root, 'books')
const out = join(root, 'out')
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeAll(async () => {
  for (const folder of [dir, out]) mkdirSync(folder)
  mkdirSync(join(out, 'folder.json'))
  expect((await command(['build', '--dir', dir])).code).toBe(0)
})

const run = async (words: string, name: string) =>
  await command([...words.split(' '), '--out', join(out, name), '--dir', dir])

const CSV = /^account,ledger,coin,/
const TABLE = /^Balances\n/

const written: readonly (readonly [words: string, name: string, content: RegExp, file?: string])[] = [
  ['report balances', 'a.csv', CSV],
  ['report balances', 'A.CSV', CSV],
  ['report balances', 'a.json', /^\[/],
  ['report balances', 'a.xlsx', /^PK/],
  ['report balances', 'a.html', /^<!doctype html>/i],
  ['report balances', 'a.htm', /^<!doctype html>/i],
  ['report balances', 'a.txt', TABLE],
  ['report balances', 'a.dat', TABLE],
  ['report balances', 'csv', TABLE],
  ['report balances', 'folder.json', TABLE, 'folder.json/balances.txt'],
  ['report balances --format csv', 'b.csv', CSV],
  ['report balances --format csv', 'b.txt', CSV],
  ['report balances --json', 'b.json', /^\[/],
  ['sql from(values(1))t(n)', 'c.csv', /^n\n1\n$/],
  ['sql from(values(1))t(n)', 'c.json', /^\[\n\{"n":1\}/],
  ['sql from(values(1))t(n)', 'c.parquet', /^PAR1/],
  ['sql from(values(1))t(n)', 'c.rows', /^n\n\xe2/],
  ['sql from(values(1))t(n)', 'folder.json', /^n\n\xe2/, 'folder.json/query.txt'],
  ['sql --json from(values(1))t(n)', 'folder.json', /^\[\n/, 'folder.json/query.json'],
  ['worksheet', 'd.csv', /^id,/],
  ['worksheet', 'd.json', /^\[/],
  ['worksheet', 'd', /^id,/],
  ['export beancount', 'e.beancount', /./],
  ['export hledger', 'e.journal', /./],
  ['export hledger', 'e.ledger', /./],
]

describe('the extension of --out determines the format, and what was written is named', () => {
  const cases = written.map(([words, name, content, file = name]) => ({ words, name, content, file }))
  test.each(cases)('$words --out $name', async ({ words, name, content, file }) => {
    const { code, stdout, stderr } = await run(words, name)
    const told = expect.stringMatching(new RegExp(`^Wrote ${join(out, file)}[.:]`, 'm'))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: told })
    expect(readFileSync(join(out, file), 'latin1')).toMatch(content)
  })
})

const refused: readonly (readonly [words: string, name: string, expected: string])[] = [
  ['report balances --format json', 'x.csv', '.json'],
  ['report balances --format table', 'x.csv', '.txt'],
  ['report balances --json', 'x.html', '.json'],
  ['sql select(1) --format parquet', 'x.csv', '.parquet'],
  ['worksheet --json', 'x.csv', '.json'],
  ['export beancount', 'x.journal', '.beancount, .bean'],
  ['export hledger', 'x.ods', '.journal, .hledger'],
  ['export parquet', 'x.csv', '.parquet'],
  ['sql select(1) --format csv', 'x.csv.gz', '.csv'],
]

describe('an extension that contradicts the requested format is refused', () => {
  test.each(refused)('%s --out %s', async (words, name, expected) => {
    const { code, stderr } = await run(words, name)
    expect(code).toBe(2)
    expect(stderr).toContain('but its file name has the ending of another format.')
    expect(stderr).toContain(`where:    --out ${join(out, name)}`)
    expect(stderr).toContain(`expected: a name that ends in ${expected}\n`)
    expect(stderr).toContain(`found:    ${name.slice(name.lastIndexOf('.'))}`)
    expect(existsSync(join(out, name))).toBe(false)
  })
})

test.each(['y.pdf', 'y.docx', 'y.doc', 'y.odt'])(
  '--out %s says how a report becomes a document',
  async (name) => {
    const { code, stderr } = await run('report balances', name)
    expect(code).toBe(2)
    expect(stderr).toContain(
      'next:     Write .html instead, and print it, or save it as a PDF, from a browser.\n',
    )
    expect(existsSync(join(out, name))).toBe(false)
  },
)

test.each([
  ['report balances', 'y.parquet', '.csv, .json, .xlsx, .html, .htm'],
  ['report balances', 'y.pdf', '.csv, .json, .xlsx, .html, .htm'],
  ['sql select(1)', 'y.xls', '.csv, .json, .parquet'],
  ['sql select(1)', 'y.xlsx', '.csv, .json, .parquet'],
  ['sql select(1)', 'y.tsv', '.csv, .json, .parquet'],
  ['sql select(1)', 'y.jsonl', '.csv, .json, .parquet'],
  ['sql select(1)', 'y.csv.gz', '.csv, .json, .parquet'],
  ['worksheet', 'y.xlsx', '.csv, .json'],
])('%s does not write the format of --out %s, and says so', async (words, name, expected) => {
  const { code, stderr } = await run(words, name)
  expect(code).toBe(2)
  expect(stderr).toContain('The file name has the ending of a format that this command does not write.')
  expect(stderr).toContain(`expected: a name that ends in ${expected}\n`)
  expect(existsSync(join(out, name))).toBe(false)
})
