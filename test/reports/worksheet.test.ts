// The worksheet goes round: what it writes is what `import lots` takes back, and then no gain is unknown.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { lotsFormat } from '../../pipeline/imports/lots.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { csvText } from '../../pipeline/output/csv.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { withoutGain } from '../../pipeline/reports/completeness.ts'
import { worksheet, worksheetText } from '../../pipeline/reports/worksheet.ts'
import { balanced, TestBooks } from '../support/books.ts'
import { ImportedBooks } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { publish } from './books.ts'

/** What the worksheet, the report of gains and their advice read. */
const MADE = [
  ...['disposals', 'lot_events', 'entries', 'valuations', 'unknown_basis', 'beginnings', 'runs'],
  ...['imports', 'imported_trades', 'imported_entries', 'checks.unknown_basis'],
]

let books: TestBooks

/** Opens the books of a test. */
async function open(): Promise<void> {
  books = await TestBooks.open()
  onTestFinished(() => books.close())
  await books.account('main', 'unified')
  await books.insert('imports', {
    page_id: '90',
    kind: 'lots',
    file_name: 'worksheet.csv',
    imported_at: '2026-02-01 00:00:00+00',
  })
  await books.insert('imports', {
    page_id: '91',
    kind: 'prices',
    file_name: 'prices.csv',
    imported_at: '2026-02-01 00:00:00+00',
  })
  await books.insert('imported_prices', {
    page_id: '91',
    page_row: '0',
    priced_at: '2026-01-04 23:00:00+00',
    asset: 'BTC',
    currency: 'USDT',
    price: '1000',
    source: 'market',
  })
  // Two coins from before the books, half a one from outside; two and a quarter are sold.
  await books.tax(
    'SPOT',
    balanced(
      [
        { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '0.5', ts: '2026-01-05 00:00:00+00' },
        { id: '2', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '2700', ts: '2026-01-06 00:00:00+00' },
        {
          id: '3',
          coin: 'BTC',
          type: 'ORDER_DEALT_FROZEN_OUT',
          amount: '-2.25',
          ts: '2026-01-06 00:00:00+00',
        },
        { id: '4', coin: 'ETH', type: 'TRANSFER_IN', amount: '3', ts: '2026-01-07 00:00:00+00' },
      ],
      { BTC: '2' },
    ),
  )
}

/** `only`: the tables that are built; all of them if absent. */
const build = (options: { readonly only?: readonly string[] } = {}) =>
  books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })], ...options },
  )

async function written(): Promise<string> {
  const ledger = await openLedger(books.dir)
  try {
    const { columns, rows } = await worksheet(ledger)
    let text = ''
    for await (const piece of csvText(columns, rows)) text += piece
    return text
  } finally {
    ledger.close()
  }
}

test('lists each arrival without a cost, with its value at the time; filled in and imported, every gain is known', async () => {
  await open()
  await build({ only: MADE })
  expect(await books.query('select gain from disposals')).toEqual([[null], [null]])
  const text = await written()
  const lines = text.trimEnd().split(/\r?\n/)
  expect(lines.map((line) => line.split(';')[0])).toEqual([
    'id,time,account,asset,quantity,basis,currency,note',
    'worksheet:main/tax.records/1/opening,2026-01-05T00:00:00.000Z,main,BTC,2,2000,USDT,held before the books begin',
    'worksheet:main/tax.records/1/amount,2026-01-05T00:00:00.000Z,main,BTC,0.5,500,USDT,came from a wallet outside the books',
    'worksheet:main/tax.records/4/amount,2026-01-07T00:00:00.000Z,main,ETH,3,,USDT,came from a wallet outside the books',
  ])
  // The owner knows what the two cost, and nothing of the ether, whose row goes.
  const filled = lines
    .filter((line) => !line.includes(',ETH,'))
    .join('\n')
    .replace(',2,2000,', ',2,300,')
  const bytes = Buffer.from(`${filled}\n`)
  for (const [at, { values }] of lotsFormat.read({ name: 'worksheet.csv', bytes }).entries()) {
    const [id, micros, nanos, account, asset, quantity, basis, currency] = values
    await books.insert('imported_lots', {
      page_id: '90',
      page_row: String(at),
      id: String(id),
      acquired_at: new Date(Number((micros as bigint) / 1_000n)).toISOString(),
      nanos: String(nanos),
      account: String(account),
      asset: String(asset),
      quantity: formatAmount(quantity as bigint),
      basis: formatAmount(basis as bigint),
      currency: String(currency),
    })
  }
  const { breaks, openBreaks } = await build()
  expect(breaks.error, JSON.stringify(openBreaks)).toBe(0)
  // 2 that cost 300 and 0.25 of what cost 500 for the half, sold at 1,200 each.
  expect(
    await books.query('select quantity, cost_basis, gain from disposals order by quantity desc'),
  ).toEqual([
    ['2', '300', '2100'],
    ['0.25', '250', '50'],
  ])
  expect((await written()).trimEnd().split(/\r?\n/)).toHaveLength(2)
})

