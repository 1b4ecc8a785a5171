// The page when something is wrong or missing: newer books that cannot be opened, names that would reverse its text, and an account
// without entries. In a real browser.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Serving, servingFor } from '../serve/serving.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { findings, openBrowser, requireFreshBuild, watchedPage } from './browser.ts'

let browser: Browser
/** One page for all tests: a new one takes four times as long as the next address. */
let page: Page
/** Published books of one imported trade. */
let made: string
beforeAll(async () => {
  requireFreshBuild()
  browser = await openBrowser()
  ;({ page } = await watchedPage(await browser.newContext(), ''))
  made = mkdtempSync(join(tmpdir(), 'tieout-test-'))
  const file = join(made, 'trades.csv')
  writeFileSync(
    file,
    `id,time,account,type,asset,quantity,currency,total,fee,fee_currency\n1,2026-03-01T10:00:00Z,elsewhere,buy,BTC,0.01,USDT,600,0,USDT\n`,
  )
  const { code, stderr } = await command(['import', 'trades', file, '--dir', made])
  expect({ code, stderr }).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await browser?.close()
  if (made !== undefined) rmSync(made, { recursive: true, force: true })
})

const NAME = 'else\u202erehw'

/** A copy of these books, which the test may change. */
function smallBooks(): string {
  const dir = temporaryFolder()
  cpSync(made, dir, { recursive: true })
  return dir
}

/** The page at a path of this server, as wide as at first and without the routes of other tests. */
async function show({ port, secret, origin }: Serving, path = '/'): Promise<void> {
  await page.unrouteAll()
  await page.setViewportSize({ width: 1280, height: 800 })
  await page
    .context()
    .addCookies([{ name: `tieout-${port}`, value: secret, url: origin, httpOnly: true, sameSite: 'Strict' }])
  await page.goto(origin + path)
  await page.locator('main:not(:has(.loading, .stale)) h1').first().waitFor()
}

/** Puts a file in the place of the ledger, as a publication does. */
function publish(dir: string, change: (file: string) => void): void {
  const beside = join(dir, 'ledger.new')
  copyFileSync(join(dir, 'ledger.duckdb'), beside)
  change(beside)
  renameSync(beside, join(dir, 'ledger.duckdb'))
}

async function changeLedger(dir: string, statement: string): Promise<void> {
  const beside = join(dir, 'ledger.new')
  copyFileSync(join(dir, 'ledger.duckdb'), beside)
  const instance = await DuckDBInstance.create(beside)
  const connection = await instance.connect()
  await connection.run(statement)
  await connection.run('checkpoint')
  connection.closeSync()
  instance.closeSync()
  renameSync(beside, join(dir, 'ledger.duckdb'))
}

