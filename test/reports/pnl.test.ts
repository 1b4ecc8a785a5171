// Profit and loss has one home: the published table, the report and the explanation of a line say the same, also of what
// nobody knows the gain of.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { lineSteps } from '../../pipeline/evidence/lines.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { readPeriod } from '../../pipeline/reports/period.ts'
import { balanced, TestBooks } from '../support/books.ts'
import { ImportedBooks } from '../support/imports.ts'
import { futures } from './books.ts'
import { LOTS, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

/** Profit and loss, what it has to agree with, and what the reports read. */
const MADE = [
  ...['pnl_monthly', 'value_bridge', 'net_worth', 'balances', 'futures_pnl', 'unrealised', 'income'],
  ...['disposals', 'lot_events', 'entries', 'imported_entries', 'imported_trades', 'beginnings', 'runs'],
]

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const at = (day: string): string => `2026-${day} 10:00:00+00`
const got = 'ORDER_DEALT_IN'
const gave = 'ORDER_DEALT_FROZEN_OUT'

let withUnknownGains: Promise<TestBooks> | undefined
afterAll(async () => (await withUnknownGains)?.close())
/** Built once for the tests that read it. */
const booksWithUnknownGains = (): Promise<TestBooks> => {
  withUnknownGains ??= buildUnknownGains()
  return withUnknownGains
}

/** ETH sold without a cost in January; BTC sold with and without one in January, and with one in February; futures. */
async function buildUnknownGains(): Promise<TestBooks> {
  const books = await TestBooks.open({ only: MADE })
  await books.account('main', 'unified')
  const moves = [
    { id: '1', ts: at('01-02'), coin: 'BTC', type: got, amount: '1' },
    { id: '2', ts: at('01-02'), coin: 'USDT', type: gave, amount: '-100' },
    { id: '3', ts: at('01-03'), coin: 'USDT', type: got, amount: '3000' },
    { id: '4', ts: at('01-03'), coin: 'ETH', type: gave, amount: '-2' },
    { id: '5', ts: at('01-04'), coin: 'USDT', type: got, amount: '440' },
    { id: '6', ts: at('01-04'), coin: 'BTC', type: gave, amount: '-4' },
    { id: '7', ts: at('02-05'), coin: 'BTC', type: got, amount: '1' },
    { id: '8', ts: at('02-05'), coin: 'USDT', type: gave, amount: '-100' },
    { id: '9', ts: at('02-06'), coin: 'USDT', type: got, amount: '90' },
    { id: '10', ts: at('02-06'), coin: 'BTC', type: gave, amount: '-1' },
  ]
  await books.tax('SPOT', balanced(moves, { USDT: '1000', ETH: '2', BTC: '3' }))
  const future = { coin: 'USDT', fee: '0' }
  await books.tax('USDT-FUTURES', [
    { ...future, id: '50', ts: at('02-07'), type: 'CLOSE_LONG', amount: '7', fee: '-1' },
  ])
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  return books
}

test('the report, the published table and the explanation of each line agree, and an unknown gain is never zero', async () => {
  const books = await booksWithUnknownGains()
  const published = await books.query(
    `select account, month, product_line, symbol, coin, realised_pnl, fees, funding, interest, net_pnl, unknown_pieces
     from pnl_monthly order by month, product_line, symbol`,
  )
  expect(published.map((row) => [row[1], row[3], row[5], row[9], row[10]])).toMatchObject([
    ['2026-01-01', 'BTC', '10', '10', '1'],
    ['2026-01-01', 'ETH', null, null, '1'],
    ['2026-02-01', 'BTC', '-10', '-10', '0'],
    ['2026-02-01', null, '7', '6', '0'],
  ])
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const rowsOf = async (options: object): Promise<unknown[][]> =>
    (await allRows((await makeReport(ledger, 'pnl', options)).rows)).map((row) =>
      row.map((cell) => (cell === null ? null : String(cell))),
    )
  const reported = await rowsOf({})
  expect(reported.map((row) => row.slice(0, -1))).toEqual(published)
  // Lots that are matched again for the report go through the same parts.
  expect(await rowsOf({ method: 'fifo' })).toEqual(reported)
  for (const row of reported) {
    const books = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
    const steps = await lineSteps(books, String(row.at(-1)))
    expect(steps.map(({ fields }) => fields)).toMatchObject([
      row[2] === 'LOTS' ? { disposals: 1 } : { entries: 2, amount: '6' },
    ])
  }
})

test('months are dates, which a workbook sorts and groups as such', async () => {
  const books = await booksWithUnknownGains()
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  for (const name of ['pnl', 'net-worth'] as const) {
    const { columns } = await makeReport(ledger, name, {})
    expect([name, columns.find((column) => column.name === 'month')?.kind]).toEqual([name, 'date'])
  }
})

test('a fee that belongs to no trade counts as paid, and not to futures; that of a trade is in the gain', async () => {
  const books = await TestBooks.open({ only: MADE })
  closers.push(() => books.close())
  await books.account('main', 'unified')
  const moves = [
    { id: '1', ts: at('01-02'), coin: 'USDT', type: 'BORROW', amount: '500' },
    { id: '2', ts: at('01-03'), coin: 'BTC', type: got, amount: '2' },
    { id: '3', ts: at('01-03'), coin: 'USDT', type: gave, amount: '-700' },
    { id: '4', ts: at('01-04'), coin: 'USDT', type: 'LIQ_CONVERT_USER_IN', amount: '560', fee: '-1' },
    { id: '5', ts: at('01-04'), coin: 'BTC', type: 'LIQ_CONVERT_USER_OUT', amount: '-2' },
    { id: '6', ts: at('01-05'), coin: 'USDT', type: 'LIQ_REPAYMENT', amount: '-500' },
    { id: '7', ts: at('01-05'), coin: 'USDT', type: 'LIQ_FEE', amount: '-5' },
    { id: '8', ts: at('02-05'), coin: 'USDT', type: 'INTEREST_SETTLEMENT_OUT', amount: '-0.5' },
    { id: '9', ts: at('02-05'), coin: 'USDT', type: 'batch_interest_user_in', amount: '0.25' },
  ]
  await books.tax('MARGIN-crossed', balanced(moves, { USDT: '200' }))
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const report = await makeReport(ledger, 'pnl', {})
  const lines = await allRows(report.rows)
  expect(lines.map((row) => row.slice(2, 10))).toEqual([
    // 559 for what cost 700.
    ['LOTS', 'BTC', 'USDT', '-141', '0', '0', '0', '-141'],
    ['MARGIN', null, 'USDT', '0', '-5', '0', '0', '-5'],
    ['MARGIN', null, 'USDT', '0', '0', '0', '-0.25', '-0.25'],
  ])
  // Of 200 there are 53.75 left.
  expect(report.totals.at(-1)?.slice(4, 10)).toEqual(['USDT', '-141', '-5', '0', '-0.25', '-146.25'])
  expect(
    await books.query(
      'select month, product_line, fees, interest, net_pnl from pnl_monthly where symbol is null order by month',
    ),
  ).toEqual([
    ['2026-01-01', 'MARGIN', '-5', '0', '-5'],
    ['2026-02-01', 'MARGIN', '0', '-0.25', '-0.25'],
  ])
  expect(await books.query('select kind, amount from income order by amount')).toEqual([
    ['interest', '-0.5'],
    ['interest', '0.25'],
  ])
  const lineBooks = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
  expect(await lineSteps(lineBooks, String(lines[1]?.at(-1)))).toMatchObject([
    { fields: { entries: 1, amount: '-5' } },
  ])
  const taxes = await makeReport(ledger, 'taxes', { rules: 'us', year: 2026 })
  expect((await allRows(taxes.rows)).filter((row) => String(row[2]).startsWith('Futures'))).toEqual([])
  expect(taxes.notes).toContain(
    'Paid, but not included as a cost in any figure of the return: fees that belong to no trade, 5 USDT; interest, 0.5 USDT (`report pnl` lists them). Whether it reduces anything is for the taxpayer to decide; coins that were paid are disposals like any others.',
  )
  const before = await makeReport(ledger, 'taxes', { rules: 'us', year: 2025 })
  expect(before.notes.filter((note) => note.startsWith('Paid'))).toEqual([])
  expect(await books.query('select * from futures_pnl')).toEqual([])
})

test.each(['exchange', 'fiat'])(
  'the fee of a trade of a kind that the user adds, %s, is in the gain, and is not paid once more',
  async (effect) => {
    const books = await TestBooks.open({ only: MADE })
    closers.push(() => books.close())
    await books.account('main', 'unified')
    const kinds = [
      'kind,counter_account,effect,meaning',
      `block_trade,Equity:Block,${effect},A trade off the book`,
    ]
    const types = [
      'feed,type,kind,direction,family,role,note',
      'tax,BLOCK_IN,block_trade,in,block,received,',
      'tax,BLOCK_OUT,block_trade,out,block,paid,',
    ]
    writeFileSync(join(books.dir, 'kinds.csv'), `${kinds.join('\n')}\n`)
    writeFileSync(join(books.dir, 'tax_types.csv'), `${types.join('\n')}\n`)
    const moves = [
      { id: '1', ts: at('01-03'), coin: 'BTC', type: 'BLOCK_IN', amount: '2' },
      { id: '2', ts: at('01-03'), coin: 'USDT', type: 'BLOCK_OUT', amount: '-700', fee: '-3' },
      { id: '3', ts: at('01-04'), coin: 'USDT', type: got, amount: '800' },
      { id: '4', ts: at('01-04'), coin: 'BTC', type: gave, amount: '-2' },
    ]
    await books.tax('SPOT', balanced(moves, { USDT: '1000' }))
    await books.build(
      { reportingCurrency: 'USDT' },
      { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
    )
    expect(
      await books.query(
        "select kind, amount from entries where coin = 'USDT' and occurred_at < '2026-01-04' and kind <> 'opening' order by amount",
      ),
    ).toEqual([
      ['block_trade', '-700'],
      ['fee', '-3'],
    ])
    const ledger = await openLedger(books.dir)
    closers.push(() => ledger.close())
    const report = await makeReport(ledger, 'pnl', {})
    // Of 1000 there are 1097: sold for 800 what cost 703.
    expect((await allRows(report.rows)).map((row) => row.slice(2, 10))).toEqual([
      ['LOTS', 'BTC', 'USDT', '97', '0', '0', '0', '97'],
    ])
    expect(await books.query('select product_line, fees, net_pnl from pnl_monthly')).toEqual([
      ['LOTS', '0', '97'],
    ])
  },
)

test('what a liquidation on margin takes and makes good is a result, and every report agrees', async () => {
  const books = await TestBooks.open({ only: MADE })
  closers.push(() => books.close())
  await books.account('main', 'unified')
  await books.insert('imports', {
    page_id: '91',
    kind: 'prices',
    file_name: 'prices.csv',
    imported_at: at('02-01'),
  })
  for (const [row, day] of ['01-06', '01-30'].entries())
    await books.insert('imported_prices', {
      page_id: '91',
      page_row: String(row),
      priced_at: `2026-${day} 00:00:00+00`,
      asset: 'BTC',
      currency: 'USDT',
      price: '1200',
      source: 'market',
    })
  const moves = [
    { id: '1', ts: at('01-02'), coin: 'USDT', type: 'BORROW', amount: '2000' },
    { id: '2', ts: at('01-03'), coin: 'BTC', type: got, amount: '2' },
    { id: '3', ts: at('01-03'), coin: 'USDT', type: gave, amount: '-2800' },
    { id: '4', ts: at('01-04'), coin: 'USDT', type: 'INTEREST_SETTLEMENT_OUT', amount: '-1' },
    { id: '5', ts: at('01-05'), coin: 'USDT', type: 'LIQ_CONVERT_USER_IN', amount: '1800' },
    { id: '6', ts: at('01-05'), coin: 'BTC', type: 'LIQ_CONVERT_USER_OUT', amount: '-1.5' },
    { id: '7', ts: at('01-06'), coin: 'BTC', type: 'RISK_LIQ_USER_OUT', amount: '-0.1' },
    { id: '8', ts: at('01-06'), coin: 'USDT', type: 'RISK_LIQ_USER_OUT', amount: '-150' },
    { id: '9', ts: at('01-06'), coin: 'USDT', type: 'LIQ_FEE', amount: '-5' },
    { id: '10', ts: at('01-06'), coin: 'USDT', type: 'LIQ_REPAYMENT', amount: '-2000' },
    { id: '11', ts: at('01-07'), coin: 'USDT', type: 'COMPENSATE', amount: '156' },
    { id: '12', ts: at('01-30'), coin: 'USDT', type: 'Rewards', amount: '10' },
  ]
  await books.tax('MARGIN-crossed', balanced(moves, { USDT: '1000' }))
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  const lines = await books.query(
    `select product_line, symbol, coin, realised_pnl, fees, funding, interest, net_pnl
     from pnl_monthly order by product_line, coin`,
  )
  expect(lines).toEqual([
    // 1800 and 120 for what cost 2100 and 140.
    ['LOTS', 'BTC', 'USDT', '-320', '0', '0', '0', '-320'],
    ['MARGIN', null, 'BTC', '-0.1', '0', '0', '0', '-0.1'],
    // 150 taken and 156 made good.
    ['MARGIN', null, 'USDT', '6', '-5', '0', '-1', '0'],
  ])
  // 1000 at first; 10 given; 0.4 of a bitcoin that cost 560 and are worth 480, and the 10, are left. With 0.1 at 1200 the
  // lines come to -440.
  expect(
    await books.query(
      `select initial_balances, deposits, income, interest, fees, funding, futures_pnl, liquidations, realised_gains,
         unrealised_change, closing_value, difference from value_bridge`,
    ),
  ).toEqual([['1000', '0', '10', '-1', '-5', '0', '0', '-114', '-320', '-80', '490', '0']])
  expect(await books.query('select value from net_worth order by day desc limit 1')).toEqual([['490']])
  expect(await books.query('select kind, amount from income order by kind')).toEqual([
    ['interest', '-1'],
    ['reward', '10'],
  ])
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const report = await makeReport(ledger, 'pnl', {})
  expect((await allRows(report.rows)).map((row) => row.slice(2, 10))).toEqual(lines)
  const taxes = await makeReport(ledger, 'taxes', { rules: 'us', year: 2026 })
  expect((await allRows(taxes.rows)).filter((row) => String(row[2]).startsWith('Futures'))).toEqual([])
  expect(taxes.notes).toContain(
    'What liquidations outside futures took or made good is not included in any figure of the return: -0.1 BTC, 6 USDT (`report pnl` lists it). Whether it counts is for the taxpayer to decide.',
  )
  const lineBooks = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
  expect(await lineSteps(lineBooks, 'main/2026-01-01/MARGIN//USDT')).toMatchObject([
    { fields: { entries: 4, amount: '0' } },
  ])
})

test('the network’s fee counts even if the venue’s own record is the leg out, and the import has what arrived', async () => {
  const books = await TestBooks.open({ only: MADE })
  closers.push(() => books.close())
  await books.account('main', 'unified')
  const moves = [
    { id: '1', ts: at('01-02'), coin: 'BTC', type: got, amount: '2' },
    { id: '2', ts: at('01-02'), coin: 'USDT', type: gave, amount: '-200' },
    { id: '3', ts: at('01-05'), coin: 'BTC', type: 'TRANSFER_OUT', amount: '-1' },
  ]
  await books.tax('SPOT', balanced(moves, { USDT: '200' }))
  const file = { imported_at: at('01-06'), file_name: 'file.csv' }
  await books.insert('imports', { ...file, page_id: '91', kind: 'prices' })
  await books.insert('imports', { ...file, page_id: '92', kind: 'trades' })
  await books.insert('imported_prices', {
    ...{ page_id: '91', page_row: '0', asset: 'BTC', currency: 'USDT', price: '120' },
    ...{ priced_at: at('01-05'), source: 'import' },
  })
  const leg = { nanos: '0', asset: 'BTC', fee: '0', occurred_at: at('01-05'), page_id: '92' }
  const out = { id: 't:out', account: 'main', type: 'transfer_out', quantity: '1' }
  const arrived = { id: 't:in', account: 'wallet', type: 'transfer_in', quantity: '0.9' }
  await books.insert('imported_trades', { ...leg, ...out, page_row: '0' })
  await books.insert('imported_trades', { ...leg, ...arrived, page_row: '1' })
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  const lines = [
    ['main', '2026-01-01', 'IMPORT', null, 'BTC', '0', '-0.1', '0', '0', '-0.1', '0'],
    // 0.1 that cost 10 went at 12.
    ['main', '2026-01-01', 'LOTS', 'BTC', 'USDT', '2', '0', '0', '0', '2', '0'],
  ]
  expect(await books.query('select * from pnl_monthly order by product_line')).toEqual(lines)
  // 0.9 that cost 90 are worth 108 in the wallet, and 1 that cost 100 is worth 120 in the account.
  expect(
    await books.query(
      'select account, fees, transfers, realised_gains, unrealised_change, closing_value, difference from value_bridge order by 1',
    ),
  ).toEqual([
    ['main', '-12', '-90', '2', '20', '120', '0'],
    ['wallet', '0', '90', '0', '18', '108', '0'],
  ])
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const report = await makeReport(ledger, 'pnl', {})
  expect(
    (await allRows(report.rows)).map((row) =>
      row.slice(0, 11).map((cell) => (cell === null ? null : String(cell))),
    ),
  ).toEqual(lines)
  const lineBooks = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
  // The entry of the record moved 1, of which the line has 0.1.
  expect(await lineSteps(lineBooks, 'main/2026-01-01/IMPORT//BTC')).toMatchObject([
    { fields: { entries: 1, amount: '-0.1' }, steps: [{ what: 'entry', fields: { amount: '-1' } }] },
  ])
})

test('the fee of an imported movement counts like one at the venue; that of an imported trade is in the gain', async () => {
  const books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'USD' } }, { only: MADE })
  closers.push(() => books.close())
  await books.trades(
    'i1,2026-01-01T00:00:00Z,A,income,USD,1000,,,,',
    'b1,2026-01-02T00:00:00Z,A,buy,BTC,1,USD,600,2,USD',
    't1:out,2026-01-03T00:00:00Z,A,transfer_out,BTC,0.5,,,3,USD',
    't1:in,2026-01-03T01:00:00Z,B,transfer_in,BTC,0.5,,,,',
    's1,2026-02-04T00:00:00Z,A,sell,BTC,0.5,USD,400,1,USD',
    'b2,2026-03-01T00:00:00Z,B,buy,ETH,10,USD,100,,',
    // Of each move the network keeps 0.1: in the quantity sent, on top of it, and both said and in it.
    't2:out,2026-03-02T00:00:00Z,B,transfer_out,ETH,1,,,,',
    't2:in,2026-03-02T01:00:00Z,A,transfer_in,ETH,0.9,,,,',
    't3:out,2026-03-03T00:00:00Z,B,transfer_out,ETH,1,,,0.1,ETH',
    't3:in,2026-03-03T01:00:00Z,A,transfer_in,ETH,1,,,,',
    't4:out,2026-03-04T00:00:00Z,B,transfer_out,ETH,1,,,0.1,ETH',
    't4:in,2026-03-04T01:00:00Z,A,transfer_in,ETH,0.9,,,,',
  )
  await books.import(
    'prices',
    'time,asset,currency,price\n2026-03-02,ETH,USD,20\n2026-03-03,ETH,USD,20\n2026-03-04,ETH,USD,20\n',
  )
  const lines = (await books.report('pnl')).map((row) =>
    ['account', 'month', 'product_line', 'symbol', 'realised_pnl', 'fees', 'net_pnl'].map(
      (name) => row[name],
    ),
  )
  expect(lines).toEqual([
    ['A', '2026-01-01', 'IMPORT', null, '0', '-3', '-3'],
    // 399 for half of what cost 602.
    ['A', '2026-02-01', 'LOTS', 'BTC', '98', '0', '98'],
    ['B', '2026-03-01', 'IMPORT', null, '0', '-0.3', '-0.3'],
    // Worth 2 each, and bought for 1.
    ['B', '2026-03-01', 'LOTS', 'ETH', '3', '0', '3'],
  ])
  expect(
    await books.query(
      'select account, month, product_line, symbol, realised_pnl, fees, net_pnl from pnl_monthly order by month, product_line',
    ),
  ).toEqual(lines)
  expect(
    await books.query(
      'select month, fees, realised_gains from value_bridge where fees <> 0 or realised_gains <> 0 order by month',
    ),
  ).toEqual([
    ['2026-01-01', '-3', '0'],
    ['2026-02-01', '0', '98'],
    // 0.3 at 20.
    ['2026-03-01', '-6', '3'],
  ])
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const lineBooks = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
  expect((await lineSteps(lineBooks, 'A/2026-01-01/IMPORT//USD')).map(({ fields }) => fields)).toMatchObject([
    { entries: 1, amount: '-3' },
  ])
  expect((await lineSteps(lineBooks, 'B/2026-03-01/IMPORT//ETH')).map(({ fields }) => fields)).toMatchObject([
    { entries: 3, amount: '-0.3' },
  ])
})

