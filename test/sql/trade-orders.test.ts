// Which order a trade and its fee belong to. Tax records name none, so it is proven by the orders or not said at all.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanced, type Cells, type Move, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['trades', 'fees'] })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

const at = (time: string): string => `2026-01-05 ${time}+00`

/** A purchase of ETH for USDT at 3000, with a fee in ETH. */
const bought = (id: number, quantity: string, paid: string, time: string): Move[] => [
  { id: String(id), coin: 'ETH', type: 'ORDER_DEALT_IN', amount: quantity, fee: '-0.001', ts: at(time) },
  { id: String(id + 1), coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: `-${paid}`, ts: at(time) },
]

const order = (id: string, filled: string, from: string, to: string, more: Cells = {}): Cells => ({
  order_id: id,
  category: 'SPOT',
  symbol: 'ETHUSDT',
  side: 'buy',
  cum_exec_qty: filled,
  order_status: 'filled',
  created_time: at(from),
  updated_time: at(to),
  ...more,
})

async function build(moves: readonly Move[], orders: readonly Cells[]): Promise<(string | null)[][]> {
  await books.tax('SPOT', balanced(moves, { USDT: '100000', ETH: '10' }))
  if (orders.length > 0) await books.page('trade.orderHistory', orders, { partition: 'SPOT' })
  await books.build()
  return books.query('select trade_id, order_id, venue_symbol from trades order by traded_at')
}

describe('a trade', () => {
  it('has the order during whose lifetime it falls, and so has its fee', async () => {
    const fills = [...bought(11, '1', '3000', '10:00:00'), ...bought(21, '2', '6000', '10:05:00')]
    expect(await build(fills, [order('77', '3', '09:59:00', '10:05:00')])).toEqual([
      ['main/tax.records/11', '77', 'ETHUSDT'],
      ['main/tax.records/21', '77', 'ETHUSDT'],
    ])
    expect(
      await books.query(
        'select transaction_id, order_id, symbol, venue_symbol from fees order by occurred_at',
      ),
    ).toEqual([
      ['main/tax.records/11', '77', null, 'ETHUSDT'],
      ['main/tax.records/21', '77', null, 'ETHUSDT'],
    ])
  })

  it('has none if two orders were active, though the quantity would fit one of them', async () => {
    const fills = bought(11, '1', '3000', '10:00:00')
    const orders = [order('77', '1', '09:00:00', '10:00:00'), order('78', '2', '09:30:00', '11:00:00')]
    expect(await build(fills, orders)).toEqual([['main/tax.records/11', null, 'ETHUSDT']])
  })

  it('has none if the fills found do not add up to what the order filled', async () => {
    const fills = bought(11, '1', '3000', '10:00:00')
    expect(await build(fills, [order('77', '3', '09:00:00', '11:00:00')])).toEqual([
      ['main/tax.records/11', null, 'ETHUSDT'],
    ])
  })

  it('is not attributed to an order of the other side, of margin, or without fills', async () => {
    const fills = bought(11, '1', '3000', '10:00:00')
    const life = ['09:00:00', '11:00:00'] as const
    const orders = [
      order('77', '1', ...life),
      order('78', '1', ...life, { side: 'sell' }),
      order('79', '1', ...life, { category: 'MARGIN' }),
      order('80', '0', ...life),
    ]
    expect(await build(fills, orders)).toEqual([['main/tax.records/11', '77', 'ETHUSDT']])
  })

  it('is not disturbed by an order that says it ended before it began', async () => {
    const fills = bought(11, '1', '3000', '10:00:00')
    const orders = [order('77', '1', '09:00:00', '11:00:00'), order('78', '1', '10:30:00', '09:30:00')]
    expect(await build(fills, orders)).toEqual([['main/tax.records/11', '77', 'ETHUSDT']])
  })

  it('has no symbol of the venue if no order spells it, and a conversion never has one', async () => {
    const conversion: Move[] = [
      { id: '31', coin: 'BGB', type: 'SMALL_EXCHANGE_IN', amount: '2', ts: at('12:00:00') },
      { id: '32', coin: 'USDT', type: 'SMALL_EXCHANGE_OUT', amount: '-7', ts: at('12:00:00') },
    ]
    const fills = bought(11, '1', '3000', '10:00:00')
    const orders = [order('1', '0', '09:00:00', '09:01:00', { symbol: 'BGBUSDT' })]
    const rows = await build([...fills, ...conversion], orders)
    expect(rows.map(([, , symbol]) => symbol)).toEqual(rows.map(() => null))
  })
})

describe('a fee of futures', () => {
  const fee = (id: string, amount: string, time: string): Cells => ({
    id,
    symbol: 'BTCUSDT',
    margin_coin: 'USDT',
    future_tax_type: 'open_long',
    amount: '0',
    fee: amount,
    ts: at(time),
  })
  const futures = (id: string, from: string, to: string): Cells =>
    order(id, '1', from, to, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })

  const detail = (...fees: string[]): string =>
    JSON.stringify(fees.map((one) => ({ feeCoin: 'USDT', fee: one })))

  it('has the order during whose lifetime it falls, if the order reports exactly that fee', async () => {
    await books.account('classic', 'classic')
    await books.futures('USDT-FUTURES', [fee('1', '-0.5', '10:00:00'), fee('2', '-0.7', '10:01:00')], {
      account: 'classic',
    })
    await books.futures('USDT-FUTURES', [fee('3', '-0.9', '12:00:00')], { account: 'classic' })
    await books.page(
      'trade.orderHistory',
      [
        { ...futures('77', '09:59:00', '10:01:00'), fee_detail: detail('1.2') },
        { ...futures('78', '11:59:00', '12:00:00'), fee_detail: detail('0.8') },
      ],
      { partition: 'USDT-FUTURES', account: 'classic' },
    )
    await books.build()
    expect(
      await books.query('select fee, order_id, symbol, venue_symbol from fees order by occurred_at'),
    ).toEqual([
      ['0.5', '77', 'BTCUSDT', 'BTCUSDT'],
      ['0.7', '77', 'BTCUSDT', 'BTCUSDT'],
      ['0.9', null, 'BTCUSDT', 'BTCUSDT'],
    ])
  })
})