test('is written to a file from the command line, as the CSV that is imported or as JSON', async () => {
  await open()
  await build({ only: MADE })
  const sheet = join(books.dir, 'sheet.csv')
  const made = await command(['worksheet', '--out', sheet, '--dir', books.dir])
  expect({ code: made.code, stdout: made.stdout }).toEqual({ code: 0, stdout: '' })
  expect(readFileSync(sheet, 'utf8')).toBe(await written())

  expect((await command(['worksheet', '--json', '--out', books.dir, '--dir', books.dir])).code).toBe(0)
  const rows = JSON.parse(readFileSync(join(books.dir, 'worksheet.json'), 'utf8')) as { asset: string }[]
  expect(rows.map(({ asset }) => asset)).toEqual(['BTC', 'BTC', 'ETH'])
})

/** What the check and the warning of `report gains` say would cure it, under the methods asked for. */
async function advice(dir: string, ...asked: readonly ReportOptions[]): Promise<string[]> {
  const ledger = await openLedger(dir)
  try {
    const breaks = await ledger.query(
      "select explanation from breaks where check_name = 'unknown_basis' order by account, coin",
    )
    const warnings = await Promise.all(
      asked.map(async (options) => (await makeReport(ledger, 'gains', options)).warnings ?? []),
    )
    return [
      ...breaks.map(([explanation]) => String(explanation).replace(/^.*no gain\. /, '')),
      ...warnings.flat().map((warning) => warning.replace(/^.*?\)\. /, '')),
    ]
  } finally {
    ledger.close()
  }
}

test('is recommended if it has a line for what was sold, whatever the method', async () => {
  await open()
  await build({ only: MADE })
  const pieces = (count: string): string =>
    `${count} without a known cost: import the older trades (\`tieout import trades\`), or fill in the costs (\`tieout worksheet\`, then \`tieout import lots\`).`
  expect(await advice(books.dir, {}, { method: 'lifo' }, { method: 'average' }, { rules: 'uk' })).toEqual([
    '`tieout worksheet` lists what arrived without a cost; fill it in and run `tieout import lots`.',
    pieces('2 pieces'),
    pieces('2 pieces'),
    pieces('2 pieces'),
    pieces('1 piece'),
  ])
})

