// What the published comments say of a table or a column, held against its rows: somebody who reads them alone is not misled.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shippedTables } from '../../pipeline/ledger/lineage.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, TestBooks } from '../support/books.ts'

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

test('the fee of an imported trade is where the comment of fees states', async () => {
  expect(await books.query('select * from fees')).toEqual([])
  expect(await books.query('select trade_id, fee, fee_coin from trades')).toEqual([['a', '2', 'EUR']])
  expect(await commentOf('fees')).toContain('is in trades (fee, fee_coin)')
})

test('each received spelling of a P2P transfer is named', async () => {
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

describe('books in which much is unknown', () => {
  let unknown: TestBooks

  beforeAll(async () => {
    unknown = await TestBooks.open()
    await unknown.account('main', 'unified')
    const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`
    const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
    const rows = balanced([
      { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '1000', ts: at(1) },
      { id: '2', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', fee: '-0.001', ts: at(2) },
      { id: '3', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-100', ts: at(2) },
      { id: '4', coin: 'DOGE', type: 'TRANSFER_IN', amount: '50', ts: at(3) },
      { id: '5', coin: 'DOGE', type: 'SOMETHING_NEW', amount: '-20', ts: at(4) },
      { id: '6', coin: 'BTC', type: 'TRANSFER_OUT', amount: '-0.1', ts: at(5) },
      { id: '7', coin: 'DOGE', type: 'ORDER_DEALT_IN', amount: '1', ts: at(6) },
      { id: '8', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-0.1', ts: at(6) },
    ])
    await unknown.tax('SPOT', rows, { covers })
    const deal = { id: '1', coin: 'SOL', p2pTaxType: 'buy', balance: '2', ts: at(7) }
    await unknown.page('tax.p2pRecords', [deal, { ...deal, id: '2', p2pTaxType: 'sell', balance: '1' }], {
      covers,
    })
    const file = { file_name: 'file.csv', row_count: '2', sha256: 'aa', imported_at: AT }
    await unknown.insert('imports', { ...file, page_id: '90', kind: 'trades' })
    await unknown.insert('imports', { ...file, page_id: '91', kind: 'lots' })
    const row = { page_id: '90', occurred_at: AT, nanos: '0', account: 'kraken', fee: '0' }
    const sent = { ...row, page_row: '0', id: 't:out', type: 'transfer_out', asset: 'ETH', quantity: '1' }
    await unknown.insert('imported_trades', sent)
    const given = { ...row, page_row: '1', id: 'gift', type: 'income', asset: 'DOGE', quantity: '1' }
    await unknown.insert('imported_trades', given)
    const lot = { page_id: '91', nanos: '0', acquired_at: '2025-01-01 00:00:00+00', quantity: '100' }
    await unknown.insert('imported_lots', { ...lot, page_row: '0', id: 'a', account: 'kraken', asset: 'XRP' })
    const cost = { basis: '40', currency: 'USDT' }
    await unknown.insert('imported_lots', {
      ...lot,
      ...cost,
      page_row: '1',
      id: 'b',
      account: 'main',
      asset: 'XRP',
    })
    // Of the 50 DOGE that arrive, 30 were held before.
    const held = { account: 'main', asset: 'DOGE', quantity: '30' }
    await unknown.insert('imported_lots', { ...lot, ...cost, ...held, page_row: '2', id: 'c' })
    await unknown.build(
      { reportingCurrency: 'USDT' },
      { steps: [lotsStep({ method: 'fifo', scope: 'account' })], publishAnyway: true },
    )
  }, 120_000)

  afterAll(() => unknown.close())

  test('a column in which something is null says when', async () => {
    // What the venue sends is null where it sends nothing: tables that have versions of records.
    const columns = await unknown.query(
      `select table_name, column_name, comment from duckdb_columns()
       where schema_name = 'main' and not internal and table_name not in
         (select table_name from duckdb_columns() where column_name = 'is_current')`,
    )
    const unsaid: string[] = []
    for (const [table, column, comment] of columns) {
      const [[nulls]] = (await unknown.query(`select count(*) from ${table} where "${column}" is null`)) as [
        [string],
      ]
      if (nulls !== '0' && !/null|empty/.test(comment ?? '')) unsaid.push(`${table}.${column}`)
    }
    expect(unsaid).toEqual([])
  })

  test('the page of the tables has exactly the columns of the ledger', async () => {
    const said = shippedTables([lotsStep({ method: 'fifo', scope: 'account' })]).flatMap(
      ({ table, columnDocs }) => [...columnDocs.keys()].map((column) => `${table}.${column}`),
    )
    const columns = await unknown.query(
      `select schema_name || '.' || table_name || '.' || column_name from duckdb_columns()
       where schema_name = 'main' and not internal`,
    )
    expect(said.toSorted()).toEqual(columns.flat().toSorted())
  })

  test('an amount without a value has no steps and no rank, and the comments say so', async () => {
    expect(
      await unknown.query(
        "select distinct coin, value is null, steps, rank from valuations where coin in ('DOGE', 'USDT') order by all",
      ),
    ).toEqual([
      ['DOGE', 'true', null, null],
      ['USDT', 'false', '0', '0'],
    ])
  })

  test('imported lots of an account of the venue are listed beside its books, under a name that the comments give', async () => {
    const lots = await unknown.query(
      "select account, quantity_left, cost_basis_left from lots where coin = 'XRP' order by 1",
    )
    expect(lots).toEqual([
      ['kraken', '100', null],
      ['main/before', '100', '40'],
    ])
    const named = [
      ['lots', 'account'],
      ['lot_events', 'account'],
      ['lot_transfers', 'from_account'],
    ] as const
    for (const [table, column] of named) {
      const rows = await unknown.query(
        `select comment from duckdb_columns() where table_name = '${table}' and column_name = '${column}'`,
      )
      expect(rows[0]?.[0]).toContain('account/before')
    }
  })

  test('what is carried over has the place of its arrival, so the key of lot_events names the event', async () => {
    expect(
      await unknown.query(
        `select count(distinct place), string_agg(kind || ' ' || quantity::double::varchar, ', ' order by kind)
         from lot_events where account = 'main' and coin = 'DOGE' and happened_at = '2026-01-03 12:00:00+00'`,
      ),
    ).toEqual([['1', 'acquire 20.0, transfer_in 30.0']])
    const [[comment]] = (await unknown.query(
      "select comment from duckdb_tables() where table_name = 'lot_events'",
    )) as [[string]]
    const [, keys = ''] = /keys: ([a-z_, ]+?) unique/.exec(comment) ?? []
    expect(keys).toBe('coin, happened_at, place, account and event_id')
    const columns = keys.replace(' and ', ', ')
    expect(
      await unknown.query(`select ${columns} from lot_events group by ${columns} having count(*) > 1`),
    ).toEqual([])
  })
})
