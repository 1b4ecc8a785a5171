// The page of `tieout serve` in a real browser, over the demo's books: every view by mouse and by keyboard, its figures compared
// with the command line's, its behaviour checked against its policy.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsoleEnd, ConsoleSchema } from '../../pipeline/serve/api.ts'
import { type Serving, startServing } from '../serve/serving.ts'
import { demoBooks } from '../support/demo.ts'
import { command } from '../support/in-process.ts'
import { findings, openBrowser, requireFreshBuild, type Watched, watchedPage } from './browser.ts'

const VIEWS = [
  { name: 'Overview', path: '/', key: 'o' },
  { name: 'Accounts', path: '/accounts', key: 'a' },
  { name: 'Ledger', path: '/ledger', key: 'l' },
  { name: 'Lots', path: '/lots', key: 't' },
  { name: 'Gains', path: '/gains', key: 'g' },
  { name: 'Proof', path: '/proof', key: 'p' },
  { name: 'Breaks', path: '/breaks', key: 'b' },
  { name: 'Coverage', path: '/coverage', key: 'c' },
  { name: 'Runs', path: '/runs', key: 'r' },
  { name: 'Filings', path: '/filings', key: 'f' },
  { name: 'Console', path: '/console', key: 'q' },
  { name: 'Dictionary', path: '/dictionary', key: 'd' },
] as const

let books: string
let serving: Serving & { readonly end: () => Promise<void> }
let browser: Browser
let context: BrowserContext
let watched: Watched
let page: Page

beforeAll(async () => {
  requireFreshBuild()
  browser = await openBrowser()
  books = await demoBooks()
  await command(['report', 'gains', '--freeze', 'handed-in', '--dir', books])
  serving = await startServing(books)
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  watched = await watchedPage(context, serving.origin)
  page = watched.page
  await enter()
})
afterAll(async () => {
  await browser?.close()
  await serving?.end()
  if (books !== undefined) rmSync(books, { recursive: true, force: true })
})

