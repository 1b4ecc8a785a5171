// Every day of the books, also those on which nothing happened.
import { expect, onTestFinished, test } from 'vitest'
import { balanced, TestBooks } from '../support/books.ts'
import { type Planted, runModel, runModels } from '../support/one-model.ts'

test('the calendar has each day from the first change to the end of the last run, with week, quarter and month end', async () => {
  const books = await TestBooks.open({ only: ['main.calendar'] })
  onTestFinished(() => books.close())
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

const day = (date: number, time = '12:00:00'): string => `2026-01-${String(date).padStart(2, '0')} ${time}+00`

type Rows = Planted['rows']

/** `coin day change quantity borrowed` of the history over these tables; USDT is the reporting currency. */
const history = async ({ entries = [], principal = [], ...more }: Readonly<Record<string, Rows>>) => {
  const moved =
    'account varchar, ledger varchar, coin varchar, occurred_at timestamptz, amount decimal(38, 18)'
  const [, rows = []] = await runModels(['staging.entry_days', 'main.balance_history'], {
    'main.entries': {
      columns: `${moved}, entry_id varchar, source_feed varchar`,
      rows: entries.map((entry) => [...entry, 'tax.records']),
    },
    'staging.principal_moves': {
      columns: moved,
      rows: principal.flatMap(([id, amount = null]) =>
        entries.flatMap((entry) => (entry[5] === id ? [[...entry.slice(0, 4), amount]] : [])),
      ),
    },
    'main.imported_entries': { columns: moved, rows: more.imported ?? [] },
    'main.liabilities': {
      columns: 'account varchar, ledger varchar, coin varchar, owed_before decimal(38, 18)',
      rows: more.liabilities ?? [],
    },
    'main.runs': { columns: 'ended_at timestamptz, is_answered boolean', rows: more.runs ?? [] },
    'landing.imported_prices': {
      columns: 'asset varchar, currency varchar, priced_at timestamptz, page_id bigint',
      rows: more.prices ?? [],
    },
    'landing.import_withdrawals': { columns: 'page_id bigint', rows: [['8']] },
    'staging.reporting': { columns: 'currency varchar', rows: [['USDT']] },
  })
  return rows
    .map((row) => [row.coin, row.day?.slice(8), row.change, row.quantity, row.borrowed].join(' '))
    .toSorted()
}

const PRICES: Rows = [
  ['BTC', 'EUR', day(2), '7'],
  // A rate between two prices both.
  ['EUR', 'BTC', day(3), '7'],
  // Withdrawn; of a coin no longer held; of the currency itself.
  ['BTC', 'EUR', day(20), '8'],
  ['ETH', 'EUR', day(21), '7'],
  ['XRP', 'USDT', day(22), '7'],
]

test('the balances of books known only from imports continue to the last price of a coin that they hold', async () => {
  const imported = [
    ['cold', 'IMPORT', 'BTC', day(1), '2'],
    ['cold', 'IMPORT', 'ETH', day(1, '10:00:00'), '5'],
    ['cold', 'IMPORT', 'ETH', day(1), '-5'],
    ['cold', 'IMPORT', 'USDT', day(1), '9'],
  ]
  expect(await history({ imported, prices: PRICES })).toEqual([
    ...['BTC 01 2 2 0', 'BTC 02 0 2 0', 'BTC 03 0 2 0'],
    ...['ETH 01 0 0 0', 'ETH 02 0 0 0', 'ETH 03 0 0 0'],
    ...['USDT 01 9 9 0', 'USDT 02 0 9 0', 'USDT 03 0 9 0'],
  ])
})

test('those of the venue continue to the last day that was over for a run it answered; a loan from before counts until repaid', async () => {
  const entry = (id: string, at: string, amount: string) => ['main', 'UNIFIED', 'BTC', at, amount, id]
  const found = await history({
    entries: [entry('1', day(1), '5'), entry('2', day(2), '-3'), entry('3', day(3), '1')],
    principal: [
      ['2', '-3'],
      ['3', '1'],
    ],
    liabilities: [['main', 'UNIFIED', 'BTC', '3']],
    runs: [
      [day(5, '03:00:00'), 'true'],
      [day(25, '03:00:00'), 'false'],
    ],
    // The state of these accounts is asked for; a price says nothing of it.
    prices: [['BTC', 'EUR', day(6), '7']],
  })
  expect(found).toEqual(['BTC 01 5 5 3', 'BTC 02 -3 2 0', 'BTC 03 1 3 1', 'BTC 04 0 3 1'])
})

test('principal is what kinds of debt move, except where the other side of a record is missing', async () => {
  const entry = (id: string, kind: string, part = 'amount') => [
    ...['main', 'UNIFIED', 'BTC', kind, id, id, part, '2', '2026-01-05 12:00:00+00'],
  ]
  const rows = await runModel('staging.principal_moves', {
    'main.entries': {
      columns: `account varchar, ledger varchar, coin varchar, kind varchar, place bigint, entry_id varchar, part varchar,
        amount decimal(38, 18), occurred_at timestamptz`,
      rows: [
        entry('1', 'borrow'),
        entry('2', 'repayment'),
        entry('3', 'interest'),
        entry('4', 'of nobody'),
        entry('5', 'borrow'),
        entry('6', 'borrow', 'fee'),
      ],
    },
    'main.kinds': {
      columns: 'kind varchar, counter_account varchar',
      rows: [
        ['borrow', 'Liabilities:Loans'],
        ['repayment', 'Liabilities:Loans'],
        ['interest', 'Expenses:Interest'],
      ],
    },
    'main.unmatched_legs': {
      columns: 'account varchar, place bigint',
      rows: [
        ['main', '5'],
        ['main', '6'],
        ['desk', '1'],
      ],
    },
  })
  expect(rows.map(({ entry_id }) => entry_id).toSorted()).toEqual(['1', '2', '6'])
})
