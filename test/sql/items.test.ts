// Lists and objects inside records: each item is a row of a table of its own, exact, beside the record that holds it.
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { parseAmount } from '../../models/amount.ts'
import { columnName, type Field } from '../../models/record.ts'
import type { BuildResult } from '../../pipeline/ledger/build.ts'
import { feedRecords, recordItems } from '../../pipeline/ledger/feeds.ts'
import { itemDocs, itemProblems } from '../../pipeline/ledger/items.ts'
import { createMacros } from '../../pipeline/ledger/portable.ts'
import { type Cells, TestBooks } from '../support/books.ts'

const at = '2026-01-05 10:00:00+00'
const order = (id: string, fees: unknown, cells: Cells = {}): Cells => ({
  order_id: id,
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  created_time: at,
  fee_detail: typeof fees === 'string' || fees === null ? fees : JSON.stringify(fees),
  ...cells,
})

/** What is told of the lists in no other test: the shapes that the interface document and the recorded answers give them. */
async function land(books: TestBooks): Promise<void> {
  await books.page(
    'trade.orderHistory',
    [
      order('1', [{ feeCoin: 'USDT', fee: '4.2500586' }]),
      order('2', [
        { feeCoin: 'BGB', fee: '-0.000000000000000001' },
        { feeCoin: 'USDT', fee: 1e-7 },
      ]),
      order('3', '[{"feeCoin":"BTC","fee":"1e-8"},{"feeCoin":"ETH","fee":"2.50000000000000000000"}]'),
      order('4', [{ feeCoin: null, fee: null }]),
      order('5', null),
      order('6', []),
      order('7', { feeCoin: 'USDT', fee: '7' }),
      order('8', [{ feeCoin: 'USDT', fee: '0.1234567890123456789', total: 9.5, note: { deep: ['1.50'] } }]),
      order('9', ['free', null, { feeCoin: { code: 'USDT' }, fee: 'none' }]),
      order('10', '"12.5 USDT"'),
      order('11', '[{"feeCoin":"A\\ud800","fee":"1"}]'),
      order('12', [{ fee: '', feeCoin: '' }]),
    ].reverse(),
    { partition: 'USDT-FUTURES' },
  )
  await books.page(
    'trade.orderHistory',
    [order('1', [{ feeCoin: 'USDT', fee: '5' }], { updated_time: '2026-01-06 10:00:00+00' })],
    { partition: 'USDT-FUTURES' },
  )
  await books.page('trade.openOrders', [order('20', [{ feeCoin: null, fee: null }])])
  await books.page('account.settings', [
    {
      uid: '1001',
      symbol_config_list: JSON.stringify([
        { category: 'USDT-FUTURES', symbol: '1000SATSUSDT', marginMode: 'crossed', leverage: '20' },
        { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'portfolio', leverage: '1' },
      ]),
      coin_config_list: JSON.stringify([{ coin: 'SHIB', leverage: '2' }]),
    },
  ])
  await books.page(
    'futures.subaccountAssets',
    [
      {
        user_id: '2000',
        asset_list: JSON.stringify([
          { marginCoin: 'USDT', equity: '12.5', unrealizedPL: null },
          { marginCoin: 'BTC', accountEquity: '1', equity: '2' },
        ]),
      },
    ],
    { partition: 'USDT-FUTURES' },
  )
  await books.page('futures.contracts', [
    { symbol: 'BTCUSDT', support_margin_coins: '["USDT","","USDC",{}]' },
  ])
  await books.page('loan.ltv', [
    {
      ltv: '0.1',
      sub_account_uids: '["1000",2000]',
      unpaid_info: '[{"coin":"ETH","unpaidQty":"0.02","unpaidInterest":"0.006"}]',
      balance_info: '[{"coin":"ETH","price":"2000","amount":"1","convertedUsdtAmount":"2000"}]',
    },
  ])
  await books.page('p2p.orders', [
    {
      order_id: '30',
      coin: 'USDT',
      c_time: at,
      payment_info: JSON.stringify({
        paymethodName: 'Bank',
        paymethodId: '7',
        bank: 'First',
        paymethodInfo: [
          { name: 'Holder', required: 'yes', type: 'number', value: 'Ada Lovelace' },
          { name: 'Card', required: 'no', type: 'number', value: '4000', limit: 'none' },
        ],
      }),
    },
    { order_id: '31', coin: 'USDT', c_time: at, payment_info: JSON.stringify({ paymethodName: 'Cash' }) },
  ])
}

