// From when on the books know everything, by account and coin. One imported opening lot used to move the beginning of all
// books to its own date, and a return for a year before them printed zeros.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { balanced, type Cells, TestBooks } from '../support/books.ts'
import { runModels } from '../support/one-model.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['main.beginnings', 'main.wallet_beginnings'] })
  await books.account('main', 'unified')
  for (const [page_id, kind] of [
    ['90', 'trades'],
    ['91', 'lots'],
  ] as const)
    await books.insert('imports', {
      page_id,
      kind,
      file_name: `${kind}.csv`,
      imported_at: '2026-02-01 00:00:00+00',
    })
  await books.tax(
    'SPOT',
    balanced(
      [
        { id: '1', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '10', ts: '2026-01-05 00:00:00+00' },
        {
          id: '2',
          coin: 'BTC',
          type: 'ORDER_DEALT_FROZEN_OUT',
          amount: '-0.1',
          ts: '2026-01-05 00:00:00+00',
        },
      ],
      { BTC: '2', USDT: '5' },
    ),
  )
})

afterEach(() => books.close())

const trade = (id: string, at: string, quantity: string, account = 'main', asset = 'BTC'): Promise<void> =>
  books.insert('imported_trades', {
    page_id: '90',
    page_row: id,
    id,
    occurred_at: at,
    nanos: '0',
    account,
    type: 'buy',
    asset,
    quantity,
    currency: 'EUR',
    total: '100',
    fee: '0',
  } satisfies Cells)

const lot = (account: string): Promise<void> =>
  books.insert('imported_lots', {
    page_id: '91',
    page_row: '0',
    id: `lot-${account}`,
    acquired_at: '2020-03-01 00:00:00+00',
    nanos: '0',
    account,
    asset: 'BTC',
    quantity: '2',
    basis: '100',
    currency: 'EUR',
  })

const found = () =>
  books.query('select account, coin, begins_at, source, opening from beginnings order by account, coin')

const USDT = ['main', 'USDT', '2026-01-05 00:00:00+00', 'venue', '5']

test('an imported opening lot gives a cost and no history', async () => {
  await lot('main')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2026-01-05 00:00:00+00', 'venue', '2'], USDT])
})

test('imported trades that account for everything held begin the history of their coin, and of no other', async () => {
  await trade('1', '2024-01-01 00:00:00+00', '1.5')
  await trade('2', '2025-01-01 00:00:00+00', '0.5')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2024-01-01 00:00:00+00', 'import', '0'], USDT])
})

test('imported trades that account for only a part do not', async () => {
  await trade('1', '2024-01-01 00:00:00+00', '1.5')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2026-01-05 00:00:00+00', 'venue', '0.5'], USDT])
})

test('an account with opening lots only has no beginning', async () => {
  await lot('cold')
  await books.build()
  expect((await found())[0]).toEqual(['cold', 'BTC', null, 'import', '2'])
})

test('for an account known only from imports it states when the last row of a coin was, for one of the venue nothing', async () => {
  await lot('cold')
  await trade('1', '2024-01-01 00:00:00+00', '2')
  await trade('2', '2024-01-01 00:00:00+00', '1', 'k')
  await trade('3', '2025-05-05 10:00:00+00', '1', 'k')
  await books.build()
  const ends = await books.query('select account, coin, last_at from beginnings order by account, coin')
  expect(ends).toEqual([
    ['cold', 'BTC', null],
    ['k', 'BTC', '2025-05-05 10:00:00+00'],
    ['main', 'BTC', null],
    ['main', 'USDT', null],
  ])
})

const wallets = () => books.query('select * from wallet_beginnings order by account, ledger')

/** Tax records are there from the first of January on; those of P2P from another day, with a record of a later one. */
async function withP2p(from: string | null, ts: string): Promise<void> {
  await books.tax('SPOT', [], { covers: ['2026-01-01 00:00:00+00', '2026-02-01 00:00:00+00'] })
  await books.page(
    'tax.p2pRecords',
    [{ id: 'p1', p2p_tax_type: 'transfer-in', coin: 'USDT', balance: '7', ts }],
    from === null ? {} : { covers: [from, '2026-02-01 00:00:00+00'] },
  )
  await books.build()
}

