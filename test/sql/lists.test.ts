// Lists that are asked for whole: what stands in the newest complete answer is current, and nothing else is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cells, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({
    only: [
      'coverage',
      'open_orders',
      'open_orders_now',
      'positions_now',
      'subaccount_assets',
      'subaccount_asset_coins',
    ],
  })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

const order = (id: string, qty = '1'): Cells => ({
  order_id: id,
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  order_type: 'limit',
  qty,
  cum_exec_qty: '0',
  order_status: 'live',
  created_time: '2026-01-01 00:00:00+00',
})

/** One page of an answer; `goesOn` where the venue named a next page. */
async function page(feed: string, rows: readonly Cells[], how: { cursor?: string; goesOn?: boolean } = {}) {
  const id = await books.page(feed, rows)
  await books.sql(
    `update landing.main.pages set ends_list = ${!how.goesOn}, cursor = ${how.cursor === undefined ? 'null' : `'${how.cursor}'`}
     where page_id = ${id}`,
  )
}

const orders = async () => {
  await books.build()
  return {
    now: (await books.query('select order_id from open_orders_now order by 1')).flat(),
    current: (await books.query('select order_id from open_orders where is_current order by 1')).flat(),
    all: (await books.query('select order_id from open_orders order by 1')).flat(),
  }
}

describe('open orders', () => {
  it('that were cancelled are no longer current, and stay in the history', async () => {
    await page('trade.openOrders', [order('1'), order('2')])
    await page('trade.openOrders', [order('2', '3'), order('3')])
    expect(await orders()).toEqual({ now: ['2', '3'], current: ['2', '3'], all: ['1', '2', '2', '3'] })
  })

  it('at the market have no limit price and no value by it, however the venue writes that', async () => {
    await page('trade.openOrders', [
      { ...order('1', '2'), price: '60000.5' },
      { ...order('2'), order_type: 'market', price: '0' },
      { ...order('3'), order_type: 'market', price: null },
    ])
    await books.build()
    expect(await books.query('select order_id, price, value from open_orders_now order by 1')).toEqual([
      ['1', '60000.5', '120001'],
      ['2', null, null],
      ['3', null, null],
    ])
  })

  it('are none after an empty answer', async () => {
    await page('trade.openOrders', [order('1')])
    await page('trade.openOrders', [])
    expect(await orders()).toEqual({ now: [], current: [], all: ['1'] })
  })

  it('of an answer that was cut off between its pages end nothing that was there before', async () => {
    await page('trade.openOrders', [order('1')], { goesOn: true })
    await page('trade.openOrders', [order('2')], { cursor: '1' })
    await page('trade.openOrders', [order('3')], { goesOn: true })
    expect((await orders()).current).toEqual(['1', '2', '3'])
  })

  it('missing from a list that broke off count as open until the history or a complete list ends them', async () => {
    /** A full page that names none after it: an order behind it may rest or not. */
    const brokenOff = async (run: string, rows: readonly Cells[]) => {
      await books.page('trade.openOrders', rows, { run })
      await books.statement({ run_id: run, feed: 'trade.openOrders', status: 'unproven' })
    }
    const seen = async () => {
      await books.build()
      const now = await books.query('select order_id, read_at from open_orders_now order by 1')
      return now.map(([id, at]) => `${id} ${at?.slice(11, 19)}`)
    }
    await books.page('trade.openOrders', [order('1'), order('2'), order('4')], {
      run: 'r1',
      receivedAt: '2026-01-02T03:00:00Z',
    })
    await brokenOff('r2', [order('2'), order('3')])
    const [first, ...others] = await seen()
    expect(first).toBe('1 03:00:00')
    expect(others.map((one) => one?.split(' ')[0])).toEqual(['2', '3', '4'])
    expect(
      await books.query(
        "select status, count(*) from coverage where feed = 'trade.openOrders' group by 1 order by 1",
      ),
    ).toEqual([
      ['complete', '1'],
      ['unproven', '1'],
    ])
    const ended = [
      { ...order('1'), order_status: 'filled' },
      { ...order('4'), order_status: 'cancelled' },
    ]
    await books.page('trade.orderHistory', ended, { partition: 'SPOT' })
    expect((await orders()).now).toEqual(['2', '3'])
    await books.page('trade.openOrders', [order('3')], { run: 'r3' })
    expect((await orders()).now).toEqual(['3'])
  })

  it('of pages from before the journal recorded where a list ends count as a complete answer', async () => {
    await books.page('trade.openOrders', [order('1')])
    await books.page('trade.openOrders', [order('2')])
    expect((await orders()).current).toEqual(['2'])
  })
})

it('assets of a sub-account are distinguished by product type', async () => {
  const asset = (equity: string): Cells => ({
    user_id: '2000',
    asset_list: JSON.stringify([{ marginCoin: 'USDT', accountEquity: equity }]),
  })
  await books.page('futures.subaccountAssets', [asset('10')], { partition: 'USDT-FUTURES' })
  await books.page('futures.subaccountAssets', [asset('20')], { partition: 'COIN-FUTURES' })
  await books.page('futures.subaccountAssets', [asset('30')], { partition: 'USDT-FUTURES' })
  await books.build()
  expect(
    await books.query('select partition from subaccount_assets where is_current order by partition'),
  ).toEqual([['COIN-FUTURES'], ['USDT-FUTURES']])
  expect(
    await books.query(
      'select sum(account_equity) from subaccount_asset_coins where is_current and margin_coin is not null',
    ),
  ).toEqual([['50']])
})

it('a closed position is not among the current ones, whether the answer omits it or lists nothing of it', async () => {
  const position = (symbol: string, total = '1'): Cells => ({
    symbol,
    margin_coin: 'USDT',
    hold_side: 'long',
    total,
    c_time: '2026-01-01 00:00:00+00',
  })
  await books.page('futures.positions', [position('BTCUSDT'), position('ETHUSDT')], {
    partition: 'USDT-FUTURES',
  })
  await books.page('futures.positions', [position('ETHUSDT'), position('SOLUSDT', '0')], {
    partition: 'USDT-FUTURES',
  })
  await books.build()
  expect(await books.query('select symbol, read_at from positions_now')).toEqual([
    ['ETHUSDT', expect.stringContaining('2026-02-01')],
  ])
})