describe('items of records', () => {
  let books: TestBooks
  let result: BuildResult
  const query = (sql: string) => books.query(sql)

  beforeAll(async () => {
    books = await TestBooks.open()
    await land(books)
    result = await books.build()
  }, 60_000)

  afterAll(async () => await books.close())

  it('are exact and in their order, in whatever form an amount is sent', async () => {
    expect(
      await query(
        `select order_id, list_index, fee_coin, fee, fee_decimals, extra from order_fee_details
         where order_id in ('2', '3') order by all`,
      ),
    ).toEqual([
      ['2', '0', 'BGB', '-0.000000000000000001', '18', null],
      ['2', '1', 'USDT', '0.0000001', '7', null],
      ['3', '0', 'BTC', '0.00000001', '8', null],
      ['3', '1', 'ETH', '2.5', '20', null],
    ])
  })

  it('are none for a list that is null or empty, one for an object in place of a list, and empty if nothing is stated', async () => {
    expect(
      await query(
        `select order_id, list_index, fee_coin, fee, extra from order_fee_details
         where order_id in ('4', '5', '6', '7', '12') order by cast(order_id as integer)`,
      ),
    ).toEqual([
      ['4', '0', null, null, null],
      ['7', '0', 'USDT', '7', null],
      ['12', '0', null, null, null],
    ])
    expect(await query('select order_id, fee_coin from open_order_fee_details')).toEqual([['20', null]])
  })

  it('keep in extra what is invalid and what is not declared', async () => {
    expect(
      await query(
        `select order_id, list_index, fee_coin, fee, extra from order_fee_details
         where order_id in ('8', '9', '10', '11') order by cast(order_id as integer), list_index`,
      ),
    ).toEqual([
      ['8', '0', 'USDT', null, '{"fee":"0.1234567890123456789","note":{"deep":["1.50"]},"total":9.5}'],
      ['9', '0', null, null, '"free"'],
      ['9', '1', null, null, null],
      ['9', '2', null, null, '{"fee":"none","feeCoin":{"code":"USDT"}}'],
      ['10', '0', null, null, '"12.5 USDT"'],
      ['11', '0', null, null, expect.stringContaining('ud800')],
    ])
  })

  it('that are invalid are a warning for each field, everything else a notice', () => {
    const said = result.openBreaks
      .filter(({ checkName }) => ['unread_values', 'drift'].includes(checkName))
      .map(({ severity, explanation }) => `${severity} ${explanation}`)
      .sort()
    const kept = 'null there, missing from sums, and kept in the column extra.'
    expect(said).toEqual(
      [
        'notice account.settings: unknown value in symbolConfigList[].marginMode, for example portfolio. Everything is kept.',
        'notice futures.subaccountAssets: unknown field in assetList[].equity, for example 2. Everything is kept.',
        'notice p2p.orders: unknown field in paymentInfo.bank. Everything is kept.',
        'notice p2p.orders: unknown field in paymentInfo.paymethodInfo[].limit. Everything is kept.',
        'notice trade.orderHistory: object or value instead of list in feeDetail. Everything is kept.',
        'notice trade.orderHistory: unknown field in feeDetail[].note, for example {"deep":["1.50"]}. Everything is kept.',
        'notice trade.orderHistory: unknown field in feeDetail[].total, for example 9.5. Everything is kept.',
        `warning futures.contracts: 1 value of supportMarginCoins[] did not fit the column, for example {}. Such values are ${kept}`,
        `warning trade.orderHistory: 3 values of feeDetail[] did not fit the column, for example "12.5 USDT". Such values are ${kept}`,
        `warning trade.orderHistory: 1 value of feeDetail[].feeCoin did not fit the column, for example {"code":"USDT"}. Such values are ${kept}`,
        `warning trade.orderHistory: 2 values of feeDetail[].fee did not fit the column, for example 0.1234567890123456789. Such values are ${kept}`,
      ].sort(),
    )
  })

  it('belong to one version of their record', async () => {
    expect(
      await query(
        `select fees.fee, fees.is_current, fees.first_seen_at, orders.order_id
         from order_fee_details as fees join orders using (page_id, page_row)
         where fees.order_id = '1' order by fees.page_id`,
      ),
    ).toEqual([
      ['4.2500586', 'false', '2026-02-01 00:00:01+00', '1'],
      ['5', 'true', '2026-02-01 00:00:02+00', '1'],
    ])
  })

  it('of every feed exist, under the names that their record declares', async () => {
    expect(await query('select uid, symbol, leverage from account_symbol_settings order by symbol')).toEqual([
      ['1001', '1000SATSUSDT', '20'],
      ['1001', 'BTCUSDT', '1'],
    ])
    expect(await query('select coin, leverage from account_coin_settings')).toEqual([['SHIB', '2']])
    expect(
      await query(
        'select user_id, margin_coin, account_equity, unrealized_pl, extra from subaccount_asset_coins order by 2',
      ),
    ).toEqual([
      ['2000', 'BTC', '1', null, '{"equity":"2"}'],
      ['2000', 'USDT', '12.5', null, null],
    ])
    expect(
      await query('select list_index, margin_coin, extra from contract_margin_coins order by 1'),
    ).toEqual([
      ['0', 'USDT', null],
      ['1', null, null],
      ['2', 'USDC', null],
      ['3', null, '{}'],
    ])
    expect(await query('select uid from ltv_accounts order by 1')).toEqual([['1000'], ['2000']])
    expect(await query('select coin, unpaid_qty, unpaid_interest from ltv_debts')).toEqual([
      ['ETH', '0.02', '0.006'],
    ])
    expect(await query('select coin, price, amount, converted_usdt_amount from ltv_balances')).toEqual([
      ['ETH', '2000', '1', '2000'],
    ])
  })

  it('that are personal are rows without their contents', async () => {
    expect(
      await query(
        'select order_id, list_index, paymethod_name, paymethod_id, paymethod_info, extra from p2p_order_payments order by 1',
      ),
    ).toEqual([
      ['30', '0', null, null, null, null],
      ['31', '0', null, null, null, null],
    ])
    expect(
      await query(
        'select order_id, parent_list_index, list_index, name, required, type, value, extra from p2p_order_payment_fields order by 3',
      ),
    ).toEqual([
      ['30', '0', '0', null, null, null, null, null],
      ['30', '0', '1', null, null, null, null, null],
    ])
  })
})