test('a network fee in the reporting currency counts like one in a coin, at the venue and between wallets', async () => {
  const books = await TestBooks.open({ only: MADE })
  closers.push(() => books.close())
  await books.account('main', 'unified')
  const moves = [
    { id: '1', ts: at('01-05'), coin: 'USDT', type: 'TRANSFER_OUT', amount: '-50' },
    { id: '2', ts: at('01-06'), coin: 'USDT', type: 'TRANSFER_IN', amount: '10' },
  ]
  await books.tax('SPOT', balanced(moves, { USDT: '200' }))
  await books.insert('imports', {
    ...{ page_id: '92', kind: 'trades', imported_at: at('01-09'), file_name: 'file.csv' },
  })
  let row = 0
  const leg = async (
    id: string,
    day: string,
    account: string,
    type: string,
    quantity: string,
    fee?: string,
  ) => {
    const paid = fee === undefined ? { fee: '0' } : { fee, fee_currency: 'USDT' }
    const cells = { id, account, type, quantity, ...paid, asset: 'USDT', occurred_at: at(day), nanos: '0' }
    await books.insert('imported_trades', { ...cells, page_id: '92', page_row: String(row) })
    row += 1
  }
  await leg('a:out', '01-05', 'main', 'transfer_out', '50')
  await leg('a:in', '01-05', 'cold', 'transfer_in', '49')
  await leg('b:out', '01-06', 'cold', 'transfer_out', '10.5')
  await leg('b:in', '01-06', 'main', 'transfer_in', '10')
  // Of each of these the network keeps 0.1: in the quantity sent, on top of it, and both stated and in it.
  await leg('c:out', '01-07', 'cold', 'transfer_out', '5')
  await leg('c:in', '01-07', 'hot', 'transfer_in', '4.9')
  await leg('d:out', '01-07', 'cold', 'transfer_out', '5', '0.1')
  await leg('d:in', '01-07', 'hot', 'transfer_in', '5')
  await leg('e:out', '01-07', 'cold', 'transfer_out', '5', '0.1')
  await leg('e:in', '01-07', 'hot', 'transfer_in', '4.9')
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  const lines = [
    ['cold', '2026-01-01', 'IMPORT', null, 'USDT', '0', '-0.8', '0', '0', '-0.8', '0'],
    ['main', '2026-01-01', 'IMPORT', null, 'USDT', '0', '-1', '0', '0', '-1', '0'],
  ]
  expect(await books.query('select * from pnl_monthly order by account')).toEqual(lines)
  // 49 - 10.5 - 5 - 5.1 - 5, and 4.9 + 5 + 4.9.
  expect(await books.query('select account, quantity from balances order by account')).toEqual([
    ['cold', '23.4'],
    ['hot', '14.8'],
    ['main', '160'],
  ])
  expect(
    await books.query(
      'select account, initial_balances, deposits, transfers, fees, closing_value, difference from value_bridge order by 1',
    ),
  ).toEqual([
    ['cold', '0', '0', '24.2', '-0.8', '23.4', '0'],
    ['hot', '0', '0', '14.8', '0', '14.8', '0'],
    ['main', '200', '0', '-39', '-1', '160', '0'],
  ])
  expect(
    await books.query(
      'select entry_id, counter_entry_id from imported_entries where counter_entry_id is not null order by 1 limit 4',
    ),
  ).toEqual([
    ['a:in/asset', 'main/tax.records/1/amount'],
    ['b:out/asset', 'main/tax.records/2/amount'],
    ['c:in/asset', 'c:out/asset'],
    ['c:out/asset', 'c:in/asset'],
  ])
  const ledger = await openLedger(books.dir)
  closers.push(() => ledger.close())
  const report = await makeReport(ledger, 'pnl', {})
  expect(
    (await allRows(report.rows)).map((cells) =>
      cells.slice(0, 11).map((cell) => (cell === null ? null : String(cell))),
    ),
  ).toEqual(lines)
  const lineBooks = { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
  const of = async (line: string) => (await lineSteps(lineBooks, line)).map(({ fields }) => fields)
  expect(await of('main/2026-01-01/IMPORT//USDT')).toMatchObject([{ entries: 1, amount: '-1' }])
  expect(await of('cold/2026-01-01/IMPORT//USDT')).toMatchObject([{ entries: 4, amount: '-0.8' }])
})

describe('profit and loss', () => {
  test('adds spot by lots and futures as booked, by month and symbol, without mixing currencies', async () => {
    const ledger = await open(
      ...LOTS,
      ...[
        futures('1', '2025-12-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
        futures('2', '2025-12-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
        futures('3', '2025-12-01 08:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-0.5', 'funding'),
        futures('4', '2025-12-31 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '5', 'realised_pnl'),
        futures('5', '2025-12-31 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
        futures('6', '2025-12-31 00:00:00', 'COIN-FUTURES', 'BTCUSD', 'BTC', '0.1', 'liquidation'),
        futures('7', '2026-01-01 00:00:00', 'USDT-FUTURES', null, 'USDT', '7', 'realised_pnl'),
        // What is no result of futures has no place there.
        futures('8', '2025-12-31 00:00:00', 'USDT-FUTURES', null, 'USDT', '1000', 'transfer'),
      ],
    )
    const line = (row: Record<string, unknown>): unknown => [
      row.line_id,
      row.realised_pnl,
      row.fees,
      row.funding,
      row.net_pnl,
    ]
    expect((await objects(ledger, 'pnl')).map(line)).toEqual([
      ['main/2025-12-01/COIN-FUTURES/BTCUSD/BTC', '0.1', '0', '0', '0.1'],
      ['main/2025-12-01/LOTS/BTC/USDT', '150', '0', '0', '150'],
      ['main/2025-12-01/USDT-FUTURES/BTCUSDT/USDT', '15', '-2', '-0.5', '12.5'],
      ['main/2026-01-01/USDT-FUTURES//USDT', '7', '0', '0', '7'],
    ])
    const report = await makeReport(ledger, 'pnl', { year: 2025 })
    expect(report.totals.map((row) => [row[2], row[4], row[5], row[9]])).toEqual([
      ['COIN-FUTURES', 'BTC', '0.1', '0.1'],
      ['LOTS', 'USDT', '150', '150'],
      ['USDT-FUTURES', 'USDT', '15', '12.5'],
      [null, 'USDT', '165', '162.5'],
    ])
  })

  test('follows the requested method, and counts what has no known gain', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into lot_events values ('main', 'ETH', '2025-05-01 00:00:00+00', 4, 's2', 'dispose', 2, 900, 'USDT', null)`,
    )
    expect(await objects(ledger, 'pnl', { method: 'lifo' })).toMatchObject([
      { month: '2025-05-01', symbol: 'ETH', realised_pnl: null, net_pnl: null, unknown_pieces: 1 },
      { month: '2025-12-01', symbol: 'BTC', realised_pnl: '50', net_pnl: '50', unknown_pieces: 0 },
    ])
  })
})

test('interest is a line of the profit and loss', async () => {
  const interest = futures('5', '2025-04-01 00:00:00', 'MARGIN-crossed', null, 'USDT', '-0.25', 'interest')
  const lines = await objects(await open(...LOTS, interest), 'pnl', { year: 2025 })
  expect(lines.filter(({ interest }) => interest !== '0')).toMatchObject([
    { product_line: 'MARGIN-crossed', coin: 'USDT', interest: '-0.25', net_pnl: '-0.25' },
  ])
})
