// What the published comments say of a table or a column, held against its rows: somebody who reads them alone is not misled.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBooks } from '../support/books.ts'

let books: TestBooks

const AT = '2026-01-10 12:00:00+00'

beforeAll(async () => {
  books = await TestBooks.open({ only: ['accounts', 'fees', 'trades', 'p2p_records'] })
  await books.account('main', 'unified')
  const transfers = ['transfer_in', 'transfer-in', 'transfer_out', 'transfer-out']
  await books.page(
    'tax.p2pRecords',
    transfers.map((p2pTaxType, row) => ({ id: String(row), coin: 'USDT', p2pTaxType, balance: '1', ts: AT })),
  )
  await books.insert('imports', { page_id: '90', kind: 'trades', file_name: 'trades.csv', imported_at: AT })
  const row = { page_id: '90', page_row: '0', id: 'a', occurred_at: AT, nanos: '0', account: 'kraken' }
  const bought = { type: 'buy', asset: 'BTC', quantity: '1', currency: 'EUR', total: '100' }
  await books.insert('imported_trades', { ...row, ...bought, fee: '2', fee_currency: 'EUR' })
  await books.build({ reportingCurrency: 'EUR' })
}, 120_000)

afterAll(async () => {
  await books.close()
})

const commentOf = async (table: string, column?: string): Promise<string> => {
  const [row] = await books.query(
    column === undefined
      ? `select comment from duckdb_tables() where table_name = '${table}'`
      : `select comment from duckdb_columns() where table_name = '${table}' and column_name = '${column}'`,
  )
  return row?.[0] ?? ''
}

test('the fee of an imported trade is where the comment of fees says that it is', async () => {
  expect(await books.query('select * from fees')).toEqual([])
  expect(await books.query('select trade_id, fee, fee_coin from trades')).toEqual([['a', '2', 'EUR']])
  expect(await commentOf('fees')).toContain('stands in trades (fee, fee_coin)')
})

test('each spelling of a P2P transfer that is received is named', async () => {
  const comment = await commentOf('p2p_records', 'p2p_tax_type')
  for (const [type] of await books.query('select p2p_tax_type from p2p_records'))
    expect(comment).toContain(type)
})

test('an account that is known from imports only has no venue, and the comment says so', async () => {
  expect(await books.query('select account, venue, kind from accounts order by account')).toEqual([
    ['kraken', null, 'imported'],
    ['main', 'venue', 'unified'],
  ])
  expect(await commentOf('accounts', 'venue')).toContain('null')
})