const UNIFIED = ['main', 'UNIFIED', '2026-01-01 00:00:00+00']

test('a wallet begins where its records do, even if imports account for everything that its account held then', async () => {
  await trade('1', '2024-01-01 00:00:00+00', '2')
  await trade('2', '2025-01-01 00:00:00+00', '5', 'main', 'USDT')
  await books.build({ reportingCurrency: 'EUR' })
  expect(await found()).toEqual([
    ['main', 'BTC', '2024-01-01 00:00:00+00', 'import', '0'],
    ['main', 'USDT', '2025-01-01 00:00:00+00', 'import', '0'],
  ])
  expect(await wallets()).toEqual([['main', 'UNIFIED', '2026-01-05 00:00:00+00']])
})

test('a wallet whose records go back further begins where those were received from', async () => {
  await withP2p('2025-08-01 00:00:00+00', '2025-09-15 00:00:00+00')
  expect(await wallets()).toEqual([['main', 'P2P', '2025-08-01 00:00:00+00'], UNIFIED])
})

test('a wallet of whose records nobody knows how far they reach back begins with the first', async () => {
  await withP2p(null, '2025-09-15 00:00:00+00')
  expect(await wallets()).toEqual([['main', 'P2P', '2025-09-15 00:00:00+00'], UNIFIED])
})

test.each([
  ['a few hours earlier', '2025-12-31 06:00:00+00'],
  ['later', '2026-01-09 00:00:00+00'],
])('a wallet whose records begin %s begins with its account', async (_, from) => {
  await withP2p(from, '2026-01-10 00:00:00+00')
  expect(await wallets()).toEqual([['main', 'P2P', '2026-01-01 00:00:00+00'], UNIFIED])
})

test('a wallet begins with its account also if imports account for the history of every coin in it', async () => {
  const imported = (id: string, cells: Cells) =>
    books.insert('imported_trades', {
      ...{ page_id: '90', page_row: id, id, nanos: '0', account: 'main', fee: '0', ...cells },
    })
  await imported('1', {
    ...{ occurred_at: '2024-01-01 00:00:00+00', type: 'transfer_in', asset: 'USDT', quantity: '105' },
  })
  await imported('2', {
    ...{ occurred_at: '2024-02-01 00:00:00+00', type: 'buy', asset: 'BTC', quantity: '2' },
    ...{ currency: 'USDT', total: '100' },
  })
  await books.build({ reportingCurrency: 'EUR' })
  expect(await found()).toEqual([
    ['main', 'BTC', '2024-02-01 00:00:00+00', 'import', '0'],
    ['main', 'USDT', '2024-01-01 00:00:00+00', 'import', '0'],
  ])
  expect(await wallets()).toEqual([['main', 'UNIFIED', '2026-01-05 00:00:00+00']])
})

test('a wallet with records of several feeds or partitions begins where all of them have begun, whatever is missing since', async () => {
  const on = (month: string): string => `2025-${month}-01 00:00:00+00`
  const had = (feed: string, partition: string, month: string, status = 'complete') => [
    ...['main', feed, partition, on(month), status],
  ]
  const [, rows = []] = await runModels(['staging.entry_days', 'main.wallet_beginnings'], {
    'main.coverage': {
      columns: 'account varchar, feed varchar, partition varchar, starts_at timestamptz, status varchar',
      rows: [
        had('one', 'A', '02', 'lost'),
        had('one', 'A', '03'),
        had('one', 'A', '08'),
        had('one', 'B', '04', 'empty'),
        had('two', '', '05'),
      ],
    },
    'main.entries': {
      columns: `account varchar, ledger varchar, source_feed varchar, occurred_at timestamptz, coin varchar,
        amount decimal(38, 18)`,
      rows: [
        ['main', 'ONE', 'one', on('09'), 'BTC', '1'],
        ['main', 'BOTH', 'one', on('09'), 'BTC', '1'],
        ['main', 'BOTH', 'two', on('09'), 'BTC', '1'],
        ['main', 'UNIFIED', 'tax.records', on('11'), 'BTC', '1'],
      ],
    },
    'staging.book_starts': {
      columns: 'account varchar, settled_at timestamptz',
      rows: [['main', on('10')]],
    },
  })
  expect(rows.map(({ ledger, begins_at }) => `${ledger} ${begins_at}`).toSorted()).toEqual([
    `BOTH ${on('05')}`,
    `ONE ${on('04')}`,
    `UNIFIED ${on('10')}`,
  ])
})