test('is not recommended for imported rows, for which it has no line: the advice names what helps', async () => {
  const imported = new ImportedBooks({}, { only: MADE })
  try {
    await imported.trades(
      't2:in,2026-01-02T00:00:00Z,cold,transfer_in,BTC,0.5,,,,',
      's1,2026-01-03T00:00:00Z,cold,sell,BTC,0.5,USD,150,0,',
      'g0,2026-01-01T00:00:00Z,gifts,gift_in,ETH,1,,,,',
      's2,2026-01-03T00:00:00Z,gifts,sell,ETH,1.5,USD,80,0,',
    )
    await imported.build()
    const cures = [
      '1 piece without a known cost, because the purchase is missing: import the older trades (`tieout import trades`), or what was held before (`tieout import lots`).',
      '2 pieces without a known cost, whose arrival states none: import the purchase or the outgoing leg of the transfer that brought the coins in (`tieout import trades`), or the missing price (`tieout import prices`, or `tieout prices fetch`). If the venue states no reason for the arrival, give its type a meaning (`tax_types.csv` in the folder of the books).',
    ].join(' ')
    expect(await advice(imported.dir, {}, { method: 'lifo' })).toEqual([
      'Coins that arrived by a transfer keep their cost from before it: import the outgoing leg and the purchase before it (`tieout import trades`).',
      'Import the missing history: `tieout import trades`. Coins that arrived without a price for that time need one: `tieout import prices`, or `tieout prices fetch`.',
      cures,
      cures,
    ])
    // A pool does not tell its arrivals, and none of its coin is one that a worksheet lists.
    expect((await advice(imported.dir, { rules: 'uk' })).join(' ')).not.toContain('worksheet')
    const sheet = await command(['worksheet', '--json', '--dir', imported.dir])
    expect(JSON.parse(sheet.stdout)).toEqual([])
  } finally {
    imported.close()
  }
})