test('that are personal are published if the configuration says so', async () => {
  const books = await TestBooks.open()
  try {
    await land(books)
    await books.build({ publishPersonalData: true })
    expect(await books.query('select paymethod_name, extra from p2p_order_payments order by 1')).toEqual([
      ['Bank', '{"bank":"First"}'],
      ['Cash', null],
    ])
    expect(
      await books.query(
        'select name, required, value, extra from p2p_order_payment_fields order by list_index',
      ),
    ).toEqual([
      ['Holder', 'true', 'Ada Lovelace', null],
      ['Card', 'false', '4000', '{"limit":"none"}'],
    ])
  } finally {
    await books.close()
  }
})

describe('the declarations', () => {
  const jsonFields = (fields: Readonly<Record<string, Field>>): [string, Field][] =>
    Object.entries(fields).flatMap(([name, field]) =>
      field.kind === 'json' ? [[name, field], ...jsonFields(field.items?.fields ?? {})] : [],
    )

  it('name a table for every list and object of a record', () => {
    const without = endpoints
      .flatMap(({ item }) => (item === null ? [] : jsonFields(item.fields)))
      .filter(([, { items }]) => items === undefined)
      .map(([name]) => name)
    expect(without).toEqual([])
  })

  it('give each table and each of its columns a unique name', () => {
    const tables = [
      ...feedRecords.map(({ record }) => record.table),
      ...recordItems.map(({ items }) => items.table),
    ]
    expect(new Set(tables).size).toBe(tables.length)
    for (const { record, items } of recordItems) {
      const own = Object.keys(items.fields).map(columnName)
      const keys = record.key.map(columnName)
      expect(own.filter((name) => keys.includes(name))).toEqual([])
      expect(Object.values(items.fields).filter(({ required }) => required)).toEqual([])
    }
    expect(
      [...itemDocs(recordItems.find(({ items }) => items.table === 'ltv_debts')!).keys()].slice(0, 5),
    ).toEqual(['account', 'partition', 'list_index', 'coin', 'unpaid_qty'])
  })
})

