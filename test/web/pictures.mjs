// Takes the pictures of the README from the demo's books, in real Chromium: `npm run pictures`, after a build. The books begin
// on a day that is always the same, so that a new picture differs only where the page does.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const root = resolve(import.meta.dirname, '../..')
const main = join(root, 'dist/pipeline/main.js')
const folder = join(root, 'docs/pictures')
const books = join(mkdtempSync(join(tmpdir(), 'tieout-pictures-')), 'demo')
const NOW = '2026-06-30T20:00:00Z'

const demo = spawnSync(process.execPath, [main, 'demo', '--days', '120', '--now', NOW, '--dir', books], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (demo.status !== 0 && demo.status !== 3) throw new Error(`The demo ended with ${demo.status}.`)

/** A sale that was matched with two lots. */
const SALE = `select entry_id from entries
  where kind = 'trade' and coin = 'BTC' and amount < 0
    and entry_id in (select disposal_id from disposals group by disposal_id having count(*) = 2)
  order by amount, entry_id limit 1`
const found = spawnSync(process.execPath, [main, 'sql', SALE, '--format', 'json', '--dir', books], {
  encoding: 'utf8',
})
const sale = JSON.parse(found.stdout)[0].entry_id

const server = spawn(
  process.execPath,
  [main, 'serve', '--port', '0', '--no-open', '--json', '--now', '2026-06-30T20:10:00Z', '--dir', books],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const { url } = JSON.parse(
  await new Promise((done) => server.stdout.once('data', (text) => done(String(text)))),
)
const origin = new URL(url).origin
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  mkdirSync(folder, { recursive: true })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const show = async (path) => {
    await page.goto(origin + path)
    await page.locator('main:not(:has(.loading, .stale)) h1').waitFor()
    await page.locator('.side-foot').evaluate((foot) => foot.remove())
    // Commands name the folder, which is another one each time.
    await page.locator('code').evaluateAll((codes, folder) => {
      for (const code of codes) code.textContent = code.textContent.replaceAll(folder, '~/books')
    }, books)
  }
  const take = async (name) => await page.screenshot({ path: join(folder, `${name}.png`) })

  await page.goto(url)
  // The hash of the ledger is calculated behind the first answers.
  await page.locator('.stamp [data-ledger-hash]:not([data-ledger-hash=""])').waitFor()
  await show('/')
  await page.locator('.chart').first().waitFor()
  await take('overview')
  await page.emulateMedia({ colorScheme: 'dark' })
  await take('overview-dark')
  await page.emulateMedia({ colorScheme: 'light' })

  await show(`/proof?id=${encodeURIComponent(sale)}`)
  await page.locator('.evidence').first().scrollIntoViewIfNeeded()
  await take('proof')

  await show('/coverage')
  await page.locator('.strip').first().waitFor()
  await take('coverage')

  await show(
    `/console?sql=${encodeURIComponent('select day, sum(value) as net_worth\nfrom net_worth\ngroup by day\norder by day')}`,
  )
  await page.locator('[data-run]').click()
  await page.getByText(/^All \d+ rows/).waitFor()
  await page.getByRole('button', { name: 'Chart' }).click()
  await page.locator('.chart .line').waitFor()
  await take('console')
} finally {
  await browser.close()
  server.kill('SIGTERM')
  rmSync(resolve(books, '..'), { recursive: true, force: true })
}
