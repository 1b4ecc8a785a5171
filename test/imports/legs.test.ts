// Which legs of imported transfers belong together is told once, and the books, the lots, the bridge and the printed report
// all say it. What belongs together stands here by hand, so that none of them can go its own way unseen.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { transfersOf } from '../../pipeline/paper/imported.ts'
import { balanced, type Cells, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['value_bridge', 'imported_entries', 'lot_events', 'transfers'] })
  await books.insert('imports', { page_id: '900', kind: 'trades', file_name: 'moves.csv' })
})

afterEach(async () => {
  await books.close()
})

let rows = 0

const row = (
  id: string,
  at: string,
  account: string,
  type: string,
  asset: string,
  quantity: string,
  more: Cells = {},
) => {
  rows += 1
  return books.insert('imported_trades', {
    ...{ page_id: '900', page_row: String(rows), id, occurred_at: `2026-01-${at}:00+00`, nanos: '0' },
    ...{ account, type, asset, quantity, fee: '0', ...more },
  })
}

const build = () =>
  books.build({ reportingCurrency: 'USDT' }, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })

/** Each leg with the account of its other leg, as the printed report lists them: those of imported accounts. */
async function printed(): Promise<unknown[][]> {
  const ledger = await openLedger(books.dir)
  try {
    const sql = `select entry_id, account, counter_account, counter_ledger from ${transfersOf(ledger)}`
    return (await ledger.query(`${sql} where ledger = 'IMPORT' order by entry_id`)).map((cells) => [...cells])
  } finally {
    ledger.close()
  }
}

const booked = () =>
  books.query(
    `select imported_id, account, counter_account, counter_ledger from imported_entries
     where kind = 'transfer' order by imported_id`,
  )

/** Where the lots of each leg out went. */
const moved = () =>
  books.query('select distinct transfer_id, from_account, to_account from lot_transfers order by all')

test('several legs of one id are matched first to first, coins and money separately, by everything that reads them', async () => {
  await books.account('main', 'unified')
  const opening = { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', ts: '2026-01-02 00:00:00+00' }
  await books.tax('SPOT', balanced([opening]))
  await row('x1', '01 00:00', 'kraken', 'gift_in', 'BTC', '9', { currency: 'USDT', total: '900' })
  await row('x2', '01 00:00', 'kraken', 'gift_in', 'ETH', '9', { currency: 'USDT', total: '90' })
  await row('x3', '01 00:00', 'kraken', 'transfer_in', 'USDT', '1000')
  // In the file the second leg stands first: what happened first is first.
  await row('t:2', '10 02:00', 'kraken', 'transfer_out', 'BTC', '2')
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'BTC', '1')
  await row('t:3', '10 03:00', 'kraken', 'transfer_out', 'BTC', '3')
  await row('t:4', '10 05:00', 'cold', 'transfer_in', 'BTC', '1')
  await row('t:5', '10 06:00', 'main', 'transfer_in', 'BTC', '2')
  await row('t:6', '10 01:30', 'kraken', 'transfer_out', 'ETH', '1')
  await row('t:7', '10 07:00', 'attic', 'transfer_in', 'ETH', '1')
  await row('t:8', '10 01:15', 'kraken', 'transfer_out', 'USDT', '100')
  await row('t:9', '10 01:45', 'kraken', 'transfer_out', 'USDT', '200')
  await row('t:a', '10 08:00', 'attic', 'transfer_in', 'USDT', '100')
  await row('t:b', '10 09:00', 'main', 'transfer_in', 'USDT', '200')
  await row('u:1', '12 00:00', 'kraken', 'transfer_out', 'USDT', '40')
  await build()

  const legs = [
    ['t:1', 'kraken', 'cold', 'IMPORT'],
    ['t:2', 'kraken', 'main', null],
    ['t:3', 'kraken', null, null],
    ['t:4', 'cold', 'kraken', 'IMPORT'],
    ['t:6', 'kraken', 'attic', 'IMPORT'],
    ['t:7', 'attic', 'kraken', 'IMPORT'],
    ['t:8', 'kraken', 'attic', 'IMPORT'],
    ['t:9', 'kraken', 'main', null],
    ['t:a', 'attic', 'kraken', 'IMPORT'],
    ['u:1', 'kraken', null, null],
    ['x3', 'kraken', null, null],
  ]
  expect(await booked()).toEqual(legs)
  expect(await printed()).toEqual(legs)
  expect(await moved()).toEqual([
    ['t:1', 'kraken', 'cold'],
    ['t:2', 'kraken', 'main/before'],
    ['t:3', 'kraken', null],
    ['t:6', 'kraken', 'attic'],
  ])
  // 1000 came, 200 went beside the books of main, 40 to nobody knows where; and of 990 of coins 500 left likewise.
  expect(await books.query('select account, deposits, transfers from value_bridge order by account')).toEqual(
    [
      ['attic', '0', '110'],
      ['cold', '0', '100'],
      ['kraken', '1250', '-210'],
      ['main', '1', '0'],
    ],
  )
})

test('the venue’s record takes the place of the leg that it is, even if it comes later than another leg of that id', async () => {
  await books.account('main', 'unified')
  const arrival = { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: '2026-01-10 06:00:00+00' }
  await books.tax('SPOT', balanced([arrival]))
  await row('x1', '01 00:00', 'kraken', 'gift_in', 'BTC', '3', { currency: 'USDT', total: '300' })
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'BTC', '1')
  await row('t:2', '10 02:00', 'kraken', 'transfer_out', 'BTC', '2')
  await row('t:3', '10 03:00', 'main', 'transfer_in', 'BTC', '1')
  await row('t:4', '10 04:00', 'cold', 'transfer_in', 'BTC', '2')
  await build()
  expect(await printed()).toEqual([
    ['t:1', 'kraken', 'main', null],
    ['t:2', 'kraken', 'cold', 'IMPORT'],
    ['t:4', 'cold', 'kraken', 'IMPORT'],
  ])
  expect(await moved()).toEqual([
    ['t:1', 'kraken', 'main'],
    ['t:2', 'kraken', 'cold'],
  ])
  expect(await books.query('select account, quantity_left, cost_basis_left from lots order by all')).toEqual([
    ['cold', '2', '200'],
    ['main', '1', '100'],
  ])
})

test('a coin that the books leave out because its amounts are too large to be summed is moved nowhere', async () => {
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'HUGE', '50000000000000000000')
  await row('t:2', '10 02:00', 'cold', 'transfer_in', 'HUGE', '50000000000000000000')
  await build()
  expect(await booked()).toEqual([])
  expect(await printed()).toEqual([])
  expect(await moved()).toEqual([])
})
