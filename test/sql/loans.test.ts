// Margin loans: the principal is a debt. Seen as acquisitions at market and disposals by FIFO, the loans of a year of one
// account stated −2,935 USDT of gains in its returns.
import { afterEach, describe, expect, test } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { balanced, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'

/** What these books are made of, with every check that may find an error. */
const MADE = [
  'balances',
  'borrowed_coins',
  'disposals',
  'liabilities',
  'lots',
  'short_sales',
  ...LEDGER_CHECKS,
  'checks.lots_match_balance',
]

let books: TestBooks
afterEach(() => books.close())

const SHORT: readonly Move[] = [
  { id: '2', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: '2026-01-02T00:00:00Z' },
  { id: '3', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-100', ts: '2026-01-02T00:00:00Z' },
  { id: '4', coin: 'BTC', type: 'BORROW', amount: '1', ts: '2026-02-01T00:00:00Z' },
  { id: '5', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '300', ts: '2026-02-01T01:00:00Z' },
  { id: '6', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: '2026-02-01T01:00:00Z' },
  { id: '7', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: '2026-02-05T00:00:00Z' },
  { id: '8', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-250', ts: '2026-02-05T00:00:00Z' },
  { id: '9', coin: 'BTC', type: 'REPAYMENT', amount: '-1', ts: '2026-02-06T00:00:00Z' },
]

/** As the rules have it that are named. */
async function built(moves: readonly Move[], rules = 'generic') {
  books = await TestBooks.open({ only: MADE })
  await books.account('main', 'unified')
  await books.tax('MARGIN-crossed', balanced(moves, { USDT: '1000' }))
  return await books.build({}, { steps: [lotsStep(matchingOf({ rules }).options)] })
}

const DISPOSED = `select disposal_id, lot_id, quantity, proceeds, cost_basis, gain, disposed_at from disposals
  order by disposed_at, disposal_id`

describe('a coin that is borrowed, sold, bought again and repaid', () => {
  test('is one gain, counted when it is bought again; the own lot stays as it was, and nothing is owed', async () => {
    const { breaks, openBreaks } = await built(SHORT)
    expect(breaks.error, JSON.stringify(openBreaks)).toBe(0)
    expect(await books.query(DISPOSED)).toEqual([
      [
        'main/tax.records/6/amount',
        'main/tax.records/7/amount',
        '1',
        '300',
        '250',
        '50',
        '2026-02-05 00:00:00+00',
      ],
    ])
    expect(await books.query('select coin, quantity_left, cost_basis_left from lots')).toEqual([
      ['BTC', '1', '100'],
    ])
    expect(await books.query('select coin, quantity from liabilities')).toEqual([['BTC', '0']])
    expect(await books.query('select * from borrowed_coins')).toEqual([])
  })

  test('counts when it was sold under the rules of the United Kingdom', async () => {
    await built(SHORT, 'uk')
    expect(await books.query('select disposed_at, gain, lot_id from disposals')).toEqual([
      ['2026-02-01 01:00:00+00', '50', 'main/tax.records/7/amount'],
    ])
  })
})

test('what is owed is listed beside what is held, also at the end of a period', async () => {
  await built(SHORT.slice(0, 5))
  expect(await books.query('select coin, quantity, borrowed, own from balances order by coin')).toEqual([
    ['BTC', '1', '1', '0'],
    ['USDT', '1200', '0', '1200'],
  ])
  expect(await books.query('select sale_id, quantity, proceeds, closed_at, gain from short_sales')).toEqual([
    ['main/tax.records/6/amount', '1', '300', null, null],
  ])
  expect(await books.query('select count(*) from disposals')).toEqual([['0']])
})

test('coins repaid beyond every known loan were owed before the books, and have no known gain', async () => {
  const { breaks } = await built([
    ...SHORT.slice(0, 2),
    { id: '9', coin: 'BTC', type: 'REPAYMENT', amount: '-0.4', ts: '2026-02-06T00:00:00Z' },
  ])
  expect(breaks.error).toBe(0)
  expect(await books.query('select coin, quantity, owed_before from liabilities')).toEqual([
    ['BTC', '0', '0.4'],
  ])
  expect(await books.query('select quantity, proceeds, cost_basis, gain from disposals')).toEqual([
    ['0.4', null, '40', null],
  ])
})

test('a loan of one wallet is not repaid by what another owed before the books', async () => {
  books = await TestBooks.open({ only: MADE })
  await books.account('main', 'unified')
  await books.tax('MARGIN-crossed', balanced(SHORT, { USDT: '1000' }))
  // Between the loan and the sale the isolated wallet gives back a coin that it had borrowed in another year.
  const back = { id: '50', coin: 'BTC', type: 'REPAYMENT', amount: '-1', ts: '2026-02-01T00:30:00Z' }
  await books.tax('MARGIN-isolated', balanced([back], { BTC: '1' }))
  const { breaks, openBreaks } = await books.build(
    {},
    { steps: [lotsStep(matchingOf({ rules: 'generic' }).options)] },
  )
  expect(breaks.error, JSON.stringify(openBreaks)).toBe(0)
  expect(await books.query('select ledger, quantity, owed_before from liabilities order by ledger')).toEqual([
    ['MARGIN-isolated', '0', '1'],
    ['UNIFIED', '0', '0'],
  ])
  expect(await books.query(DISPOSED)).toEqual([
    [
      'main/tax.records/50/amount',
      'main/tax.records/2/amount',
      '1',
      null,
      '100',
      null,
      '2026-02-01 00:30:00+00',
    ],
    [
      'main/tax.records/6/amount',
      'main/tax.records/7/amount',
      '1',
      '300',
      '250',
      '50',
      '2026-02-05 00:00:00+00',
    ],
  ])
  expect(await books.query('select * from borrowed_coins')).toEqual([])
})