test('imports begin the history of a coin if they account for all of it, by rows that bring money as well', async () => {
  const day = (date: number): string => `2026-01-0${date} 00:00:00+00`
  const moved = 'account varchar, coin varchar'
  let place = 0
  const rows: (string | null)[][] = []
  const moves: (string | null)[][] = []
  /** A row of the books of an account, of coins or of money. */
  const row = (
    account: string,
    book: string,
    asset: string,
    date: number,
    more: { type?: string; money?: true } = {},
  ) => {
    const { type = 'buy', money } = more
    place += 1
    rows.push([String(place), account, book, asset, day(date), '5', type, String(money === true)])
    if (money !== true) moves.push([String(place), book, asset, day(date), '5'])
  }
  // Of an account of the venue, which begins on the fifth: all of BTC, a part of ETH, SOL from then on, and XRP of no record.
  for (const [coin, date] of [
    ['BTC', 2],
    ['ETH', 2],
    ['SOL', 5],
    ['XRP', 3],
  ] as const)
    row('main', 'main/before', coin, date)
  row('main', 'main/before', 'EUR', 1, { money: true })
  row('k', 'k', 'BTC', 3)
  row('k', 'k', 'BTC', 1, { type: 'opening' })
  row('k', 'k', 'BTC', 4, { type: 'sell' })
  row('k', 'k', 'EUR', 2, { type: 'income', money: true })
  const [, found = []] = await runModels(['staging.entry_days', 'main.beginnings'], {
    'main.entries': {
      columns: `${moved}, entry_id varchar, part varchar, amount decimal(38, 18), occurred_at timestamptz,
        ledger varchar, source_feed varchar`,
      rows: [
        ['main', 'BTC', '1', 'opening', '5', day(6)],
        ['main', 'ETH', '2', 'opening', '7', day(6)],
        ['main', 'SOL', '3', 'amount', '7', day(7)],
        ['main', 'EUR', '4', 'amount', '7', day(7)],
        ['late', 'BTC', '5', 'amount', '1', day(8)],
        ['late', 'BTC', '6', 'amount', '1', day(7)],
      ].map((entry) => [...entry, 'UNIFIED', 'tax.records']),
    },
    'staging.book_starts': { columns: 'account varchar, settled_at timestamptz', rows: [['main', day(5)]] },
    'staging.basis_carry_overs': {
      columns: 'entry_id varchar, quantity_taken decimal(38, 18)',
      rows: [
        ['1', '5'],
        ['2', '5'],
      ],
    },
    'staging.imported_moves': {
      columns:
        'place bigint, book_account varchar, coin varchar, occurred_at timestamptz, amount decimal(38, 18)',
      rows: moves,
    },
    'staging.imported_rows': {
      columns: `place bigint, account varchar, book_account varchar, asset varchar, occurred_at timestamptz,
        quantity decimal(38, 18), type varchar, is_asset_money boolean`,
      rows,
    },
  })
  expect(
    found
      .map(({ account, coin, begins_at, source, last_at, opening }) =>
        [account, coin, begins_at?.slice(8, 10), source, last_at?.slice(8, 10), opening].join(' '),
      )
      .toSorted(),
  ).toEqual([
    'k BTC 03 import 04 5',
    'k EUR 02 import 02 0',
    'late BTC 07 venue  0',
    'main BTC 02 import  0',
    'main ETH 05 venue  2',
    'main EUR 05 venue  0',
    'main SOL 05 venue  0',
    'main XRP 03 import  0',
  ])
})