describe('newer books that cannot be opened', { timeout: 120_000 }, () => {
  test('are reported with the reason and what to do; the earlier ones stay until the newest can be opened', async () => {
    const dir = smallBooks()
    const whole = readFileSync(join(dir, 'ledger.duckdb'))
    await show(await servingFor(dir))
    const told = page.locator('.unopened')
    expect(await told.count()).toBe(0)
    // As soon as the hash is there, it stands in the place of the publication.
    const hash = page.locator('.stamp code:not([data-ledger-hash=""])')
    const before = await hash.textContent()

    publish(dir, (file) => writeFileSync(file, 'no ledger'))
    await told.getByText('The published ledger is not a DuckDB database.').waitFor()
    const text = (await told.textContent()) ?? ''
    expect(text).toContain(
      'Newer books cannot be opened. This page still shows the earlier ones and keeps trying.',
    )
    expect(text).toContain(join(dir, 'ledger.duckdb'))
    expect(text).toContain(`Run tieout build --dir ${dir} to build the ledger again from what has landed.`)
    expect(await findings(page)).toEqual([])
    // The views go on with the books before, and a page that is opened now tells it too.
    await page.reload()
    await told.getByText('The published ledger is not a DuckDB database.').waitFor()
    await page.locator('#navigation').getByRole('link', { name: 'Ledger' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Ledger', exact: true }).waitFor()
    expect(await hash.textContent()).toBe(before)

    publish(dir, (file) => writeFileSync(file, whole))
    await page.getByText('Newer books were published').waitFor()
    expect(await told.count()).toBe(0)
  })

  test('are reported if a newer version built them, and if the file cannot be inspected', async () => {
    const dir = smallBooks()
    await show(await servingFor(dir))

    await changeLedger(dir, "update about set format = 999, version = '99.0.0'")
    await page.getByText('The published ledger was built by a newer version of tieout.').waitFor()
    expect(await page.locator('.unopened').textContent()).toContain('restart tieout serve')

    const file = join(dir, 'ledger.duckdb')
    rmSync(file)
    symlinkSync(file, file)
    await page.getByText('The published ledger cannot be read.').waitFor()
    // The server is still there.
    await page.reload()
    await page.getByText('The published ledger cannot be read.').waitFor()
  })

  test.skipIf(process.getuid?.() === 0)(
    'are had without a word once their rights are given back',
    async () => {
      const dir = smallBooks()
      await show(await servingFor(dir))
      publish(dir, (file) => chmodSync(file, 0))
      await page.getByText('Check the permissions of the file').waitFor()
      chmodSync(join(dir, 'ledger.duckdb'), 0o600)
      await page.getByText('Newer books were published').waitFor({ timeout: 60_000 })
    },
  )
})

test('a name that would reverse the text is shown as a code, and links to its rows', async () => {
  const dir = smallBooks()
  const row = `'${NAME}' as account, 'UNIFIED' as ledger, 'BTC' as coin`
  await changeLedger(
    dir,
    `insert into entries by name select 'e1' as entry_id, ${row}, 1 as amount, 'deposit' as kind, now() as occurred_at;
     insert into balances by name select ${row}, 1 as quantity, now() as as_of`,
  )
  const serving = await servingFor(dir)
  await show(serving, `/ledger?account=${encodeURIComponent(NAME)}`)
  await page.locator('tbody').getByText('else\\u202erehw').first().waitFor()
  expect(await page.locator('select option:checked').first().textContent()).toBe('else\\u202erehw')
  expect(await page.locator('body').textContent()).not.toContain('\u202e')
  await page.goto(`${serving.origin}/accounts`)
  await page.locator('main:not(:has(.loading, .stale)) h1').first().waitFor()
  const main = await page.locator('main').textContent()
  expect(main).toContain('else\\u202erehw')
  expect(main).not.toContain('\u202e')
}, 120_000)

test('an imported account has no entries: its balance and its empty ledger lead to its imported rows', async () => {
  const serving = await servingFor(smallBooks())
  await show(serving, '/ledger?account=elsewhere')
  // What the books have in all is answered separately.
  await page.locator('.empty a').waitFor()
  expect(await page.locator('.empty').textContent()).toContain(
    'Rows from imported files are not entries of the venue',
  )
  const queried = async (rows: RegExp): Promise<string> => {
    await page.getByRole('heading', { level: 1, name: 'Console' }).waitFor()
    await page.locator('[data-run]').click()
    await page.getByText(rows).waitFor()
    return (await page.locator('.cm-content').textContent()) ?? ''
  }
  await page.getByRole('link', { name: 'the table imported_entries' }).click()
  // The coins bought, and the money paid.
  expect(await queried(/^All 2 rows/)).toContain("where account in ('elsewhere')")

  await page.goto(`${serving.origin}/accounts`)
  await page.locator('.figure-link').first().click()
  expect(await queried(/^1 row, in/)).toContain("coin in ('BTC')")
}, 120_000)

test('the evidence of a break does not make a phone scroll sideways', async () => {
  const dir = smallBooks()
  await changeLedger(
    dir,
    `insert into breaks by name select 'b1' as break_id, 'valuation' as check_name, 'warning' as severity, 'w' as explanation,
      '["parent/tax.records/1428145773261881344/amount"]' as evidence, now() as first_seen_at, 'open' as status`,
  )
  await show(await servingFor(dir), '/breaks?break=b1')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('.evidence-list a').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
}, 120_000)

test('breaks of a check without figures are told apart in the list by their words', async () => {
  const dir = smallBooks()
  await changeLedger(
    dir,
    `insert into breaks by name select 'b' || n as break_id, 'valuation' as check_name, 'warning' as severity, 'elsewhere' as account,
       'Run \`tieout import prices\` for coin ' || n as explanation, '[]' as evidence, now() as first_seen_at, 'open' as status
     from range(1, 3) as t (n);
     insert into breaks by name select 'b3' as break_id, 'balance_chain' as check_name, 'warning' as severity, 'w' as explanation,
       1 as expected, 2 as found, 1 as difference, '[]' as evidence, now() as first_seen_at, 'open' as status`,
  )
  await show(await servingFor(dir), '/breaks?severity=warning')
  const words = page.locator('.row-words')
  await expect
    .poll(() => words.allTextContents())
    .toEqual([1, 2].map((n) => `Run tieout import prices --dir ${dir} for coin ${n}`))
  expect(await page.locator('tbody td:nth-child(3)').last().textContent()).toBe('The books as a whole')
}, 120_000)

test('an overview of which nothing is known draws no empty chart, and links to no feeds where there are none', async () => {
  const serving = await servingFor(smallBooks())
  const answer = await serving.get<{ pnl: { rows: object[] } }>('/api/overview')
  answer.pnl.rows = ['2026-03-01', '2026-04-01'].map((month) => ({
    month,
    kind: 'gains',
    coin: 'EUR',
    amount: null,
    unknown_pieces: 2,
  }))
  await show(serving, '/runs')
  await page.route('**/api/overview', (route) => route.fulfill({ json: answer }))
  await page.goto(serving.origin)
  const profit = page.locator('section', { hasText: 'Profit and loss by month' }).last()
  await profit.getByText('No amount of these months is known.').waitFor()
  expect(await profit.locator('svg.chart').count()).toBe(0)
  expect(await profit.getByRole('link', { name: '4 pieces with unknown gain' }).count()).toBe(1)
  await page.getByText('No feed has been fetched yet.').waitFor()
  expect(await page.getByRole('link', { name: /by day$/ }).count()).toBe(0)
}, 120_000)
