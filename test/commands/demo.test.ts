// What a newcomer sees of the demo: one screen, and every report in full in the files that it names.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromHere } from '../../pipeline/commands/demo/books.ts'
import { describeComparison } from '../../pipeline/commands/demo/compare.ts'
import { beyondMemory } from '../../pipeline/commands/demo.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { addAmounts } from '../../pipeline/reports/report.ts'
import { type Outcome, temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

/** Of the printed table of prices: how many amounts of each coin took one. */
function pricesUsed(page: string): [string, number][] {
  const table = /<caption[^>]*>Prices used<.*?<\/table>/s.exec(page)?.[0] ?? ''
  const lines = [...table.matchAll(/<tr><th scope="row">(.*?)<\/th>((?:<td>.*?<\/td>)*)/g)]
  const counts = new Map<string, number>()
  for (const [, coin = '', cells = ''] of lines) {
    const amounts = [...cells.matchAll(/<td>(.*?)<\/td>/g)][4]?.[1]
    counts.set(coin, (counts.get(coin) ?? 0) + Number(amounts))
  }
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))
}

const OTHERS =
  'tax.records=oldest-first-literal,tax.futuresRecords=oldest-first-literal,tax.p2pRecords=unordered-forward'

let dir: string
let demo: Outcome
beforeAll(async () => {
  // Commands to be copied have it as a shell takes it.
  dir = join(mkdtempSync(join(tmpdir(), 'tieout-demo-')), 'my books')
  const history = ['--seed', '3', '--days', '30', '--paging', OTHERS]
  demo = await tieout(['demo', '--dir', dir, ...history, '--log-level', 'info'])
}, 300_000)
afterAll(() => rmSync(dirname(dir), { recursive: true, force: true }))

test(`the demo equals the truth with the tax feeds paged ${OTHERS}`, () => {
  expect(demo.stdout).toContain('equals the sandbox’s truth exactly')
  expect(demo.stdout).toMatch(/Open breaks: 0 errors, 0 warnings/)
  expect(demo.code).toBe(0)
})

test('the demo: one screen with net worth, gains, breaks and whether it ties out; the rest in files', async () => {
  const { code, stdout, stderr } = demo
  expect(code).toBe(0)
  // Who asks for a log finds lines of JSON alone on standard error, all of one run.
  const logged = stderr.trimEnd().split('\n')
  expect(new Set(logged.map((line) => (JSON.parse(line) as { run: string }).run)).size).toBe(1)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(60)
  for (const heading of ['Net worth', 'Gains and losses', 'Breaks', 'Reports', 'It ties out'])
    expect(lines.filter((line) => line.startsWith(heading))).toHaveLength(1)
  // Only a path that is long makes a longer one.
  expect(lines.filter((line) => line.length > 100 && !line.includes(dir))).toEqual([])
  expect(stdout).toContain('equals the sandbox’s truth exactly')
  expect(lines).toContain(`The books: ${join(dir, 'ledger.duckdb')}`)
  expect(lines).toContain(`Query:     npx tieout sql "select * from balances" --dir '${dir}'`)

  const named = lines.flatMap((line) => /^ {2}(\/.+\.(?:csv|txt)) /.exec(line)?.[1] ?? [])
  expect(named.length).toBe(6)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
  for (const name of ['balances', 'pnl', 'gains', 'coverage', 'breaks'])
    expect(readFileSync(join(dir, 'reports', `${name}.txt`), 'utf8')).toContain('As of the run that ended')
  expect(readFileSync(join(dir, 'reports', 'present.txt'), 'utf8')).toMatch(/^Open positions\n/)

  const paper = join(dir, 'reports', 'statement.html')
  expect(lines.slice(-3)).toEqual([
    `Browse:    npx tieout serve --dir '${dir}'`,
    'The page:  http://127.0.0.1:4711/ (serve opens it in your browser)',
    `To print:  ${paper}`,
  ])
  const printed = readFileSync(paper, 'utf8')
  expect(printed).toMatch(/<h2[^>]*>1\. Summary/)
  expect(printed.length).toBeLessThan(1_000_000)

  const ledger = await openLedger(dir)
  const { rows } = await ledger.stream(
    'select value from net_worth where day = (select max(day) from net_worth)',
  )
  const used = await ledger.query(
    `select coin, count(*) from valuations
     where value is not null and steps > 0
       and (entry_id in (select entry_id from entries) or entry_id in (select entry_id || '/paid' from p2p_trades))
     group by coin order by coin`,
  )
  expect(pricesUsed(printed)).toEqual(used.map(([coin, count]) => [coin, count]))
  expect(used.length).toBeGreaterThan(1)
  const total = addAmounts((await allRows(rows)).map(([value]) => value))
  ledger.close()
  expect(lines.filter((line) => line.startsWith('all '))[0]).toContain(` ${total} `)
}, 300_000)