/** The database gives up on some exponents beyond 20, which no amount needs: such a text is kept, as one that does not fit. */
test('an amount in SQL is the same as when it lands: exact, or null', async () => {
  const connection = await (await DuckDBInstance.create()).connect()
  await createMacros(connection)
  const digits = fc.stringMatching(/^[0-9]{0,24}$/)
  const written = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits,
      fc.constantFrom('', '.'),
      digits,
      fc.option(fc.integer({ min: -30, max: 25 })),
    )
    .map(
      ([sign, whole, point, rest, exponent]) =>
        `${sign}${whole}${point}${point === '' ? '' : rest}${exponent === null ? '' : `e${exponent}`}`,
    )
  const odd = fc.constantFrom(
    '',
    '.',
    '-',
    '1_000',
    'nan',
    'inf',
    '0x1',
    '1e',
    'e5',
    '0e-30',
    '1e99999',
    '0.00000000000000000000',
    '1,5',
  )
  const texts = fc.sample(fc.oneof({ weight: 9, arbitrary: written }, { weight: 1, arbitrary: odd }), {
    numRuns: 3_000,
    seed: 5,
  })
  const reader = await connection.runAndReadAll(
    `select cast(try_amount(t) as varchar) from (select unnest($texts::varchar[]) as t)`,
    { texts: JSON.stringify(texts) },
  )
  const read = reader.getRowsJson().map(([value]) => (value === null ? null : parseAmount(String(value))))
  const differing = texts.flatMap((text, place) => {
    const landed = parseAmount(text)
    const found = read[place] ?? null
    const isFar = Math.abs(Number(/e(.*)/.exec(text)?.[1] ?? 0)) > 20
    const same = found === null ? !landed.ok || isFar : landed.ok && found.ok && found.units === landed.units
    return same
      ? []
      : [`${text}: ${JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`]
  })
  expect(differing).toEqual([])
  expect(read.filter((one) => one !== null).length).toBeGreaterThan(500)
  connection.closeSync()
})

test('of several misfits of one answer, the first row is named, in whatever order they are read', async () => {
  const connection = await (await DuckDBInstance.create()).connect()
  await createMacros(connection)
  const fees = recordItems.find(
    ({ items, feed }) => items.table === 'order_fee_details' && feed === 'trade.orderHistory',
  )
  if (fees === undefined) throw new Error('Orders have no table of fees.')
  await connection.run('create schema landing')
  await connection.run(
    'create table landing.orders (account varchar, page_id bigint, page_row integer, fee_detail varchar)',
  )
  await connection.run(
    'create table main.order_fee_details (account varchar, page_id bigint, page_row integer, fee_coin varchar, fee decimal(38, 18), extra varchar)',
  )
  for (const row of [5, 2, 9])
    await connection.run(
      `insert into main.order_fee_details values ('main', 3, ${row}, 'USDT', 1, '{"total":"9.5"}')`,
    )
  const reader = await connection.runAndReadAll(
    `select problem, item_count, page_id, page_row from (${itemProblems(fees, true)})`,
  )
  expect(reader.getRowsJson()).toEqual([['unknown field', '3', '3', 2]])
})
