// The printed report over small books that can be calculated by hand: each section's figures, their equality with the other
// forms, names that mean something to a browser, and what Chromium makes of it on paper and on a screen.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asBatches, type Column } from '../../pipeline/output/column.ts'
import { htmlText } from '../../pipeline/output/html.ts'
import { addAmounts } from '../../pipeline/reports/report.ts'
import { writeBooks } from '../evidence/explain-books.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { findings, openBrowser, watchedPage } from '../web/browser.ts'
import { plain, table } from './read.ts'

const HOSTILE = '<img onerror>'
const ACCOUNT = 'x"><img src=x onerror=alert(1)>'
const PERIOD = ['--from', '2026-01-06', '--to', '2026-01-31']

type Move = readonly [
  id: string,
  coin: string,
  type: string,
  amount: string,
  balance: string,
  ts: string,
  fee?: string,
]

const row = ([id, coin, type, amount, balance, ts, fee = '0']: Move): object => ({
  ...{ id, coin, type, amount, fee, balance },
  ts: String(Date.parse(ts)),
})

/** 1 BTC for 100; half of it sold for 80, a quarter for 20; interest; a transfer out; a position closed, its fee, funding. */
const SPOT: readonly Move[] = [
  ['101', 'BTC', 'ORDER_DEALT_IN', '1', '1', '2026-01-05T10:00:00Z'],
  ['102', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-100', '900', '2026-01-05T10:00:00Z'],
  ['103', 'USDT', 'ORDER_DEALT_IN', '80', '980', '2026-01-07T10:00:00Z'],
  ['104', 'BTC', 'ORDER_DEALT_FROZEN_OUT', '-0.5', '0.5', '2026-01-07T10:00:00Z'],
  ['105', 'USDT', 'ORDER_DEALT_IN', '20', '1000', '2026-01-09T10:00:00Z'],
  ['106', 'BTC', 'ORDER_DEALT_FROZEN_OUT', '-0.25', '0.25', '2026-01-09T10:00:00Z'],
  ['107', 'USDT', 'batch_interest_user_in', '1.5', '1001.5', '2026-01-10T10:00:00Z'],
  ['108', 'USDT', 'TRANSFER_OUT', '-5', '996.5', '2026-01-11T10:00:00Z'],
  ['109', HOSTILE, 'TRANSFER_IN', '2', '2', '2026-01-12T10:00:00Z'],
]
const FUTURES: readonly Move[] = [
  ['201', 'USDT', 'CLOSE_LONG', '12', '1008', '2026-01-13T10:00:00Z', '-0.5'],
  ['202', 'USDT', 'contract_main_settle_fee', '-0.3', '1007.7', '2026-01-13T11:00:00Z'],
]

/** The figures of sections in the period, of published tables alone. Amounts as text, without zeros at their ends. */
const plainAmount = (amount: string): string => `rtrim(rtrim(cast(${amount} as varchar), '0'), '.')`
const AFTER = `>= timestamptz '2026-01-06 00:00:00+00'`
const IN_SQL = `
  select 'derivatives' as section, [symbol, ${['realised_pnl', 'fees', 'funding', 'net_pnl'].map((name) => plainAmount(`sum(${name})`)).join(', ')}] as cells
  from futures_pnl where day >= date '2026-01-06' group by account, product_type, symbol, margin_coin
  union all
  select 'fees', [account, product_line, coin, ${plainAmount('sum(fee)')}, ${plainAmount('sum(value)')}, count(*)::varchar]
  from fees where occurred_at ${AFTER} group by account, product_line, coin
  union all
  select 'income', [kind, coin, ${plainAmount('sum(amount)')}, ${plainAmount('sum(value)')}, count(*)::varchar]
  from income where occurred_at ${AFTER} group by kind, coin
  union all
  select 'lots', [account, coin, ${plainAmount('sum(quantity_left)')}, ${plainAmount('sum(cost_basis_left)')}]
  from lots group by account, coin
  union all
  select 'transfers', [account, coin, direction, ${plainAmount('quantity')}, entry_id]
  from transfers where occurred_at ${AFTER}`

let dir: string
let statement: string
let taxes: string
const file = (name: string): string => join(dir, `${name}.html`)

async function report(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(['report', ...words, '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  return stdout
}

async function printed(name: string, ...words: string[]): Promise<string> {
  await report(...words, '--format', 'html', '--out', file(name))
  return readFileSync(file(name), 'utf8')
}

type Page = readonly [account: string, partition: string, moves: readonly Move[]]

const writePages = (into: string, accounts: readonly (readonly [string, string])[], pages: readonly Page[]) =>
  writeBooks(into, async ({ journal }) => {
    const common = { at: '2026-02-01T03:00:00.000Z', run: 'r1' }
    await journal.append({ kind: 'run-start', ...common, command: 'sync', now: common.at })
    for (const [account, uid] of accounts)
      await journal.append({
        kind: 'account',
        ...common,
        ...{ account, venue: 'venue', uid, accountKind: 'unified', accountMode: 'unified' },
      })
    const covers = { start: Date.parse('2026-01-01'), end: Date.parse('2026-01-31') }
    for (const [account, partition, moves] of pages) {
      const request = { method: 'GET', path: `/api/v3/tax/records?bizType=${partition}` } as const
      const of = { account, feed: 'tax.records', partition, request, status: 200 }
      const body = {
        code: '00000',
        msg: 'success',
        requestTime: 1769914800000,
        data: moves.map(row).toReversed(),
      }
      await journal.append({ kind: 'page', ...common, ...of, covers }, Buffer.from(JSON.stringify(body)))
    }
  })

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'paper-'))
  await writePages(
    dir,
    [
      ['main', '1001'],
      [ACCOUNT, '1002'],
    ],
    [
      ['main', 'SPOT', SPOT],
      ['main', 'USDT-FUTURES', FUTURES],
      [ACCOUNT, 'SPOT', SPOT.slice(8)],
    ],
  )
  await report('statement', ...PERIOD, '--freeze', 'january', '--format', 'csv')
  statement = await printed('statement', 'statement', ...PERIOD)
  taxes = await printed('taxes', 'taxes', '--year', '2026', '--rules', 'us')
})