test('the demo prints relative paths for files inside the working folder', () => {
  const from = (path: string) => fromHere(path, '/home/ann')
  expect(['/home/ann/data/books', '/home/ann', '/home/annex/books', '/tmp/books'].map(from)).toEqual([
    'data/books',
    '/home/ann',
    '/home/annex/books',
    '/tmp/books',
  ])
})

test('a history longer than the venue remembers prints a caution', () => {
  expect(beyondMemory(365)).toBe('')
  expect(beyondMemory(400)).toContain('The venue keeps only 366 days of unified records')
})

test('with a history longer than the venue remembers, the futures figures are not compared, and the screen says so', () => {
  const compared = { balances: 54, loans: 7, futuresFigures: null, records: 30, differences: [] }
  expect(describeComparison(compared)).toBe(
    'Every balance equals the sandbox’s truth exactly: 54 balances, 7 loans, 30 record counts. ' +
      'Its futures figures are not compared: they cover the whole history, of which the venue keeps only the last part.',
  )
})

test.each([
  ['--days', '0', '--days is not a usable number.'],
  ['--seed', '-1', '--seed is not a usable number.'],
  ['--paging', 'sideways', 'The sandbox cannot be started with these options.'],
  ['--now', 'yesterday', '--now is not a date.'],
])('a demo that cannot start (%s %s) keeps the books of an earlier one', async (option, value, message) => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, '.tieout-demo'), '')
  writeFileSync(join(dir, 'ledger.duckdb'), 'made before')
  const { code, stderr } = await command(['demo', '--dir', dir, `${option}=${value}`])
  expect(code).toBe(2)
  expect(stderr).toContain(`tieout: ${message}\n`)
  expect(readdirSync(dir).toSorted()).toEqual(['.tieout-demo', 'ledger.duckdb'])
  expect(readFileSync(join(dir, 'ledger.duckdb'), 'utf8')).toBe('made before')

  const unmade = join(dir, 'new')
  expect((await command(['demo', '--dir', unmade, `${option}=${value}`])).code).toBe(2)
  expect(existsSync(unmade)).toBe(false)
})

test('a sandbox overwrites no configuration but that of a sandbox', async () => {
  // The way of paging is refused after the folder: so nothing is started here.
  const begin = async (dir: string) =>
    (await command(['sandbox', '--init', dir, '--paging', 'sideways'])).stderr.split('\n')[0]
  const dir = temporaryFolder()
  expect(await begin(dir)).toBe('tieout: The sandbox cannot be started with these options.')
  writeFileSync(join(dir, 'credentials.yaml'), 'main: { key: mine }')
  expect(await begin(dir)).toBe('tieout: The folder contains a configuration that is not a sandbox’s.')
  writeFileSync(join(dir, 'tieout.yaml'), 'accounts: { main: { credentials: file } }')
  expect(await begin(dir)).toBe('tieout: The folder contains a configuration that is not a sandbox’s.')
  writeFileSync(join(dir, 'tieout.yaml'), '# A sandbox of tieout: invented accounts on loopback.')
  expect(await begin(dir)).toBe('tieout: The sandbox cannot be started with these options.')
})
