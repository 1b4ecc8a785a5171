// The books of docs/accounting.md, built from the rows on the page; every other table there is compared with what the build
// publishes and the reports say, all of its rows, cell by cell.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { cellText } from '../../pipeline/output/cell.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportName } from '../../pipeline/reports/catalogue.ts'
import { type Cells, TestBooks } from '../support/books.ts'

interface Table {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** A caption in bold, then the table. */
const tablesOf = (text: string): Table[] =>
  [...text.matchAll(/\*\*([^*\n]+)\*\*\n\n((?:\|.*\n)+)/g)].map(([, caption = '', table = '']) => {
    const [columns = '', , ...rows] = table.trim().split('\n')
    return { caption, columns: cellsOf(columns), rows: rows.map(cellsOf) }
  })

const page = readFileSync(join(packageRoot, 'docs', 'accounting.md'), 'utf8')
const books = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n')[0] ?? '', text: `${text}\n`, tables: tablesOf(`${text}\n`) }))

const RECEIVED = /^Received(?: by `(\w+)`)?: `([\w.]+)`(?:, ([\w-]+))?$/
const PUBLISHED = /^`(\w+)`(, fees in kind netted)?$/
const REPORT = /^`report ([\w-]+)`$/
const IMPORTED = 'Imported: prices'
const SUMMED = '`postings`, summed'
const isGiven = ({ caption }: Table): boolean => RECEIVED.test(caption) || caption === IMPORTED

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** `2026-01-05 10:00`, as the page has times, as an instant in UTC. */
const instant = (cell: string): string =>
  cell.replace(
    /^(\d{4}-\d\d-\d\d \d\d:\d\d)(:\d\d)?$/,
    (_, minute, second = ':00') => `${minute}${second}+00`,
  )

const cellsByName = ({ columns, rows }: Table): Cells[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, instant(row[at] ?? '')])))

async function ledgerOf(
  text: string,
  given: readonly Table[],
  feesInKind: 'disposal' | 'net',
): Promise<Ledger> {
  const made = await TestBooks.open()
  closers.push(() => made.close())
  const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
  for (const [at, account] of ['main', 'cold'].entries())
    if (account === 'main' || text.includes(`\`${account}\``))
      await made.account(account, 'unified', `100${at + 1}`)
  for (const table of given) {
    const rows = cellsByName(table)
    const [, account = 'main', feed = '', partition = ''] = RECEIVED.exec(table.caption) ?? []
    if (feed !== '') await made.page(feed, rows, { account, partition, covers })
    else
      for (const [at, row] of rows.entries())
        await made.insert('imported_prices', { page_id: '900', page_row: String(at), ...row })
  }
  const [, reportingCurrency = 'USDT'] = /Reporting currency: (\w+)/.exec(text) ?? []
  const { openBreaks } = await made.build(
    { accounts: [{ name: 'main' }, { name: 'cold' }], reportingCurrency },
    { steps: [lotsStep({ method: 'fifo', scope: 'account', feesInKind })] },
  )
  expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
  const ledger = await openLedger(made.dir)
  closers.push(() => ledger.close())
  return ledger
}

/** The rows of the columns, in any order; times as the page has them. */
async function found(ledger: Ledger, { caption, columns }: Table): Promise<string[][]> {
  const text = (cell: unknown): string =>
    cellText(cell).replace(
      /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)\.000Z$/,
      (_, day, minute, second) => `${day} ${minute}${second === ':00' ? '' : second}`,
    )
  const [, report] = REPORT.exec(caption) ?? []
  if (report !== undefined) {
    const made = await makeReport(ledger, report as ReportName)
    const places = columns.map((name) => made.columns.findIndex((column) => column.name === name))
    return (await allRows(made.rows)).map((row) => places.map((place) => text(row[place])))
  }
  const [, table] = PUBLISHED.exec(caption) ?? []
  const from = caption === SUMMED ? 'postings group by account_name, coin' : table
  const names = caption === SUMMED ? 'account_name, coin, sum(amount)' : columns.join(', ')
  return (await ledger.query(`select ${names} from ${from}`)).map((row) => row.map(text))
}

const sorted = (rows: readonly (readonly string[])[]) =>
  rows.map((row) => row.join(' | ')).toSorted((one, other) => (one < other ? -1 : 1))

test('every table of the page is either given or compared', () => {
  expect(books).toHaveLength(7)
  const captions = books.flatMap(({ tables }) => tables.map(({ caption }) => caption))
  expect(captions).toHaveLength((page.match(/^\| --- /gm) ?? []).length)
  const known = [RECEIVED, PUBLISHED, REPORT]
  expect(
    captions.filter(
      (caption) => ![IMPORTED, SUMMED].includes(caption) && !known.some((form) => form.test(caption)),
    ),
  ).toEqual([])
})

test.each(books)(
  'the book of the page matches: $title',
  async ({ text, tables }) => {
    const given = tables.filter(isGiven)
    for (const feesInKind of ['disposal', 'net'] as const) {
      const compared = tables.filter(
        (table) => !isGiven(table) && (feesInKind === 'net') === table.caption.endsWith('netted'),
      )
      if (compared.length === 0) continue
      const ledger = await ledgerOf(text, given, feesInKind)
      for (const table of compared)
        expect([table.caption, ...sorted(await found(ledger, table))]).toEqual([
          table.caption,
          ...sorted(table.rows),
        ])
    }
  },
  60_000,
)