/** The code is good once; a page that knows the secret already is let in by it. */
async function enter(): Promise<void> {
  await context.addCookies([
    {
      name: `tieout-${serving.port}`,
      value: serving.secret,
      url: serving.origin,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
  await page.goto(serving.origin)
  await settled()
}

/** The view has its figures, and the page knows the books: nothing is being read any more. */
async function settled(on: Page = page): Promise<void> {
  await on.locator('.side-foot .where').waitFor({ state: 'attached' })
  await on.locator('main:not(:has(.loading, .stale)) :is(h1, .empty)').first().waitFor()
}

async function open(path: string): Promise<void> {
  await page.goto(serving.origin + path)
  await settled()
}

/** Another view, without loading the page again, which takes twice as long: for tests that go through all of them. */
async function moveTo({ name, path }: { readonly name: string; readonly path: string }): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  await settled()
}

/**
 * Takes out what the editor holds, and stands in it. What is typed over coloured text the browser itself would colour by a
 * style, which the policy of the page forbids.
 */
async function emptyEditor(): Promise<void> {
  await page.locator('.editor').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
}

const cliRows = async (args: readonly string[]): Promise<Record<string, string | null>[]> =>
  JSON.parse((await command([...args, '--dir', books])).stdout)

describe('every view', () => {
  test('is reached by mouse, shows figures or says what to do, and carries the stamp', async () => {
    await open('/')
    for (const { name } of VIEWS) {
      await page.locator('#navigation').getByRole('link', { name }).first().click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      await settled()
      expect(await page.locator('.failure').count(), name).toBe(0)
      expect(await page.locator('.stamp').textContent(), name).toContain('Published')
    }
    expect(watched.wrongs).toEqual([])
  })

  test('is reached by keyboard alone, and Tab moves on from everything', async () => {
    await open('/dictionary')
    for (const { name, key, path } of VIEWS) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      await settled()
      expect(new URL(page.url()).pathname).toBe(path)
    }
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').textContent()).toContain('Keyboard shortcuts')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('has no serious or critical finding of axe, in light, dark and forced colours', async () => {
    const found: string[] = []
    const id = encodeURIComponent(await aDisposal())
    // A few rows have all that a hundred have.
    const few: Readonly<Record<string, string>> = {
      '/ledger': `?id=${id}`,
      '/gains': `?coin=${await rarestCoin()}`,
    }
    // So do a few tables beside the console, of which one is a view.
    const schema = await serving.get<ConsoleSchema>('/api/console/schema')
    const views = schema.tables.filter(({ rows }) => rows === null)
    const tables = [...schema.tables.filter(({ rows }) => rows !== null).slice(0, 3), ...views.slice(0, 1)]
    await page.route('**/api/console/schema', (route) => route.fulfill({ json: { ...schema, tables } }))
    // The first of them is another view than this one.
    await open('/dictionary')
    for (const view of [...VIEWS, { name: 'Proof', path: `/proof?id=${id}` }]) {
      const path = view.path + (few[view.path] ?? '')
      await moveTo({ ...view, path })
      found.push(...(await findings(page)).map((one) => `${path}: ${one}`))
      // What else axe looks at does not depend on colours.
      await page.emulateMedia({ colorScheme: 'dark' })
      found.push(...(await findings(page, ['color-contrast'])).map((one) => `${path}, dark: ${one}`))
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
      found.push(...(await findings(page, ['color-contrast'])).map((one) => `${path}, forced: ${one}`))
      await page.emulateMedia({ forcedColors: 'none' })
    }
    await page.unroute('**/api/console/schema')
    expect(found).toEqual([])
  })

  test('is complete on paper: no column is cut, the filters are named, and nothing that only works on a screen appears', async () => {
    await open('/gains?known=yes')
    await page.emulateMedia({ media: 'print' })
    const cut = (await page.evaluate(
      "[...document.querySelectorAll('.table-frame')].map((frame) => getComputedStyle(frame).overflowX)",
    )) as string[]
    expect(new Set(cut)).toEqual(new Set(['visible']))
    const shown = page.locator('.filters label').filter({ visible: true })
    expect(await shown.locator('span').allTextContents()).toEqual(['Gain'])
    expect(await shown.locator('select').inputValue()).toBe('yes')
    expect(await page.locator('.button').filter({ visible: true }).count()).toBe(0)
    expect(await page.locator('.side').isVisible()).toBe(false)
    // Steps of a proof that are closed keep their sentence.
    await open(`/proof?id=${encodeURIComponent(await aDisposal())}`)
    const summaries = page.locator('.steps summary')
    expect(await summaries.filter({ visible: true }).count()).toBeGreaterThan(1)
    await page.emulateMedia({ media: null })
  })

  test('shows by a shadow where a table continues beyond the edge, at every width', async () => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await open('/accounts')
      const frame = "getComputedStyle(document.querySelector('.table-frame')).backgroundImage"
      expect(await page.evaluate(frame)).toContain('gradient')
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('cuts no table at 1440 pixels', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const cut: string[] = []
    await open('/dictionary')
    for (const view of VIEWS) {
      const { path } = view
      await moveTo(view)
      const wide = (await page.evaluate(
        "[...document.querySelectorAll('.table-frame')].filter((frame) => frame.scrollWidth > frame.clientWidth).map((frame) => frame.getAttribute('aria-label'))",
      )) as string[]
      cut.push(...wide.map((name) => `${path}: ${name}`))
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(cut).toEqual([])
  })

  test('closes its menu on Escape, and returns the focus', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await open('/runs')
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.click()
    await page.locator('#navigation a').first().focus()
    await page.keyboard.press('Escape')
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Menu')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('sets the focus at the figures after a link, and restores the scroll position on going back', async () => {
    await open('/ledger')
    await page.evaluate('scrollTo(0, 900)')
    await page.locator('.proof-link').nth(40).click()
    await page.locator('.proof-verdict').waitFor()
    expect(await page.evaluate('[scrollY, document.activeElement.id]')).toEqual([0, 'main'])
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBe(900)
  })

  test('fits 320 pixels without scrolling sideways', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    const wide: string[] = []
    const [longest] = await cliRows([
      'sql',
      'select entry_id from entries order by length(type) desc nulls last, entry_id limit 1',
      '--format',
      'json',
    ])
    const measure = async (path: string): Promise<void> => {
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) wide.push(`${path}: ${width}`)
    }
    await open('/dictionary')
    for (const view of VIEWS) {
      await moveTo(view)
      await measure(view.path)
    }
    for (const id of [await aDisposal(), longest?.entry_id ?? '']) {
      const path = `/proof?id=${encodeURIComponent(id)}`
      await open(path)
      await measure(path)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(wide).toEqual([])
  })
})

