// What the names of types mean: each that is known to the public has a kind in the feed that may send it, the same name
// may mean another thing in another feed, and what nobody knows is kept and shown.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cells, TestBooks } from './support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open()
})

afterEach(async () => {
  await books.close()
})

const loud = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.filter(({ severity }) => severity !== 'notice').map(({ checkName }) => checkName)

const futures = (
  id: number,
  symbol: string,
  type: string,
  amount: string,
  fee: string,
  ts: string,
): Cells => ({
  id: String(id),
  symbol: symbol === '' ? null : symbol,
  margin_coin: 'USDT',
  future_tax_type: type,
  amount,
  fee,
  ts,
})

describe('the futures of a classic account in one-way mode', () => {
  it('have their results in records of the types buy and sell, which are no spot trades', async () => {
    await books.account('old', 'classic')
    const records = [
      futures(1, '', 'trans_from_exchange', '500', '0', '2026-01-10 12:00:00+00'),
      futures(2, 'BTCUSDT', 'buy', '0', '-0.6', '2026-01-10 13:00:00+00'),
      futures(3, 'BTCUSDT', 'sell', '85.5', '-0.7', '2026-01-11 13:00:00+00'),
      futures(4, '', 'trans_to_exchange', '-400', '0', '2026-01-12 12:00:00+00'),
    ]
    await books.futures('USDT-FUTURES', records, { account: 'old' })
    expect(loud(await books.build())).toEqual([])
    expect(
      await books.query(
        'select symbol, day, realised_pnl, fees, funding, net_pnl from futures_pnl order by day',
      ),
    ).toEqual([
      ['BTCUSDT', '2026-01-10', '0', '-0.6', '0', '-0.6'],
      ['BTCUSDT', '2026-01-11', '85.5', '-0.7', '0', '84.8'],
    ])
    expect(await books.query('select direction, quantity from transfers order by occurred_at')).toEqual([
      ['in', '500'],
      ['out', '400'],
    ])
    expect(await books.query('select quantity from balances')).toEqual([['184.2']])
  })
})
