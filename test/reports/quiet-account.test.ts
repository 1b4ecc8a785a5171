// An account on which nothing happens for weeks is worth something all the same: a run that found nothing new found that its
// balances stand, and their values go on to the last day before it. By hand.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cells, show } from '../rules/books.ts'
import { balanced, TestBooks } from '../support/books.ts'

let books: TestBooks
afterEach(() => books.close())

const price = (row: string, asset: string, currency: string, at: string, of: string): Promise<void> =>
  books.insert('imported_prices', {
    ...{ page_id: '91', page_row: row, priced_at: at, asset, currency, price: of, source: 'market' },
  })

beforeEach(async () => {
  books = await TestBooks.open()
  await books.account('main', 'unified')
  await books.insert('imports', {
    ...{ page_id: '91', kind: 'prices', file_name: 'prices.csv', imported_at: '2026-03-01 00:00:00+00' },
  })
  await price('0', 'BTC', 'USDT', '2026-01-31 20:00:00+00', '600')
  await price('1', 'BTC', 'USDT', '2026-02-09 20:00:00+00', '700')
  await books.tax(
    'SPOT',
    balanced([
      { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '1000', ts: '2026-01-05 00:00:00+00' },
      { id: '2', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '2', ts: '2026-01-05 01:00:00+00' },
      { id: '3', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-200', ts: '2026-01-05 01:00:00+00' },
    ]),
  )
  await books.insert('runs', {
    ...{ run_id: 'run-1', started_at: '2026-02-10 03:00:00+00', ended_at: '2026-02-10 03:01:00+00' },
    ...{ command: 'nightly', requests: '1', row_count: '0', retries: '0', outcome: 'done' },
  })
  await books.build()
})

it('has its value at the end of a month in every report', async () => {
  const balances = await show(books.dir, 'balances', { to: '2026-01-31' })
  expect(cells(balances, 'coin', 'quantity', 'price', 'value')).toEqual(['BTC 2 600 1200', 'USDT 800 1 800'])
  const statement = await show(books.dir, 'statement', { to: '2026-01-31' })
  expect(
    cells(statement, 'line_id', 'value', 'no_value_because').filter((line) => line.includes('closing')),
  ).toEqual(['main/UNIFIED/BTC/closing 1200 -', 'main/UNIFIED/USDT/closing 800 -'])
  expect(
    await books.query(
      "select day, value from net_worth where day in ('2026-01-31', '2026-02-09') order by day",
    ),
  ).toEqual([
    ['2026-01-31', '2000'],
    ['2026-02-09', '2200'],
  ])
  expect(await books.query('select max(day) from daily_valuation')).toEqual([['2026-02-09']])
})

it('has no value beyond the end of the books, and is not said to lack a price', async () => {
  await books.sql('delete from landing.main.runs')
  await books.build()
  const { rows, notes } = await show(books.dir, 'balances', { to: '2026-02-28' })
  expect(rows.map((row) => row.value)).toEqual([null, null])
  expect(notes.join(' ')).toContain('No value for 2 of 2 balances, because the books end on 2026-01-05.')
  const statement = await show(books.dir, 'statement', { to: '2026-02-28' })
  expect(cells(statement, 'line', 'no_value_because').filter((line) => line.startsWith('closing'))).toEqual([
    'closing the books end on 2026-01-05',
    'closing the books end on 2026-01-05',
  ])
})
