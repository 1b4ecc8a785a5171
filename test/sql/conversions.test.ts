// Several coins exchanged for one in one moment: one exchange with one value, divided by hand.
import { afterEach, expect, test } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'

let books: TestBooks | undefined
afterEach(async () => {
  await books?.close()
  books = undefined
})

const at = (day: string): string => `2026-01-${day} 12:00:00+00`

/** Bought at 100 and 20: one of each. */
const BOUGHT: readonly Move[] = [
  { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: at('10') },
  { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-100', ts: at('10') },
  { id: '3', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '1', ts: at('11') },
  { id: '4', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-20', ts: at('11') },
]

const OUT = 'SMALL_ASSET_SOURCE_TOKEN_USER_OUT'
const IN = 'SMALL_ASSET_TARGET_TOKEN_USER_IN'
const given: readonly Move[] = [
  { id: '11', coin: 'BTC', type: OUT, amount: '-0.1', ts: at('20') },
  { id: '12', coin: 'ETH', type: OUT, amount: '-0.2', ts: at('20') },
]

const ALL = { BTC: '120', ETH: '30', BGB: '4' }

async function built(dust: readonly Move[], prices: Readonly<Record<string, string>> = ALL) {
  books = await TestBooks.open({ only: ['lots', 'disposals', 'value_bridge', 'checks.value_bridge'] })
  await books.insert('imports', { page_id: '91', kind: 'prices', file_name: 'p.csv', imported_at: at('31') })
  const priced = Object.entries(prices).flatMap(([asset, price]) =>
    ['20', '31'].map((day) => ({ priced_at: `2026-01-${day} 00:00:00+00`, asset, price })),
  )
  for (const [row, cells] of priced.entries())
    await books.insert('imported_prices', {
      page_id: '91',
      page_row: String(row),
      currency: 'USDT',
      source: 'market',
      ...cells,
    })
  await books.account('main', 'unified')
  await books.tax('SPOT', balanced(BOUGHT, { USDT: '1000' }))
  await books.tax('OTHER', balanced(dust, { BTC: '1', ETH: '1', USDT: '880' }))
  return await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
}

const gains = () =>
  books?.query('select coin, quantity, proceeds, cost_basis from disposals order by disposal_id')
const held = (coin: string) =>
  books?.query(`select quantity_left, cost_basis_left from lots where coin = '${coin}'`)
const bridge = () =>
  books?.query('select initial_balances, fees, realised_gains, difference from value_bridge')

test('the coins given divide the value of the coin received, by their values; its fee is added to its cost', async () => {
  // 4 BGB are worth 16. The coins given would have brought 12 and 6: they have two thirds and one third of 16.
  await built([...given, { id: '13', coin: 'BGB', type: IN, amount: '4', fee: '-0.1', ts: at('20') }])

  expect(await gains()).toEqual([
    ['BTC', '0.1', '10.666666666666666667', '10'],
    ['ETH', '0.2', '5.333333333333333333', '4'],
    ['BGB', '0.1', '0.4', '0.41'],
  ])
  // 4 cost 16 and the fee of 0.4; 0.1 of them went as the fee, at 0.41.
  expect(await held('BGB')).toEqual([['3.9', '15.99']])
  expect(await bridge()).toEqual([['1000', '0', '1.99', '0']])
})

test('sold for money, the fee is taken off the proceeds, by their values', async () => {
  await built([...given, { id: '13', coin: 'USDT', type: IN, amount: '17', fee: '-0.5', ts: at('20') }])

  // 16.5 are left, of which two thirds and one third.
  expect(await gains()).toEqual([
    ['BTC', '0.1', '11', '10'],
    ['ETH', '0.2', '5.5', '4'],
  ])
  expect(await bridge()).toEqual([['1000', '0', '2.5', '0']])
})

test('if the coin received has no price, it cost what was given', async () => {
  await built([...given, { id: '13', coin: 'BGB', type: IN, amount: '4', ts: at('20') }], {
    BTC: '120',
    ETH: '30',
  })

  expect(await gains()).toEqual([
    ['BTC', '0.1', '12', '10'],
    ['ETH', '0.2', '6', '4'],
  ])
  expect(await held('BGB')).toEqual([['4', '18']])
})

test('if one of the coins given has no price its share is unknown, and each counts with its own value', async () => {
  await built([...given, { id: '13', coin: 'BGB', type: IN, amount: '4', ts: at('20') }], {
    BTC: '120',
    BGB: '4',
  })

  expect(await gains()).toEqual([
    ['BTC', '0.1', '12', '10'],
    ['ETH', '0.2', null, '4'],
  ])
  expect(await held('BGB')).toEqual([['4', '16']])
})

test('one coin given for several: they divide its cost by their values', async () => {
  await built([
    { id: '11', coin: 'BTC', type: OUT, amount: '-0.1', ts: at('20') },
    { id: '12', coin: 'ETH', type: IN, amount: '0.3', ts: at('20') },
    { id: '13', coin: 'BGB', type: IN, amount: '1', ts: at('20') },
  ])

  expect(await gains()).toEqual([['BTC', '0.1', '13', '10']])
  expect(await held('BGB')).toEqual([['1', '4']])
})

test('money among what was received counts as it is, and the coin beside it cost the rest of what was given', async () => {
  // 18 were given, and BGB has no price.
  await built(
    [
      ...given,
      { id: '13', coin: 'USDT', type: IN, amount: '5', ts: at('20') },
      { id: '14', coin: 'BGB', type: IN, amount: '4', ts: at('20') },
    ],
    { BTC: '120', ETH: '30' },
  )

  expect(await held('BGB')).toEqual([['4', '13']])
  // What BGB is worth is not known: its cost stays open.
  expect(await bridge()).toEqual([['1000', '0', '4', '-13']])
})

test('the proceeds of a forced exchange are what was received, and there is no income', async () => {
  await built([
    { id: '11', coin: 'USDT', type: 'RISK_TARGET_USER_IN', amount: '56', ts: at('20') },
    { id: '12', coin: 'BTC', type: 'RISK_SOURCE_USER_OUT', amount: '-0.5', ts: at('20') },
  ])

  // On the market they were worth 60.
  expect(await gains()).toEqual([['BTC', '0.5', '56', '50']])
  expect(await books?.query('select income, realised_gains, difference from value_bridge')).toEqual([
    ['0', '6', '0'],
  ])
})
