// Every day of the books, also those on which nothing happened.
import { afterEach, expect, test } from 'vitest'
import { balanced, TestBooks } from '../support/books.ts'

let books: TestBooks
afterEach(() => books.close())

test('the calendar has each day from the first change to the end of the last run, with week, quarter and month end', async () => {
  books = await TestBooks.open({ only: ['main.calendar'] })
  await books.account('main', 'unified')
  const deposit = { coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '1' }
  await books.tax(
    'SPOT',
    balanced([
      { ...deposit, id: '1', ts: '2025-12-28 23:00:00+00' },
      { ...deposit, id: '2', ts: '2025-12-30 10:00:00+00' },
    ]),
  )
  await books.insert('runs', {
    run_id: 'run-1',
    started_at: '2026-01-02 03:00:00+00',
    ended_at: '2026-01-02 03:01:00+00',
    command: 'nightly',
    requests: '1',
    row_count: '2',
    retries: '0',
    outcome: 'done',
  })
  await books.build()
  expect(
    await books.query('select day, iso_week, quarter, weekday, is_month_end from calendar order by day'),
  ).toEqual([
    ['2025-12-28', '2025-W52', '2025-10-01', '7', 'false'],
    ['2025-12-29', '2026-W01', '2025-10-01', '1', 'false'],
    ['2025-12-30', '2026-W01', '2025-10-01', '2', 'false'],
    ['2025-12-31', '2026-W01', '2025-10-01', '3', 'true'],
    ['2026-01-01', '2026-W01', '2026-01-01', '4', 'false'],
    ['2026-01-02', '2026-W01', '2026-01-01', '5', 'false'],
  ])

  // A run that reached nobody tells of no day, whatever it called now, nor does one that public data alone were told.
  await books.page('futures.contracts', [{ symbol: 'BTCUSDT' }], { run: 'run-2' })
  await books.insert('runs', {
    ...{ run_id: 'run-2', started_at: '2126-01-02 03:00:00+00', ended_at: '2126-01-02 03:01:00+00' },
    ...{ command: 'nightly', requests: '5', row_count: '0', retries: '4', outcome: 'incomplete' },
  })
  // Nor does one of which the venue's own clock proved a hundred years less than it called now.
  await books.tax('SPOT', [], { covers: ['2025-12-30 10:00:00+00', '2026-01-02 03:00:00+00'], run: 'run-3' })
  await books.insert('runs', {
    ...{ run_id: 'run-3', started_at: '2126-01-02 03:00:00+00', ended_at: '2126-01-02 03:01:00+00' },
    ...{ command: 'nightly', requests: '5', row_count: '0', retries: '0', outcome: 'done' },
  })
  await books.build()
  for (const table of ['calendar', 'balance_history'])
    expect([table, (await books.query(`select max(day) < '2026-01-03' from ${table}`))[0]]).toEqual([
      table,
      ['true'],
    ])

  // A first backfill may take days: what it proves reaches to when it began, and its end is that of an answered run all the same.
  await books.tax('SPOT', [], { covers: ['2025-12-30 10:00:00+00', '2026-01-02 04:00:00+00'], run: 'run-4' })
  await books.insert('runs', {
    ...{ run_id: 'run-4', started_at: '2026-01-02 04:00:00+00', ended_at: '2026-01-06 04:00:00+00' },
    ...{ command: 'nightly', requests: '5', row_count: '0', retries: '0', outcome: 'done' },
  })
  await books.build()
  expect(await books.query('select run_id, is_answered from runs order by run_id')).toEqual([
    ['run-1', 'true'],
    ['run-2', 'false'],
    ['run-3', 'false'],
    ['run-4', 'true'],
  ])
  expect(await books.query('select max(day) from calendar')).toEqual([['2026-01-06']])

  // Money that an import brings is the first change, though it is neither an entry nor in a lot.
  const file = { page_id: '90', kind: 'trades', file_name: 'k.csv', imported_at: '2026-01-06 05:00:00+00' }
  await books.insert('imports', file)
  await books.insert('imported_trades', {
    ...{ page_id: '90', page_row: '0', id: 'k', occurred_at: '2025-12-20 10:00:00+00', nanos: '0' },
    ...{ account: 'kraken', type: 'transfer_in', asset: 'USDT', quantity: '5', fee: '0' },
  })
  await books.build({ reportingCurrency: 'USDT' })
  expect(await books.query('select min(day), count(*) from calendar')).toEqual([['2025-12-20', '18']])
})