async function aDisposal(): Promise<string> {
  const { pieces } = await serving.get<{ pieces: { rows: { disposal_id: string }[] } }>('/api/gains')
  return (pieces.rows[0] as { disposal_id: string }).disposal_id
}

async function rarestCoin(): Promise<string> {
  const { totals } = await serving.get<{ totals: { rows: { coin: string; pieces: number }[] } }>('/api/gains')
  return (totals.rows.toSorted((one, other) => one.pieces - other.pieces)[0] as { coin: string }).coin
}

/** Cells of a column of the first table that has it, as they are read and copied. */
async function column(caption: string, head: string): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const table = [...document.querySelectorAll('table')].find((one) => one.caption?.textContent === ${JSON.stringify(caption)})
    const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.startsWith(${JSON.stringify(head)}))
    return [...table.tBodies[0].rows].filter((row) => row.className !== 'room').map((row) => row.cells[at].textContent)
  })()`)) as string[]
}

describe('figures', () => {
  test('balances are those of the command line, to the last digit', async () => {
    await open('/accounts')
    const rows = await cliRows(['report', 'balances', '--format', 'json'])
    const shown = await column('Balances by account, wallet and coin', 'Books')
    expect(shown.toSorted()).toEqual(rows.map(({ quantity }) => quantity as string).toSorted())
    expect(shown.length).toBeGreaterThan(10)
  })

  test('gains are those of the command line, to the last digit', async () => {
    const rows = await cliRows([
      'sql',
      'select gain from disposals order by disposed_at desc, rowid desc limit 40',
      '--format',
      'json',
    ])
    await open('/gains')
    const shown = await column('Pieces of disposals', 'Gain')
    expect(shown.slice(0, 40).toSorted()).toEqual(rows.map(({ gain }) => gain ?? '–not known').toSorted())
  })

  test('gains of all coins are those that the command line adds up', async () => {
    await open('/gains')
    const [proceeds, fees, gain] = (
      await page.locator('table:has(caption:text-is("Gains by coin and term")) tfoot tr td').allTextContents()
    ).filter((_, at) => at === 3 || at === 4 || at === 6)
    const [sums] = await cliRows([
      'sql',
      'select sum(proceeds) as proceeds, sum(fees) as fees, sum(gain) as gain from disposals',
      '--format',
      'json',
    ])
    expect([proceeds, fees, gain]).toEqual([sums?.proceeds, sums?.fees, sums?.gain])
    expect(fees).toMatch(/[1-9]/)
  })

  test('a figure is three clicks from the bytes that prove it', async () => {
    await open('/')
    await page.locator('#navigation').getByRole('link', { name: 'Gains' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gains' }).waitFor()
    await settled()
    const first = page.locator('.proof-link').first()
    const id = new URL((await first.getAttribute('href')) as string, serving.origin).searchParams.get(
      'id',
    ) as string
    await first.click()
    const received = page.locator('.evidence pre').first()
    await received.waitFor()
    const { stdout } = await command(['explain', id, '--json', '--dir', books])
    const texts = [...stdout.matchAll(/"row_text":\s*("(?:[^"\\]|\\.)*")/g)].map((found) =>
      JSON.parse(found[1] as string),
    )
    expect(texts).toContain(await received.textContent())
    expect(await page.locator('.proof-verdict').textContent()).toContain('Proven')
    expect(await page.locator('.evidence mark').count()).toBeGreaterThan(0)
    // The pieces of a disposal name no currency of their own.
    const gains = await page.locator('.step-sentence', { hasText: /a (gain|loss) of/ }).allTextContents()
    expect(gains.length).toBeGreaterThan(0)
    expect(gains.filter((sentence) => !sentence.endsWith(' USDT.'))).toEqual([])
  })

  test('a balance links to the entries that it is the sum of', async () => {
    await open('/accounts')
    const figure = page.locator('.figure-link').first()
    const amount = await figure.textContent()
    await figure.click()
    await page.locator('.proof-link').first().waitFor()
    await settled()
    expect((await column('Entries, newest first', 'Balance'))[0]).toBe(amount)
  })

  test('a month without amounts of a kind shows zero, and the other amounts link to what they are made up of', async () => {
    await open('/')
    const table = page.locator('.as-table').nth(1)
    await table.locator('summary').click()
    const cells = table.locator('tbody td')
    await cells.first().waitFor()
    expect((await cells.allTextContents()).filter((text) => text.includes('not known'))).toEqual([])
    const funding = table.locator('a[href*="kind=funding"]').last()
    const amount = await funding.textContent()
    const { searchParams } = new URL((await funding.getAttribute('href')) as string, serving.origin)
    const [sum] = await cliRows([
      'sql',
      `select sum(amount) as amount from entries where kind = 'funding' and coin = '${searchParams.get('coin')}'
        and occurred_at >= '${searchParams.get('from')}' and occurred_at < '${searchParams.get('to')}'::date + 1`,
      '--format',
      'json',
    ])
    expect(sum?.amount).toBe(amount)
    await table.locator('a[href^="/gains"]').last().click()
    await page.getByRole('heading', { level: 1, name: 'Gains' }).waitFor()
    await settled()
    expect(await page.locator('[data-filter=from]').inputValue()).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/)
  })

  test('gains state how they were matched, and how much of a loss is denied', async () => {
    const answer = await serving.get<{ pieces: { rows: { denied_loss: string }[] } }>('/api/gains')
    await open('/gains')
    expect(await page.locator('.view-head').textContent()).toContain('Matched by fifo, scope account')
    expect(await page.getByRole('columnheader', { name: 'Denied loss' }).count()).toBe(0)
    for (const row of answer.pieces.rows) row.denied_loss = '12.5'
    await page.route('**/api/gains', (route) => route.fulfill({ json: answer }))
    await open('/gains')
    await page.unroute('**/api/gains')
    expect((await column('Pieces of disposals', 'Denied loss'))[0]).toBe('12.5')
  })

  test('ages advance while the page stays open', async () => {
    await page.clock.install()
    await open('/')
    const before = await page.locator('.state').textContent()
    await page.clock.fastForward('02:00:00')
    await expect.poll(() => page.locator('.state').textContent()).not.toBe(before)
    expect(await page.locator('.state').textContent()).toMatch(/2 hours( \d+ minutes?)? ago/)
    await page.clock.resume()
  })

  test('a long name does not push the figures off the screen', async () => {
    const answer = await serving.get<{ balances: { rows: { account: string }[] } }>('/api/accounts')
    for (const row of answer.balances.rows) row.account = 'a'.repeat(64)
    await page.route('**/api/accounts', (route) => route.fulfill({ json: answer }))
    await open('/accounts')
    await page.unroute('**/api/accounts')
    const cell = page.locator('tbody th').first()
    expect(await cell.evaluate((one) => one.clientWidth)).toBeLessThan(260)
    expect(await cell.textContent()).toBe('a'.repeat(64))
  })

  test('counts name accounts and coins as they are written', async () => {
    const facets = await serving.get<{ facets: { rows: object[] } }>('/api/entries/facets')
    facets.facets.rows.push(
      { facet: 'account', value: 'my_account', count: 1 },
      { facet: 'account', value: 'Kraken, joint', count: 1 },
    )
    await page.route('**/api/entries/facets*', (route) => route.fulfill({ json: facets }))
    // Wide enough for the counts to stand beside the table.
    await page.setViewportSize({ width: 1800, height: 800 })
    await open('/ledger')
    await page.getByRole('button', { name: 'my_account' }).waitFor()
    await page.getByRole('button', { name: 'Kraken, joint' }).click()
    await expect
      .poll(() => page.getByRole('button', { name: 'Kraken, joint' }).getAttribute('aria-pressed'))
      .toBe('true')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.unroute('**/api/entries/facets*')
  })

  test('if no entry matches, it refers to the counts, which are available at every width', async () => {
    await open('/ledger?account=nobody')
    expect(await page.locator('main').textContent()).toContain(
      'Clear one of them; the counts show where there are entries.',
    )
  })

  test('retention bars are filled in proportion to the time left', async () => {
    await open('/coverage')
    const bars = page.locator('.running-out li').first()
    const [whole, left] = await Promise.all(
      ['.trough', '.share'].map(async (one) => Number(await bars.locator(one).getAttribute('width'))),
    )
    // The demo has fetched everything just now.
    expect(left as number).toBeGreaterThan((whole as number) * 0.9)
    expect(await bars.locator('.share').getAttribute('class')).toContain('good')
  })

  test('the feeds that the venue forgets next have their bars at one height, however long their names are', async () => {
    await open('/coverage')
    const tops = (await page.evaluate(
      "[...document.querySelectorAll('.running-out li')].map((one) => one.querySelector('svg').getBoundingClientRect().top - one.getBoundingClientRect().top)",
    )) as number[]
    expect(tops.length).toBeGreaterThan(2)
    expect(new Set(tops.map(Math.round)).size).toBe(1)
  })

  test('no feed name is cut off, at any width', async () => {
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 })
      await open('/coverage')
      await page.locator('.feed-name').first().waitFor()
      const cut = await page
        .locator('.feed-name')
        .evaluateAll((names) =>
          names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent),
        )
      expect([width, cut]).toEqual([width, []])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a long feed name on the overview hides no other column', async () => {
    const overview = await serving.get<{ coverage: { rows: { account: string }[] } }>('/api/overview')
    const [first] = overview.coverage.rows
    if (first !== undefined) first.account = `desk-${'a'.repeat(59)}`
    await page.route('**/api/overview*', (route) => route.fulfill({ json: overview }))
    for (const width of [1280, 1100, 1000]) {
      await page.setViewportSize({ width, height: 900 })
      await open('/')
      const hidden = await page
        .getByRole('region', { name: 'Feeds with the worst coverage, table' })
        .evaluate((frame) => frame.scrollWidth - frame.clientWidth)
      expect([width, hidden]).toEqual([width, 0])
    }
    await page.unroute('**/api/overview*')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('resolved breaks are not counted or described as open', async () => {
    await open('/breaks?status=all')
    const statuses = await column('Breaks', 'Status')
    const resolved = statuses.filter((status) => status === 'resolved').length
    const head = (await page.locator('h2').first().textContent()) ?? ''
    expect(head).toMatch(/^Open: \d/)
    if (resolved > 0) expect(head).toContain(`resolved: ${resolved}`)
    expect(await column('Breaks', 'First seen')).toHaveLength(statuses.length)
  })

  test('the trial balance states which days it covers', async () => {
    await open('/accounts?show=trial')
    expect(await page.locator('h2').first().textContent()).toMatch(/^Trial balance, 1 \w+ \d{4} to \d/)
  })

  test('the day on which the last run ended is not presented as complete', async () => {
    await open('/')
    const said = await page.locator('.headline + .quiet').textContent()
    expect(said).toMatch(/^so far on \d+ \w+ \d{4}, net of debts$/)
  })

  test('the overview links to all feeds of the chosen account', async () => {
    const { feedCount } = await serving.get<{ feedCount: number }>('/api/overview?account=parent')
    await open('/?account=parent')
    const link = page.getByRole('link', { name: `All ${feedCount} feeds by day` })
    expect(await link.getAttribute('href')).toBe('/coverage?account=parent')
  })

  test('no label of a chart is cut off at its edge, even on a phone', async () => {
    const cut: string[] = []
    const answer = await serving.get<{ pnl: { rows: { month: string }[] } }>('/api/overview')
    // A year and a month: so many that the last one has its name, at the very edge.
    const months = Array.from({ length: 13 }, (_, at) =>
      new Date(Date.UTC(2025, 10 + at)).toISOString().slice(0, 10),
    )
    const [row] = answer.pnl.rows
    answer.pnl.rows = months.map((month) => ({ ...row, month }))
    await page.route('**/api/overview', (route) => route.fulfill({ json: answer }))
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await open('/')
      await page.locator('.chart .tick').first().waitFor()
      cut.push(
        ...((await page.evaluate(`[...document.querySelectorAll('.chart text')].flatMap((text) => {
          const [own, whole] = [text.getBoundingClientRect(), text.closest('svg').getBoundingClientRect()]
          const isCut = own.left < whole.left - 0.5 || own.right > whole.right + 0.5
          return isCut ? ['${width}: ' + text.textContent] : []
        })`)) as string[]),
      )
    }
    await page.unroute('**/api/overview')
    expect(cut).toEqual([])
  })

  test('the overview claims no more than status does if the books are older than the journal or were not published', async () => {
    const answer = await serving.get<object>('/api/overview')
    const shown = async (changes: object) => {
      await page.route('**/api/overview', (route) => route.fulfill({ json: { ...answer, ...changes } }))
      await open('/')
      await page.unroute('**/api/overview')
      const verdict = page.locator('.verdict')
      return [await verdict.getAttribute('class'), await verdict.textContent()]
    }
    expect(await shown({})).toEqual(['verdict good', 'The books tie out.'])
    const older = 'The ledger is behind the journal by 2 frames; as built, it has no open breaks.'
    expect(await shown({ verdict: { meaning: 'doubtful', text: older } })).toEqual(['verdict warn', older])
    expect(await shown({ unpublished: { error: 1, warning: 2, notice: 0 } })).toEqual([
      'verdict bad',
      `The last build was not published: it has 1 error and 2 warnings. This page shows the books published before it. Run tieout check --dir ${books} to see the breaks.`,
    ])
  })

  test('for one account, the overview makes no statement about all the books', async () => {
    // The one open break of the demo, its reporting currency, is of no account.
    await open('/?account=broker')
    const breaks = page.locator('section', { hasText: 'Open breaks by age' })
    expect(await breaks.locator('.says').textContent()).toBe('Of broker, and of no account.')
    expect(await column('Open breaks by severity and age', 'Severity')).toEqual(['notice'])
    await breaks.getByRole('link', { name: 'notice' }).click()
    await page.getByRole('heading', { level: 1, name: 'Breaks' }).waitFor()
    await settled()
    expect(await column('Breaks', 'Where')).toEqual(['USDT'])
    const unknown = await serving.get<{ pnl: { rows: { unknown_pieces: number }[] } }>(
      '/api/overview?account=broker',
    )
    for (const row of unknown.pnl.rows) row.unknown_pieces = 2
    await page.route('**/api/overview?account=broker', (route) => route.fulfill({ json: unknown }))
    await open('/?account=broker')
    const pieces = page.getByRole('link', { name: /pieces with unknown gain/ }).first()
    expect(await pieces.getAttribute('href')).toBe('/gains?account=broker&known=no')
    await page.unroute('**/api/overview?account=broker')
    await open('/?account=nobody')
    expect(await page.locator('.empty-title').allTextContents()).toContain(
      'Nothing in nobody has been valued.',
    )
  })

  test('the command that the page suggests creates a filing', async () => {
    const none = mkdtempSync(join(tmpdir(), 'filings-'))
    try {
      const answer = await serving.get<object>('/api/filings')
      await page.route('**/api/filings', (route) => route.fulfill({ json: { ...answer, filings: [] } }))
      await open('/filings')
      const told = (await page.locator('.empty code').textContent()) ?? ''
      expect(told).toContain(` --dir ${books}`)
      await page.unroute('**/api/filings')
      const { code, stderr } = await command([...told.split(' ').slice(1), '--out', none])
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Frozen as /m) })
    } finally {
      rmSync(none, { recursive: true, force: true })
    }
  })

  test('an unknown id says what is wrong and what to do', async () => {
    await open('/proof?id=no-such-thing')
    expect(await page.getByRole('alert').textContent()).toContain('no-such-thing')
    watched.wrongs.length = 0
  })
})

describe('the address', () => {
  const distinct = async (head: string): Promise<string[]> => [
    ...new Set(await column('Entries, newest first', head)),
  ]

  test('holds every filter, back and forward', async () => {
    await open('/ledger')
    await page.locator('[data-filter=kind]').selectOption('fee')
    expect(new URL(page.url()).search).toBe('?kind=fee')
    await expect.poll(() => distinct('Kind')).toEqual(['fee'])
    await page.locator('[data-filter=coin]').selectOption('USDT')
    await expect.poll(() => distinct('Coin')).toEqual(['USDT'])
    await page.goBack()
    expect(new URL(page.url()).search).toBe('?kind=fee')
    await expect.poll(async () => (await distinct('Coin')).length).toBeGreaterThan(1)
  })

  test('pages through a list without losing or repeating a row', async () => {
    await open('/ledger')
    const first = await column('Entries, newest first', 'Time')
    await page.locator('[data-next]').click()
    await page.waitForURL(/cursor=/)
    await page.getByRole('button', { name: 'First rows' }).waitFor()
    await settled()
    const second = await column('Entries, newest first', 'Time')
    expect((second[0] as string) <= (first.at(-1) as string)).toBe(true)
    expect(first).toHaveLength(100)
  })

  test('a CSV contains exactly the filtered rows', async () => {
    await open('/ledger?kind=fee&coin=USDT')
    const count = Number(((await page.locator('h2').first().textContent()) ?? '').replace(/\D/g, ''))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^CSV/ }).first().click(),
    ])
    const pieces: Buffer[] = []
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer)
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n')
    expect(lines).toHaveLength(count + 1)
    expect(lines[0]).toContain('entry_id')
  })
})

describe('the console', () => {
  test('runs by Ctrl-Enter, counts its rows, and leaves Tab to the page', async () => {
    await open('/console')
    await page.locator('.editor').click()
    await page.keyboard.type('select coin, quantity from balances order by quantity desc')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^All \d+ rows, in/).waitFor()
    const rows = await cliRows([
      'sql',
      'select coin, quantity from balances order by quantity desc',
      '--format',
      'json',
    ])
    const shown = await column('Rows of the query', 'quantity')
    expect(shown).toEqual(rows.slice(0, shown.length).map(({ quantity }) => quantity))
    await page.locator('.editor').click()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Run')
  })

  test('announces that it was cut, and cancels in the engine', async () => {
    const rows = await serving.lines<ConsoleEnd>('/api/console/run', { id: 'cut', sql: 'from range(10001)' })
    expect(rows.at(-1)?.how).toBe('cut')
    await open(`/console?sql=${encodeURIComponent('from range(10001)')}`)
    expect(await page.getByText('No query has been run yet.').count(), 'a link fills, and does not run').toBe(
      1,
    )
    await page.locator('[data-run]').click()
    await page.getByText('There are more rows: the screen shows at most 10000 rows').waitFor()
    await open(
      `/console?sql=${encodeURIComponent('select count(*) from range(100000000) a, range(100000000) b')}`,
    )
    await page.locator('[data-run]').click()
    await page.getByText(/^Running/).waitFor()
    await page.locator('[data-cancel]').click()
    await page.getByText('there may be more').waitFor()
  })

  test('marks the place of an error under its line', async () => {
    await open(`/console?sql=${encodeURIComponent('select account,\n  amont from entries')}`)
    await page.locator('[data-run]').click()
    const lines = ((await page.locator('.failure-lines').textContent()) ?? '').split('\n')
    const at = lines.findIndex((line) => line.startsWith('LINE 2:'))
    expect(lines[at + 1]?.indexOf('^')).toBe(lines[at]?.indexOf('amont'))
  })

  test('charts the current rows', async () => {
    await open(
      `/console?sql=${encodeURIComponent('select day, sum(value) as worth from net_worth group by day order by day')}`,
    )
    await page.locator('[data-run]').click()
    await page.getByText(/^All \d+ rows/).waitFor()
    await page.getByRole('button', { name: 'Chart' }).click()
    await page.locator('.chart .line').waitFor()
  })

  test('keeps the draft when a link fills the editor, and what is then edited from the link', async () => {
    await open('/console')
    await emptyEditor()
    await page.keyboard.type('select 1 as mine')
    await open('/console?sql=select+2')
    await open('/console')
    const text = (): Promise<string | null> => page.locator('.editor .cm-content').textContent()
    expect(await text()).toBe('select 1 as mine')
    await open('/console?sql=select+2')
    await page.locator('.editor').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' + 40')
    await page.reload()
    await settled()
    expect(await text()).toBe('select 2 + 40')
    expect(await page.locator('#shelf').textContent()).toContain('select 1 as mine')
  })

  test('opens the query of a view unchanged', async () => {
    await open('/ledger?kind=fee')
    await page.getByRole('link', { name: /^SQL/ }).first().click()
    await page.locator('[data-run]').click()
    await page.getByText(/^(All [\d\u00a0]+ rows|The first)/).waitFor()
    expect(new Set(await column('Rows of the query', 'kind'))).toEqual(new Set(['fee']))
  })
})

test('a note on a break is saved, published and offered without mixing two ledgers', async () => {
  const { entries } = await serving.get<{ entries: { next: string } }>('/api/entries')
  await open('/breaks')
  const before = await page.locator('.stamp code').textContent()
  await page.locator('[data-break]').first().click()
  await page.locator('#note').fill('Looked at, and as it should be.')
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.getByText('Newer books were published').waitFor({ timeout: 100_000 })
  expect(await page.locator('.stamp code').textContent()).toBe(before)
  // Rows of the console tell which books they are of: the newer ones, then again those on the page.
  await page.keyboard.press('Escape')
  await page.locator('#navigation').getByRole('link', { name: 'Console' }).click()
  await emptyEditor()
  await page.keyboard.type('select 1')
  await page.locator('[data-run]').click()
  await page.getByText(/^1 row, in.*other books/).waitFor()
  // A later page of a list is one of the books before, and is left with them.
  const later = JSON.stringify(`/ledger?cursor=${encodeURIComponent(entries.next)}`)
  await page.evaluate(
    `history.replaceState(null, '', ${later}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await page.getByText('Another ledger has been published').waitFor()
  await page.getByRole('button', { name: 'Show the new books' }).first().click()
  await page.locator('.proof-link').first().waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(await page.locator('.stamp code').textContent()).not.toBe(before)
  // That page was refused, as it should be.
  watched.wrongs.splice(0, watched.wrongs.length, ...watched.wrongs.filter((one) => !one.includes(' 409 ')))
  await open('/breaks?status=explained')
  await page.locator('[data-break]').first().click()
  await page.getByText('Looked at, and as it should be.').first().waitFor()
})

test('nothing contacted another machine, violated the policy or failed along the way', () => {
  expect(watched.wrongs).toEqual([])
})
