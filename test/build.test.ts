import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestBooks } from './support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open()
})

afterEach(async () => {
  await books.close()
})

/** The fill that the venue publishes as its sample, in the order in which its ids rise. */
const publishedFill = [
  {
    id: '1375573238088888367',
    coin: 'BGB',
    type: 'ORDER_DEALT_IN',
    amount: '0.5696',
    balance: '2.1603088102649367',
  },
  {
    id: '1375573238088888368',
    coin: 'BGB',
    type: 'ORDER_PLF_FEE_OUT',
    amount: '-0.0004556178732628',
    balance: '2.1598531923916739',
  },
  {
    id: '1375573238088888369',
    coin: 'USDT',
    type: 'ORDER_DEALT_FROZEN_OUT',
    amount: '-1.9998656',
    balance: '42.41856383400698',
  },
].map((row) => ({ ...row, ts: '2025-11-21 01:22:17.552+00' }))

describe('the published sample', () => {
  it('closes, and its balances are what the venue says', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', publishedFill)
    const result = await books.build()
    expect(result.openBreaks).toEqual([])
    expect(result.published).toBe(true)
    expect(await books.query('select ledger, coin, quantity from balances order by coin')).toEqual([
      ['UNIFIED', 'BGB', '2.1598531923916739'],
      ['UNIFIED', 'USDT', '42.41856383400698'],
    ])
    expect(await books.query('select source_id, status, opening from balance_chain order by place')).toEqual([
      ['1375573238088888367', 'start', '1.5907088102649367'],
      ['1375573238088888368', 'closed', '0'],
      ['1375573238088888369', 'start', '44.41842943400698'],
    ])
  })
})
