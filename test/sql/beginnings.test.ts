// From when on the books know everything, by account and coin. One imported opening lot used to move the beginning of all
// books to its own date, and a return for a year before them printed zeros.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { balanced, type Cells, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['main.beginnings'] })
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

const trade = (id: string, at: string, quantity: string): Promise<void> =>
  books.insert('imported_trades', {
    page_id: '90',
    page_row: id,
    id,
    occurred_at: at,
    nanos: '0',
    account: 'main',
    type: 'buy',
    asset: 'BTC',
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

test('an imported opening lot tells a cost and no history', async () => {
  await lot('main')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2026-01-05 00:00:00+00', 'venue', '2'], USDT])
})

test('imported trades that account for all that was held begin the history of their coin, and of no other', async () => {
  await trade('1', '2024-01-01 00:00:00+00', '1.5')
  await trade('2', '2025-01-01 00:00:00+00', '0.5')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2024-01-01 00:00:00+00', 'import', '0'], USDT])
})

test('imported trades that leave a part of it open do not', async () => {
  await trade('1', '2024-01-01 00:00:00+00', '1.5')
  await books.build()
  expect(await found()).toEqual([['main', 'BTC', '2026-01-05 00:00:00+00', 'venue', '0.5'], USDT])
})

test('an account of opening lots alone begins nowhere', async () => {
  await lot('cold')
  await books.build()
  expect((await found())[0]).toEqual(['cold', 'BTC', null, 'import', '2'])
})