test('lists what a merger brought, and what a kind of the user’s moved in: filled in, their gains are known', async () => {
  books = await TestBooks.open()
  onTestFinished(() => books.close())
  await books.account('main', 'unified')
  writeFileSync(
    join(books.dir, 'kinds.csv'),
    'kind,counter_account,effect,meaning\nvault,Equity:Vault,move,Moved from a vault\n',
  )
  writeFileSync(
    join(books.dir, 'tax_types.csv'),
    'feed,type,kind,direction,family,role,note\ntax,VAULT_IN,vault,in,,,\n',
  )
  const day = (at: string): string => `2026-01-0${at} 00:00:00+00`
  await books.tax(
    'SPOT',
    balanced([
      { id: '1', coin: 'ETH', type: 'REBASE_COIN_MERGE_IN', amount: '3', ts: day('5') },
      { id: '2', coin: 'BTC', type: 'VAULT_IN', amount: '2', ts: day('5') },
      { id: '3', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '90', ts: day('6') },
      { id: '4', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-3', ts: day('6') },
      { id: '5', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '50', ts: day('7') },
      { id: '6', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-2', ts: day('7') },
    ]),
  )
  await build()
  expect(await books.query('select coin, gain from disposals order by coin')).toEqual([
    ['BTC', null],
    ['ETH', null],
  ])
  expect(
    (await written())
      .trimEnd()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(';')[0]),
  ).toEqual([
    'worksheet:main/tax.records/2/amount,2026-01-05T00:00:00.000Z,main,BTC,2,,USDT,came from a wallet outside the books',
    'worksheet:main/tax.records/1/amount,2026-01-05T00:00:00.000Z,main,ETH,3,,USDT,received in a split or merger',
  ])
  await books.insert('imports', {
    ...{ page_id: '90', kind: 'lots', file_name: 'worksheet.csv', imported_at: '2026-02-01 00:00:00+00' },
  })
  for (const [row, [asset, quantity, basis]] of [
    ['BTC', '2', '20'],
    ['ETH', '3', '60'],
  ].entries())
    await books.insert('imported_lots', {
      ...{ page_id: '90', page_row: String(row), id: `w${row}`, acquired_at: day('5'), nanos: '0' },
      ...{ account: 'main', asset, quantity, basis, currency: 'USDT' },
    })
  const { breaks, openBreaks } = await build()
  expect(breaks.error, JSON.stringify(openBreaks)).toBe(0)
  expect(await books.query('select coin, cost_basis, gain from disposals order by coin')).toEqual([
    ['BTC', '20', '30'],
    ['ETH', '60', '30'],
  ])
  expect(await books.query('select * from lots')).toEqual([])
  expect((await written()).trimEnd().split(/\r?\n/)).toHaveLength(1)
})

test('is not recommended for a type that says nothing, be its kind shipped or the user’s: it needs a row', async () => {
  books = await TestBooks.open({ only: MADE })
  onTestFinished(() => books.close())
  await books.account('main', 'unified')
  writeFileSync(
    join(books.dir, 'kinds.csv'),
    'kind,counter_account,effect,meaning\nmystery,Equity:Suspense,unknown,To be found out\n',
  )
  writeFileSync(
    join(books.dir, 'tax_types.csv'),
    'feed,type,kind,direction,family,role,note\ntax,MYSTERY_IN,mystery,in,,,\n',
  )
  const day = (at: string): string => `2026-01-0${at} 00:00:00+00`
  await books.tax(
    'SPOT',
    balanced([
      { id: '1', coin: 'BTC', type: 'NEVER_HEARD_OF', amount: '1', ts: day('5') },
      { id: '2', coin: 'ETH', type: 'MYSTERY_IN', amount: '1', ts: day('5') },
      ...['BTC', 'ETH'].flatMap((coin, nth) => [
        { id: `${nth}3`, coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '10', ts: day('6') },
        { id: `${nth}4`, coin, type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: day('6') },
      ]),
    ]),
  )
  await build({ only: MADE })
  const cure =
    'Coins from a record that does not state the reason need a row in tax_types.csv in the folder of the books.'
  expect(
    await books.query(
      "select explanation from breaks where check_name = 'unknown_basis' and status = 'open' order by coin",
    ),
  ).toEqual([
    [`1 BTC were disposed of from lots of unknown cost; they have no gain. ${cure}`],
    [`1 ETH were disposed of from lots of unknown cost; they have no gain. ${cure}`],
  ])
})

test('is written as its rows are read, and reports afterwards how many there were', async () => {
  let read = 0
  async function* rows() {
    for (const basis of [null, '5', null]) {
      read += 1
      yield [['an arrival', basis]]
    }
  }
  const { text, counts } = worksheetText(
    { columns: [{ name: 'id' }, { name: 'basis' }], rows: rows() },
    'csv',
  )
  const before: number[] = []
  for await (const _ of text) before.push(read)
  // The heading, then each batch by itself.
  expect(before).toEqual([0, 1, 2, 3])
  expect(counts).toEqual({ all: 3, open: 2 })
})

test('the advice for pieces without a known gain does not list all pieces', async () => {
  const piece = (numbers: string, proceeds: string, cost: string): string =>
    `insert into disposals
     select 'main', 'BTC', 'fifo', 'generic', timestamptz '2026-01-06', null, 1, ${proceeds}, ${cost}, null, null, 'USD', null,
       null, 'd' || n, 'l' || n from range(${numbers}) as numbers(n)`
  const event = (kind: string, ids: string, numbers: string): string =>
    `insert into lot_events
     select 'main', 'BTC', timestamptz '2026-01-05', n, ${ids} || n, '${kind}', 1, null, 'USD', null
     from range(${numbers}) as numbers(n)`
  const dir = await publish([
    piece('0, 5000', '100', 'null'),
    piece('5000, 9000', 'null', '100'),
    event('acquire', "'l'", '0, 3000'),
    event('repay', "'d'", '5000, 7000'),
    `insert into entries
     select 'l' || n, 't' || n, 'main', 'UNIFIED', 'SPOT', 'BTC', 1, 'transfer', timestamptz '2026-01-05', 'tax.records',
       'r' || n, 1, 0, null from range(3000) as numbers(n)`,
  ])
  const ledger = await openLedger(dir)
  try {
    let most = 0
    const watched: typeof ledger = {
      ...ledger,
      query: async (...question) => {
        const rows = await ledger.query(...question)
        most = Math.max(most, rows.length)
        return rows
      },
    }
    const [warning = ''] = await withoutGain(watched, watched, {})
    expect(warning.replace(/^.*?\(main\)\. /, '').match(/\d+ pieces without a|\d+ pieces repaid/g)).toEqual([
      '3000 pieces without a',
      '2000 pieces without a',
      '2000 pieces without a',
      '2000 pieces repaid',
    ])
    expect(most).toBe(1)
  } finally {
    ledger.close()
  }
})