/** The same amount with the other sign. */
const negated = (amount = ''): string => `-${amount}`.replace(/^--/, '')

/** What JSON has, as the document shows it: an instant under a heading that says UTC, all else as it is. */
const asRead = (cell: unknown): string =>
  String(cell ?? '').replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.000)?(\.\d+)?Z$/, '$1 $2$3')

const headings = (page: string): string[] =>
  [...page.matchAll(/<h2[^>]*>\d+\. (.*?)<\/h2>/g)].map(([, text]) => text ?? '')

test('the paper of a return under uk has London times: a sale late on 5 April UTC belongs to the next year', async () => {
  const books = temporaryFolder()
  await writePages(
    books,
    [['main', '1001']],
    [
      [
        'main',
        'SPOT',
        [
          ['101', 'BTC', 'ORDER_DEALT_IN', '1', '1', '2025-01-05T10:00:00Z'],
          ['102', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-100', '900', '2025-01-05T10:00:00Z'],
          ['103', 'USDT', 'ORDER_DEALT_IN', '80', '980', '2025-04-05T23:30:00Z'],
          ['104', 'BTC', 'ORDER_DEALT_FROZEN_OUT', '-0.5', '0.5', '2025-04-05T23:30:00Z'],
        ],
      ],
    ],
  )
  const words = ['report', 'taxes', '--rules', 'uk', '--year', '2025', '--format', 'html', '--dir', books]

  const { code, stdout } = await command(words)

  expect(code).toBe(0)
  expect(table(stdout, 'Gains by lot')[0]).toMatchObject({
    'disposed at (Europe/London)': '2025-04-06 00:30:00',
    quantity: '0.5',
    gain: '30',
  })
  expect(plain(stdout)).toContain(
    '(from 2025-04-06 00:00:00 Europe/London up to, but not including, 2026-04-06 00:00:00 Europe/London)',
  )
  expect(stdout).not.toContain('UTC)</th>')
})

describe('the paper of a statement', () => {
  test('has every section, in the order of a file of working papers', () => {
    const all = [
      ...['Summary', 'Gains by lot', 'Income', 'Derivatives', 'Fees', 'Holdings', 'Roll-forward'],
      ...['Trial balance', 'Movements by kind', 'Transfers', 'Prices', 'Breaks and coverage', 'Evidence'],
      ...['Legend', 'Difference from what was filed'],
    ]
    expect(headings(statement)).toEqual(all)
    expect(headings(taxes)).toEqual([...all.slice(0, 11), 'Lines of the return', ...all.slice(11)])
  })

  test('states on its cover whose it is, for when, by which rules, and from which books', () => {
    const cover = plain(statement.split('<nav')[0] ?? '')
    for (const words of [
      `Accountsmain (1001), ${ACCOUNT} (1002)`,
      'Period' +
        'from 2026-01-06 to 2026-01-31 (from 2026-01-06 00:00:00 UTC up to, but not including, 2026-02-01 00:00:00 UTC)',
      'Rulesgeneric',
      'MethodAs published: method fifo, scope account, rules generic.',
      'Reporting currencyUSDT',
      'Completeness0 of 2 pieces of disposals without a known gain',
      'Sourcerecords of venue, received in 1 run',
      'Made bytieout ',
      'Published at2026-02-01 04:00:00 UTC',
    ])
      expect(cover).toContain(words)
    expect(cover).toMatch(/LedgerSHA-256 [0-9a-f]{64}/)
  })

  test('sums gains and losses, income and fees', () => {
    const figures = new Map(table(statement, 'Summary').map((line) => [line.figure, line.value]))
    expect(Object.fromEntries(figures)).toEqual({
      Proceeds: '100',
      Cost: '75',
      Gains: '30',
      Losses: '-5',
      'Net gain or loss': '25',
      'Income: interest': '1.5',
      'Fees paid': '0.5',
    })
    expect(table(statement, 'Profit and loss by month and coin')).toEqual([
      expect.objectContaining({ month: '2026-01-01', coin: 'USDT', 'realised pnl': '37', 'net pnl': '37.7' }),
    ])
  })

  test('labels a sum in its first cell', () => {
    expect(table(statement, 'Statement').at(-1)).toMatchObject({ line: 'total, closing', 'line id': '' })
    expect(table(statement, 'Income, each event').at(-1)).toMatchObject({
      'occurred at (UTC)': 'total received',
      account: '',
      kind: 'interest',
      amount: '1.5',
    })
  })

  test('keeps derivatives separate, by contract', () => {
    expect(table(statement, 'Derivatives by contract').at(-1)).toMatchObject({
      account: 'total',
      'margin coin': 'USDT',
      'realised pnl': '12',
      fees: '-0.5',
      funding: '-0.3',
      'net pnl': '11.2',
    })
  })

  test('has what was held at the beginning and at the end, with quantity and cost', () => {
    const held = (when: string, what: string) =>
      table(statement, `At ${when}: ${what}`).filter((line) => line.account === 'main')
    const [begin, end] = [
      'the beginning (before 2026-01-06 00:00:00 UTC)',
      // The period ends after the run that the books are of.
      'the end of the books',
    ]
    const ended = statement.includes(`At ${end}`) ? end : 'the end (before 2026-02-01 00:00:00 UTC)'
    expect(held(begin, 'quantity and value').map((line) => [line.coin, line.quantity])).toEqual([
      ['BTC', '1'],
      ['USDT', '900'],
    ])
    expect(held(ended, 'quantity and value').map((line) => [line.coin, line.quantity])).toEqual([
      [HOSTILE, '2'],
      ['BTC', '0.25'],
      ['USDT', '1007.7'],
    ])
    expect(held(begin, 'cost of open lots')).toMatchObject([
      { coin: 'BTC', 'quantity left': '1', 'cost basis left': '100', currency: 'USDT' },
    ])
    expect(held(ended, 'cost of open lots')).toMatchObject([
      { coin: HOSTILE, 'quantity left': '2', 'cost basis left': '', 'quantity without cost': '2' },
      { coin: 'BTC', 'quantity left': '0.25', 'cost basis left': '25', currency: 'USDT' },
    ])
  })

  test('reconciles each coin from its opening to its closing', () => {
    const lines = table(statement, 'Roll-forward of each coin')
    expect(lines.find((line) => line.coin === 'USDT')).toEqual({
      ...{ coin: 'USDT', opening: '900', bought: '100', received: '13.5', sold: '0', given: '0.3' },
      ...{ 'transfers (net)': '-5', fees: '0.5', closing: '1007.7' },
    })
    expect(lines.find((line) => line.coin === 'BTC')).toMatchObject({
      opening: '1',
      sold: '0.75',
      closing: '0.25',
    })
    for (const line of lines) {
      const minus = (name: string): string => negated(line[name])
      const all = [line.opening, line.bought, line.received, line['transfers (net)']]
      expect(addAmounts([...all, minus('sold'), minus('given'), minus('fees')])).toBe(line.closing)
    }
  })

  test('has a trial balance that closes, and whose closing amounts are the balances', async () => {
    const lines = table(statement, 'Trial balance')
    const balances = JSON.parse(await report('balances', '--to', '2026-01-31', '--format', 'json')) as Record<
      string,
      string
    >[]
    expect(lines.map((line) => [line.account, line.ledger, line.coin, line.closing])).toEqual(
      balances.map((line) => [line.account, line.ledger, line.coin, line.quantity]),
    )
    for (const { opening, in: came, out, closing } of lines)
      expect(addAmounts([opening, came, negated(out)])).toBe(closing)
  })

  test('lists transfers, prices and what had no price', () => {
    expect(
      table(statement, 'Transfers').map((line) => [line.account, line.coin, line.direction, line.quantity]),
    ).toEqual([
      ['main', 'USDT', 'out', '5'],
      ['main', HOSTILE, 'in', '2'],
      [ACCOUNT, HOSTILE, 'in', '2'],
    ])
    expect(table(statement, 'Amounts without a price').map((line) => line.coin)).toEqual([HOSTILE])
  })

  test('shows the same lines as the other forms, to the last digit', async () => {
    for (const [page, caption, words] of [
      [statement, 'Gains by lot', ['gains', ...PERIOD]],
      [statement, 'Income, each event', ['income', ...PERIOD]],
      [statement, 'Statement', ['statement', ...PERIOD]],
      [statement, 'Breaks, open or explained', ['breaks', ...PERIOD]],
      [statement, 'Coverage', ['coverage', ...PERIOD]],
      [taxes, 'Form 8949', ['form-8949', '--year', '2026']],
      [taxes, 'Taxes 2026, rules us, days of UTC', ['taxes', '--year', '2026', '--rules', 'us']],
    ] as const) {
      const rows = JSON.parse(await report(...words, '--format', 'json')) as Record<string, unknown>[]
      if (rows.length === 0) {
        expect(plain(page)).toContain(`${caption}: none.`)
        continue
      }
      const lines = table(page, caption)
      const bare = (heading: string): string => heading.replace(' (UTC)', '').replaceAll(' ', '_')
      const shown = rows.map((one) => Object.values(one).map(asRead))
      expect([caption, lines.length > 0]).toEqual([caption, true])
      for (const [at, cells] of shown.entries())
        for (const [heading, cell] of Object.entries(lines[at] ?? {})) {
          if (rows[at] !== undefined && bare(heading) in rows[at])
            expect([caption, heading, cell]).toEqual([caption, heading, asRead(rows[at][bare(heading)])])
          else expect([caption, heading, cells]).toEqual([caption, heading, expect.arrayContaining([cell])])
        }
    }
  })

  test('has for contracts, fees, income, lots and transfers the same figures as SQL over the tables, to the last digit', async () => {
    const { stdout, stderr } = await command(['sql', IN_SQL, '--format', 'json', '--dir', dir])
    expect(stderr).toBe('')
    const expected = JSON.parse(stdout) as { section: string; cells: (string | null)[] }[]
    const cellsOf = (caption: string, ...columns: string[]) =>
      table(statement, caption)
        .filter((line) => line.account !== 'total')
        .map((line) => columns.map((name) => line[name] ?? 'no such column'))
    const end = [...statement.matchAll(/At the end[^<]*: cost of open lots/g)][0]?.[0] ?? ''
    const found = {
      derivatives: cellsOf(
        'Derivatives by contract',
        'contract',
        'realised pnl',
        'fees',
        'funding',
        'net pnl',
      ),
      fees: cellsOf('Fees', 'account', 'product line', 'coin', 'fee', 'value', 'number of fees'),
      income: cellsOf('Income by kind and coin', 'kind', 'coin', 'amount', 'value', 'events'),
      lots: cellsOf(end, 'account', 'coin', 'quantity left', 'cost basis left'),
      transfers: cellsOf('Transfers', 'account', 'coin', 'direction', 'quantity', 'entry id'),
    }
    for (const [section, lines] of Object.entries(found))
      expect([section, ...lines.map((line) => line.join(' ')).toSorted()]).toEqual([
        section,
        ...expected
          .filter((one) => one.section === section)
          .map(({ cells }) => cells.map((cell) => cell ?? '').join(' '))
          .toSorted(),
      ])
    expect(found.derivatives).toHaveLength(1)
    expect(found.lots).toHaveLength(3)
    expect(found.transfers).toHaveLength(3)
  })

  test('explains each of its columns', () => {
    for (const page of [statement, taxes]) {
      const explained = table(page, 'Columns')
      expect(explained.filter((line) => line.meaning === '')).toEqual([])
      const known = new Set(explained.map((line) => line.column))
      const legendAt = page.indexOf('. Legend</h2>')
      const used = [...page.slice(0, legendAt).matchAll(/<th scope="col">(.*?)<\/th>/g)].map(([, text]) =>
        plain(text ?? ''),
      )
      expect(used.filter((heading) => !known.has(heading))).toEqual([])
    }
  })

  test('compares itself with the last filing of its accounts and period', async () => {
    expect(plain(statement)).toContain('Frozen as january at')
    expect(plain(statement)).toContain('No line differs.')
    expect(plain(taxes)).toContain('No report of these accounts and this period has been filed.')
    await report('statement', ...PERIOD, '--account', 'main', '--freeze', 'main-only', '--format', 'csv')
    expect(plain(await printed('again', 'statement', ...PERIOD))).not.toContain('main-only')
  })
})

describe('the paper of taxes', () => {
  test('of a year that begins before the books has no lots at its beginning', () => {
    const begin = 'At the beginning (before 2026-01-01 00:00:00 UTC)'
    expect(plain(taxes)).toContain(`${begin}: quantity and value: none.`)
    expect(plain(taxes)).toContain(`${begin}: cost of open lots: none.`)
  })

  test('has the lines of the return and Form 8949, rounded as the form requires', () => {
    const lines = table(taxes, 'Taxes 2026, rules us, days of UTC')
    expect(lines.find((line) => line.line === '16')).toMatchObject({ value: '25', currency: 'USDT' })
    expect(
      table(taxes, 'Form 8949').map((line) => [line['(d) proceeds'], line['(h) gain or (loss)']]),
    ).toEqual([
      ['80', '30'],
      ['20', '-5'],
      ['100', '25'],
    ])
    // The form is in dollars, the books need not be.
    expect(table(taxes, 'Form 8949').map(({ currency }) => currency)).toEqual(['USDT', 'USDT', 'USDT'])
    expect(table(taxes, 'Summary').find((line) => line.figure === 'Short-term gain or loss')?.value).toBe(
      '25',
    )
  })

  test('inside a statement includes everything that the return says of its figures and the cover does not', async () => {
    const config = join(temporaryFolder(), 'tieout.yaml')
    writeFileSync(config, 'accounts: {}\nreports: { rules: us }\n')
    const page = await printed('statement-us', 'statement', '--year', '2026', '--config', config)
    const section = plain(page.split('Lines of the return</h2>')[1]?.split('<table')[0] ?? '')
    for (const words of [
      'Gains and losses are in USDT but the return is in USD: nothing is converted',
      'What these rules cover, and what they do not: docs/rules/us.md.',
    ])
      expect(section).toContain(words)
    // Those stand on the cover.
    for (const words of ['Computed for this report', 'The books of main begin at'])
      expect(section).not.toContain(words)
  })

  test('counts the tax year of the rules in every section', async () => {
    const page = await printed('uk', 'taxes', '--year', '2025', '--rules', 'uk')
    expect(plain(page)).toContain(
      'from 2025-04-06 00:00:00 Europe/London up to, but not including, 2026-04-06 00:00:00 Europe/London',
    )
    expect(
      table(page, 'Income, each event')
        .slice(0, -1)
        .map((line) => line.amount),
    ).toEqual(['1.5'])
  })
})

describe('as a document', () => {
  test('contains no script, loads nothing and links nowhere', () => {
    for (const page of [statement, taxes]) {
      const tags = page.match(/<[a-z][^>]*>/g) ?? []
      expect(
        tags.filter((tag) => /^<(script|link|img|iframe|object|form|base)|\s(src|style|on\w+)=/.test(tag)),
      ).toEqual([])
      expect(page).not.toMatch(/url\(|@import/)
      expect(
        [...page.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !/^#section-\d+$/.test(to ?? '')),
      ).toEqual([])
      expect(page.match(/<style>/g)).toHaveLength(1)
    }
  })

  test('has headings in order, and tables with a caption and header cells', () => {
    for (const page of [statement, taxes]) {
      const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
      expect(levels[0]).toBe(1)
      expect(
        levels.filter((level, at) => at > 0 && (level < 2 || level > (levels[at - 1] ?? 0) + 1)),
      ).toEqual([])
      const tables = page.split('<table').slice(1)
      expect(tables.length).toBeGreaterThan(10)
      for (const text of tables) {
        expect(text).toMatch(/^[^>]*><caption id="[^"]+">[^<]+<\/caption><thead><tr><th scope="col">/)
        expect((text.match(/<th(?! scope="(col|row)")/g) ?? []).filter((tag) => tag === '<th ')).toEqual([])
      }
    }
  })

  test('shows names from the venue and the user unchanged, also at the top of each page', () => {
    expect(statement).toContain('&lt;img onerror&gt;')
    expect(statement).not.toContain(HOSTILE)
    expect(statement).not.toContain(ACCOUNT)
    const style = /<style>(.*?)<\/style>/s.exec(statement)?.[1] ?? ''
    expect(style).toContain(
      '@top-left{content:"main \\28 1001\\29 \\2c  x\\22 \\3e \\3c img src\\3d x onerror\\3d alert',
    )
    expect(style).toContain('counter(pages)')
  })

  test('of the other reports has their one table after a cover', async () => {
    const page = await printed('balances', 'balances')
    expect(headings(page)).toEqual([])
    expect(plain(page)).toMatch(/LedgerSHA-256 [0-9a-f]{64}/)
    expect(table(page, 'Balances').map((line) => line.quantity)).toEqual(['2', '0.25', '1007.7', '2'])
  })
})

describe('in Chromium', () => {
  let browser: Browser
  /** One page for all tests: a new one takes four times as long as the next document. */
  let page: BrowserPage
  let wrongs: readonly string[]
  beforeAll(async () => {
    browser = await openBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    ;({ page, wrongs } = await watchedPage(context, 'null'))
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('is in shades of grey: a printer without colours loses nothing', async () => {
    await page.goto(pathToFileURL(file('taxes')).href)
    const colours =
      (await page.evaluate(`[...new Set([...document.querySelectorAll('*')].flatMap((element) => {
      const { color, backgroundColor, fill, stroke } = getComputedStyle(element)
      return [color, backgroundColor, fill, stroke]
    }))]`)) as string[]
    expect(colours.length).toBeGreaterThan(2)
    const spread = (colour: string): number => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number)
      return Math.max(red, green, blue) - Math.min(red, green, blue)
    }
    expect(colours.filter((colour) => spread(colour) > 20)).toEqual([])
  })

  test('prints on A4 and on Letter, in landscape, on several pages', async () => {
    await page.goto(pathToFileURL(file('statement')).href)
    for (const [format, width, height] of [
      ['A4', 842, 595],
      ['Letter', 792, 612],
    ] as const) {
      const pdf = (await page.pdf({ format, tagged: true })).toString('latin1')
      const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...sides]) =>
        sides.map(Number),
      )
      expect(sizes.length).toBeGreaterThan(1)
      for (const [wide = 0, high = 0] of sizes)
        expect([format, Math.abs(wide - width) < 2, Math.abs(high - height) < 2]).toEqual([
          format,
          true,
          true,
        ])
      expect(pdf).toContain('/StructTreeRoot')
    }
  })

  test('no page ends with the heading of a table whose rows are on the next one', async () => {
    await page.goto(pathToFileURL(file('statement')).href)
    // Whatever stands above the rows stays with the first of them: heading, both lines below it, caption, head.
    const free = await page.evaluate(`[...document.querySelectorAll('table')].flatMap((table) => {
      const first = table.tBodies[0].rows[0]
      const above = [table.caption]
      for (let at = table.closest('.wide').previousElementSibling; at?.matches('p'); at = at.previousElementSibling)
        above.push(at)
      return [
        ...(getComputedStyle(first).breakBefore === 'avoid' ? [] : ['row of ' + table.caption.textContent]),
        ...above.filter((one) => getComputedStyle(one).breakAfter !== 'avoid').map((one) => one.textContent),
      ]
    })`)
    expect(free).toEqual([])
  })

  test('no column of many amounts extends beyond the edge of a page', async () => {
    const amounts = Array.from({ length: 16 }, (_, at) => `change_${at}`)
    const named = ['account', 'month', 'currency', ...amounts]
    const columns = named.map((name, at): Column => (at < 3 ? { name } : { name, kind: 'amount' }))
    const cells = ['broker', '2026-01-01', 'USDT', ...amounts.map(() => '123456.123456789012345678')]
    const pieces = htmlText({ title: 'Wide', columns, rows: asBatches([cells]), totals: [], notes: [] })
    let text = ''
    for await (const piece of pieces) text += piece
    writeFileSync(file('wide'), text)
    // Between the margins of Letter. Chromium prints up to half as much more by making all of it smaller, and cuts off the rest.
    await page.setViewportSize({ width: 964, height: 700 })
    await page.emulateMedia({ media: 'print' })
    await page.goto(pathToFileURL(file('wide')).href)
    expect(await page.evaluate(`document.querySelector('table').offsetWidth`)).toBeLessThan(964 * 1.5)
    await page.emulateMedia({ media: null })
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test.each(['light', 'dark', 'print'] as const)('has no serious finding of axe, in %s', async (how) => {
    const colorScheme = how === 'dark' ? 'dark' : 'light'
    await page.emulateMedia({ colorScheme, media: how === 'print' ? 'print' : null })
    for (const name of ['statement', 'taxes']) {
      await page.goto(pathToFileURL(file(name)).href)
      expect(await findings(page)).toEqual([])
    }
    expect(wrongs).toEqual([])
  })
})
