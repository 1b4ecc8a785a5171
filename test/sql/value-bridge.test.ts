// What an account is worth, from month to month: every line worked out by hand, and closed to the last digit.
import { afterEach, expect, test } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { balanced, type Cells, type Move, TestBooks } from '../support/books.ts'
import { runModel } from '../support/one-model.ts'

let books: TestBooks | undefined
afterEach(async () => {
  await books?.close()
  books = undefined
})

const at = (day: string): string => `2026-${day} 12:00:00+00`

/** What one bitcoin costs, on the days on which something happens and at the ends of months. */
const PRICES: Readonly<Record<string, string>> = {
  '01-10': '100',
  '01-31': '110',
  '02-10': '120',
  '02-12': '125',
  '02-28': '125',
}

const BOUGHT: readonly Move[] = [
  { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '2', fee: '-0.01', ts: at('01-10') },
  { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-200', ts: at('01-10') },
]

const SPENT: readonly Move[] = [
  { id: '3', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '130', ts: at('02-10') },
  { id: '4', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: at('02-10') },
  { id: '5', coin: 'USDT', type: 'INTEREST_SETTLEMENT_OUT', amount: '-0.5', ts: at('02-11') },
  { id: '6', coin: 'BTC', type: 'BONUS_GRANT_USER_IN', amount: '0.1', ts: at('02-10') },
  { id: '7', coin: 'USDT', type: 'TRANSFER_OUT', amount: '-50', ts: at('02-12') },
  { id: '8', coin: 'BTC', type: 'TRANSFER_OUT', amount: '-0.5', ts: at('02-12') },
]

const ARRIVED: readonly Move[] = [
  { id: '21', coin: 'USDT', type: 'TRANSFER_IN', amount: '50', ts: at('02-12') },
  { id: '22', coin: 'BTC', type: 'TRANSFER_IN', amount: '0.5', ts: at('02-12') },
]

/** A row of an imported file, of the account kraken. */
const row = (
  id: string,
  day: string,
  type: string,
  asset: string,
  quantity: string,
  more: Cells = {},
): Cells => ({
  id,
  occurred_at: at(day),
  nanos: '0',
  account: 'kraken',
  type,
  asset,
  quantity,
  fee: '0',
  ...more,
})

async function built(
  accounts: Readonly<Record<string, readonly Move[]>>,
  matching: Parameters<typeof matchingOf>[0] = {},
  imported: readonly Cells[] = [],
  opening: Readonly<Record<string, string>> = { USDT: '1000' },
  pricesOf: Readonly<Record<string, string>> = PRICES,
) {
  books = await TestBooks.open({ only: ['value_bridge', 'net_worth', 'checks.value_bridge'] })
  const file = { imported_at: at('02-28') }
  await books.insert('imports', { ...file, page_id: '91', kind: 'prices', file_name: 'prices.csv' })
  await books.insert('imports', { ...file, page_id: '92', kind: 'trades', file_name: 'trades.csv' })
  const prices = Object.entries(pricesOf).map(([day, price], row) => ({
    page_id: '91',
    page_row: String(row),
    priced_at: `2026-${day} 00:00:00+00`,
    asset: 'BTC',
    currency: 'USDT',
    price,
    source: 'market',
  }))
  for (const cells of prices) await books.insert('imported_prices', cells)
  for (const [number, cells] of imported.entries())
    await books.insert('imported_trades', { page_id: '92', page_row: String(number), ...cells })
  for (const [number, [account, moves]] of Object.entries(accounts).entries()) {
    await books.account(account, 'unified', String(1000 + number))
    await books.tax('SPOT', balanced(moves, number === 0 ? opening : {}), { account })
  }
  const { options } = matchingOf(matching)
  return await books.build({ reportingCurrency: 'USDT' }, { steps: [lotsStep(options)] })
}

const bridge = (columns: string) =>
  books?.query(`select account, month, ${columns} from value_bridge order by account, month`)

const LINES = `opening_value, initial_balances, deposits, transfers, income, interest, realised_gains, unrealised_change, closing_value,
  difference`

test('each line is independent and the closing value follows, for the sender and the receiver', async () => {
  const result = await built({ main: [...BOUGHT, ...SPENT], desk: ARRIVED })
  expect(await bridge(LINES)).toEqual([
    ['desk', '2026-02-01', '0', '0', '0', '100.25', '0', '0', '0', '12.25', '112.5', '0'],
    // The fee is a disposal of 0.01 at 1 that cost 1.005; what is left cost 199.995 and is worth 218.9.
    ['main', '2026-01-01', '0', '1000', '0', '0', '0', '0', '-0.005', '18.905', '1018.9', '0'],
    // 1 of 1.99 cost 100.5; 0.5 move along at 50.25; 0.59 are left, that cost 61.245 and are worth 73.75.
    ['main', '2026-02-01', '1018.9', '0', '0', '-100.25', '12', '-0.5', '29.5', '-6.4', '953.25', '0'],
  ])
  expect(result.openBreaks.filter(({ checkName }) => checkName === 'value_bridge')).toEqual([])
})

test('lots that all accounts hold together have one bridge, in which movements between them cancel', async () => {
  await built({ main: [...BOUGHT, ...SPENT], desk: ARRIVED }, { scope: 'universal' })
  expect(await bridge(LINES)).toEqual([
    [null, '2026-01-01', '0', '1000', '0', '0', '0', '0', '-0.005', '18.905', '1018.9', '0'],
    [null, '2026-02-01', '1018.9', '0', '0', '0', '12', '-0.5', '29.5', '5.85', '1065.75', '0'],
  ])
})

test('what goes to or comes from a wallet that no feed reports is a deposit, money and coins alike', async () => {
  const found: Move = { id: '9', coin: 'USDT', type: 'TRANSFER_IN', amount: '70', ts: at('02-12') }
  const result = await built({ main: [...BOUGHT, ...SPENT, found] })
  expect(await bridge(LINES)).toEqual([
    ['main', '2026-01-01', '0', '1000', '0', '0', '0', '0', '-0.005', '18.905', '1018.9', '0'],
    // 70 less 50, and less the 50.25 that the coins cost.
    ['main', '2026-02-01', '1018.9', '0', '-30.25', '0', '12', '-0.5', '29.5', '-6.4', '1023.25', '0'],
  ])
  expect(result.openBreaks.filter(({ checkName }) => checkName === 'value_bridge')).toEqual([])
})

test('margin that is set aside stays within the account, though nothing states where it is', async () => {
  const aside: Move = { id: '3', coin: 'USDT', type: 'INCREASE_MARGIN', amount: '-20', ts: at('01-31') }
  const back: Move = { id: '4', coin: 'USDT', type: 'MARGIN_BACK', amount: '20', ts: at('02-10') }
  await built({ main: [...BOUGHT, aside, back] })
  expect(await bridge('initial_balances, deposits, transfers, difference')).toEqual([
    ['main', '2026-01-01', '1000', '0', '-20', '0'],
    ['main', '2026-02-01', '0', '0', '20', '0'],
  ])
})

test('imported movements of money are transfers if both accounts are known, and deposits if one is', async () => {
  await built({}, {}, [
    row('a', '01-10', 'transfer_in', 'USDT', '500'),
    row('b:1', '02-10', 'transfer_out', 'USDT', '200'),
    row('b:2', '02-10', 'transfer_in', 'USDT', '200', { account: 'cold' }),
    row('c', '02-12', 'transfer_out', 'USDT', '40', { fee: '1', fee_currency: 'USDT' }),
  ])
  expect(await bridge('deposits, transfers, fees, closing_value, difference')).toEqual([
    ['cold', '2026-02-01', '0', '200', '0', '200', '0'],
    ['kraken', '2026-01-01', '500', '0', '0', '500', '0'],
    ['kraken', '2026-02-01', '-40', '-200', '-1', '259', '0'],
  ])
})

test('movements of the reporting currency between the venue and one’s own wallet are transfers, less what the network takes', async () => {
  const sent: Move = { id: '1', coin: 'USDT', type: 'TRANSFER_OUT', amount: '-50', ts: at('02-12') }
  const came: Move = { id: '2', coin: 'USDT', type: 'TRANSFER_IN', amount: '20', ts: at('02-14') }
  await built({ main: [sent, came] }, {}, [
    row('b:1', '02-12', 'transfer_out', 'USDT', '50', { account: 'main' }),
    row('b:2', '02-12', 'transfer_in', 'USDT', '49', { account: 'cold' }),
    row('c:1', '02-14', 'transfer_out', 'USDT', '20.5', { account: 'cold' }),
    row('c:2', '02-14', 'transfer_in', 'USDT', '20', { account: 'main' }),
    // No record of the venue is this one: it lies beside the books of main.
    row('d:1', '02-16', 'transfer_out', 'USDT', '5', { account: 'cold' }),
    row('d:2', '02-16', 'transfer_in', 'USDT', '5', { account: 'main' }),
  ])
  expect(await bridge('initial_balances, deposits, transfers, fees, closing_value, difference')).toEqual([
    ['cold', '2026-02-01', '0', '-5', '29', '-0.5', '23.5', '0'],
    ['main', '2026-02-01', '1000', '0', '-29', '-1', '970', '0'],
  ])
})

test('movements of another fiat currency remain coins at the venue, whose lots come from outside the books', async () => {
  const moves: readonly Move[] = [
    { id: '1', coin: 'EUR', type: 'ORDER_DEALT_IN', amount: '100', ts: at('01-10') },
    { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-110', ts: at('01-10') },
    { id: '3', coin: 'EUR', type: 'TRANSFER_OUT', amount: '-50', ts: at('02-12') },
    { id: '4', coin: 'EUR', type: 'TRANSFER_IN', amount: '20', ts: at('02-14') },
  ]
  await built({ main: moves }, {}, [
    row('b:1', '02-12', 'transfer_out', 'EUR', '50', { account: 'main' }),
    row('b:2', '02-12', 'transfer_in', 'EUR', '49', { account: 'cold' }),
    row('c:1', '02-14', 'transfer_out', 'EUR', '20.5', { account: 'cold' }),
    row('c:2', '02-14', 'transfer_in', 'EUR', '20', { account: 'main' }),
  ])
  expect(
    await books?.query('select kind, coin, quantity, transfer_id from lot_events order by happened_at'),
  ).toEqual([
    ['acquire', 'EUR', '100', null],
    ['transfer_out', 'EUR', '50', null],
    ['acquire', 'EUR', '20', null],
  ])
})

test('a trade for other money that the account holds is no deposit: that money goes or comes', async () => {
  // A euro is worth 1.10 USDT throughout, a bitcoin 110 at the end of January and 125 at the end of February.
  books = await TestBooks.open({ only: ['value_bridge', 'net_worth', 'checks.value_bridge'] })
  await books.insert('imports', {
    imported_at: at('02-28'),
    page_id: '91',
    kind: 'prices',
    file_name: 'p.csv',
  })
  await books.insert('imports', {
    imported_at: at('02-28'),
    page_id: '92',
    kind: 'trades',
    file_name: 't.csv',
  })
  const euros = ['01-09', '01-10', '01-31', '02-10', '02-28'].map((day) => ['EUR', day, '1.1'])
  for (const [number, [asset, day, price]] of [
    ...euros,
    ['BTC', '01-31', '110'],
    ['BTC', '02-28', '125'],
  ].entries())
    await books.insert('imported_prices', {
      ...{ page_id: '91', page_row: String(number), priced_at: `2026-${day} 00:00:00+00`, asset, price },
      ...{ currency: 'USDT', source: 'market' },
    })
  const inEuros = (total: string, fee: string) => ({ currency: 'EUR', total, fee, fee_currency: 'EUR' })
  const imported = [
    row('a', '01-09', 'transfer_in', 'EUR', '1000'),
    row('b', '01-10', 'buy', 'BTC', '2', inEuros('180', '10')),
    row('c', '01-10', 'income', 'EUR', '20'),
    row('d', '02-10', 'sell', 'BTC', '1', inEuros('120', '10')),
  ]
  for (const [number, cells] of imported.entries())
    await books.insert('imported_trades', { page_id: '92', page_row: String(number), ...cells })
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  expect(
    await bridge(
      'deposits, income, realised_gains, unrealised_change, unknown_cost_change, closing_value, difference',
    ),
  ).toEqual([
    // 2 BTC for 190 EUR cost 209 and are worth 220. 1000 EUR came, 190 were paid, 20 earned: what came is 1100.
    ['kraken', '2026-01-01', '0', '22', '0', '11', '1100', '1133', '0'],
    // 110 EUR for one that cost 104.5 are 121. The other is worth 125, 20.5 above its cost, after 11 for both.
    ['kraken', '2026-02-01', '0', '0', '16.5', '9.5', '0', '1159', '0'],
  ])
})

test('what the network takes of a movement is a fee: what is transferred cancels', async () => {
  await built({}, {}, [
    row('a', '01-10', 'gift_in', 'BTC', '2', { currency: 'USDT', total: '160' }),
    row('b:1', '02-10', 'transfer_out', 'BTC', '1'),
    row('b:2', '02-10', 'transfer_in', 'BTC', '0.9', { account: 'cold' }),
  ])
  expect(await bridge(`fees, ${LINES}`)).toEqual([
    ['cold', '2026-02-01', '0', '0', '0', '0', '72', '0', '0', '0', '40.5', '112.5', '0'],
    ['kraken', '2026-01-01', '0', '0', '0', '160', '0', '0', '0', '0', '60', '220', '0'],
    // 0.1 that cost 8 went at 12.
    ['kraken', '2026-02-01', '-12', '220', '0', '0', '-72', '0', '0', '4', '-15', '125', '0'],
  ])
})

test('what goes into the history before the books of an account leaves the books, until they take it over', async () => {
  const came: Move = { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: at('02-12') }
  await built({ main: [came] }, {}, [
    row('a', '01-10', 'gift_in', 'BTC', '1', { currency: 'USDT', total: '80' }),
    row('b:1', '02-10', 'transfer_out', 'BTC', '1'),
    row('b:2', '02-10', 'transfer_in', 'BTC', '1', { account: 'main' }),
  ])
  expect(await bridge('deposits, transfers, closing_value, difference')).toEqual([
    ['kraken', '2026-01-01', '80', '0', '110', '0'],
    ['kraken', '2026-02-01', '-80', '0', '0', '0'],
    ['main', '2026-02-01', '80', '0', '125', '0'],
  ])
})

test('what was held before the first record is an initial balance at the cost known from imports; what comes later is a deposit', async () => {
  const sold: readonly Move[] = [
    { id: '1', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '130', ts: at('02-10') },
    { id: '2', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: at('02-10') },
    { id: '3', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: at('02-12') },
  ]
  const before = (id: string, day: string, type: string, quantity: string, total: string) =>
    row(id, day, type, 'BTC', quantity, { account: 'main', currency: 'USDT', total })
  // The one sold before the books, in their first month, cost 80 as well: its gain is not one of theirs.
  const history = [before('a', '01-10', 'gift_in', '4', '320'), before('b', '02-05', 'sell', '1', '95')]
  await built({ main: sold }, {}, history, { USDT: '1000', BTC: '2' })
  expect(await bridge('initial_balances, deposits, realised_gains, closing_value, difference')).toEqual([
    // 2 that cost 160, and one that came from where it had been for 80.
    ['main', '2026-02-01', '1160', '80', '50', '1380', '0'],
  ])
})

test('money that was owed before the first record is taken off what was held then', async () => {
  const result = await built({
    main: [
      { id: '1', coin: 'USDT', type: 'INTEREST_SETTLEMENT_OUT', amount: '-1', ts: at('01-10') },
      { id: '2', coin: 'USDT', type: 'REPAYMENT', amount: '-50', ts: at('02-10') },
    ],
  })
  expect(await bridge('initial_balances, deposits, interest, closing_value, difference')).toEqual([
    ['main', '2026-01-01', '950', '0', '-1', '949', '0'],
    ['main', '2026-02-01', '0', '0', '0', '949', '0'],
  ])
  expect(result.openBreaks.filter(({ checkName }) => checkName === 'value_bridge')).toEqual([])
})

test('coins that were owed before the first record count at their value, and take the cost of what is repaid', async () => {
  await built({
    main: [
      { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: at('01-10') },
      { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-100', ts: at('01-10') },
      { id: '3', coin: 'BTC', type: 'REPAYMENT', amount: '-1', ts: at('02-10') },
    ],
  })
  expect(
    await bridge(
      'initial_balances, realised_gains, unrealised_change, unknown_cost_change, closing_value, difference',
    ),
  ).toEqual([
    // One bitcoin that cost 100 is worth 110, and one is owed.
    ['main', '2026-01-01', '1000', '0', '10', '-110', '900', '0'],
    // Both go: 110 of debt for coins that cost 100.
    ['main', '2026-02-01', '0', '0', '-10', '10', '900', '0'],
  ])
})

test('values that wallets round separately leave nothing that would count as coins of unknown cost', async () => {
  const dust = { currency: 'USDT', total: '0' }
  await built(
    {},
    { scope: 'universal' },
    [
      row('a', '01-10', 'gift_in', 'BTC', '0.000000000000000005', dust),
      row('b', '01-10', 'gift_in', 'BTC', '0.000000000000000005', { ...dust, account: 'cold' }),
    ],
    {},
    { '01-10': '0.3', '01-31': '0.3' },
  )
  // Twice 1.5 of the last digit, each rounded to 2, and not 3 of both together.
  expect(await bridge('unrealised_change, unknown_cost_change, closing_value, difference')).toEqual([
    [null, '2026-01-01', '0.000000000000000004', '0', '0.000000000000000004', '0'],
  ])
})

const GIVEN = (day: string, more: Cells): readonly Cells[] => [
  row('a', '01-10', 'gift_in', 'BTC', '1', { currency: 'USDT', total: '80' }),
  row('b', day, 'gift_out', 'BTC', '0.5', more),
]
const GIFTS = 'deposits, transfers, realised_gains, unrealised_change, unknown_cost_change, difference'

test('a gift leaves at its value: the gain up to then is what it was worth above its cost', async () => {
  const given = GIVEN('02-12', { currency: 'USDT', total: '70' })
  await built({}, { rules: 'de' }, given)
  expect(await bridge(GIFTS)).toEqual([
    ['kraken', '2026-01-01', '80', '0', '0', '30', '0', '0'],
    // What stays cost 40 and is worth 62.5; what went cost 40 and was worth 70.
    ['kraken', '2026-02-01', '-70', '0', '0', '22.5', '0', '0'],
  ])
})

test('a gift that the rules treat as a sale has its gain among the realised ones', async () => {
  await built({}, { rules: 'ca' }, GIVEN('02-12', { currency: 'USDT', total: '70' }))
  expect(await bridge(GIFTS)).toEqual([
    [null, '2026-01-01', '80', '0', '0', '30', '0', '0'],
    [null, '2026-02-01', '-70', '0', '30', '-7.5', '0', '0'],
  ])
})

test('a gift without a known value leaves at its cost, and one without a known cost at its value', async () => {
  await built({}, { rules: 'de' }, [
    ...GIVEN('01-20', {}),
    row('c', '01-10', 'transfer_in', 'BTC', '1', { account: 'cold' }),
    row('d', '02-12', 'gift_out', 'BTC', '0.5', { account: 'cold', currency: 'USDT', total: '70' }),
  ])
  expect(await bridge(GIFTS)).toEqual([
    ['cold', '2026-01-01', '0', '0', '0', '0', '110', '0'],
    ['cold', '2026-02-01', '-70', '0', '0', '0', '22.5', '0'],
    ['kraken', '2026-01-01', '40', '0', '0', '15', '0', '0'],
    ['kraken', '2026-02-01', '0', '0', '0', '7.5', '0', '0'],
  ])
})

test('a netted fee takes its coins off what was bought, without a gain', async () => {
  await built({ main: BOUGHT }, { feesInKind: 'net' })
  // 1.99 cost 200 and are worth 199 at the end of the books.
  expect(await bridge('realised_gains, unrealised_change, closing_value, difference')).toEqual([
    ['main', '2026-01-01', '0', '-1', '999', '0'],
  ])
})

const WORTH = 'realised_gains, unrealised_change, closing_value, difference'

const SHORT: readonly Move[] = [
  { id: '4', coin: 'BTC', type: 'BORROW', amount: '1', ts: at('01-30') },
  { id: '5', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '115', ts: at('01-31') },
  { id: '6', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: at('01-31') },
  { id: '7', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: at('02-10') },
  { id: '8', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-120', ts: at('02-10') },
  { id: '9', coin: 'BTC', type: 'REPAYMENT', amount: '-1', ts: at('02-28') },
]

test('coins that are owed are deducted from what is held; a sale of them is a gain when it counts', async () => {
  await built({ main: SHORT })
  expect(await bridge(WORTH)).toEqual([
    ['main', '2026-01-01', '0', '5', '1005', '0'],
    ['main', '2026-02-01', '-5', '-5', '995', '0'],
  ])
})

test('a sale of borrowed coins counts already in January under the rules of the United Kingdom, for all accounts', async () => {
  await built({ main: SHORT }, { rules: 'uk' })
  expect(await bridge(WORTH)).toEqual([
    [null, '2026-01-01', '-5', '10', '1005', '0'],
    [null, '2026-02-01', '0', '-10', '995', '0'],
  ])
})

test('what has no known cost has its own line, and is mentioned beside the difference that it leaves', async () => {
  const found: Move = { id: '3', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: at('01-10') }
  const desk: readonly Move[] = [
    { id: '21', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '2', ts: at('01-10') },
    { id: '22', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-180', ts: at('01-10') },
    { id: '23', coin: 'BTC', type: 'A_TYPE_OF_NO_CLASS', amount: '-0.5', ts: at('01-10') },
  ]
  const result = await built({ main: [...BOUGHT, found], desk })
  expect(
    await bridge(
      'deposits, unrealised_change, unknown_cost_change, closing_value, difference, unknown_events',
    ),
  ).toEqual([
    // 1.5 of 2 are left, which cost 135 and are worth 150; what left by a record of no class cost 45.
    ['desk', '2026-01-01', '-45', '15', '0', '-30', '0', '1'],
    // Worth 100 at the end of the books, and nobody knows what it cost.
    ['main', '2026-01-01', '0', '-0.995', '100', '1099', '0', '1'],
  ])
  expect(result.openBreaks.filter(({ checkName }) => checkName === 'value_bridge')).toEqual([])
})

const ETHER = (cost: string): readonly Move[] => [
  { id: '11', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '10', ts: at('01-20') },
  { id: '12', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: `-${cost}`, ts: at('01-20') },
]
const UNPRICED = 'unrealised_change, closing_value, difference, unpriced_coins'

test('a coin without a price has no known value, which is no loss: its cost is what stays open', async () => {
  // By the end of the month the price of one's own purchase no longer counts.
  const later: Move = {
    id: '13',
    coin: 'USDT',
    type: 'INTEREST_SETTLEMENT_OUT',
    amount: '-1',
    ts: at('01-31'),
  }
  const result = await built({ main: [...BOUGHT, ...ETHER('300'), later] })
  expect(await bridge(UNPRICED)).toEqual([['main', '2026-01-01', '18.905', '717.9', '-300', '1']])
  expect(await books?.query('select value from net_worth order by day desc limit 1')).toEqual([['717.9']])
  expect(result.openBreaks.filter(({ checkName }) => checkName === 'value_bridge')).toEqual([])
})

test('if nothing has a price, its value is unknown, as is what the next month began with', async () => {
  await built({
    main: [
      ...ETHER('1000'),
      { id: '13', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '1100', ts: at('02-10') },
      { id: '14', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-10', ts: at('02-10') },
    ],
  })
  expect(await bridge(`opening_value, realised_gains, ${UNPRICED}`)).toEqual([
    ['main', '2026-01-01', '0', '0', '0', null, null, '1'],
    ['main', '2026-02-01', null, '100', '0', '1100', null, '1'],
  ])
})

test('a coin without a price counts once, in however many wallets, at the beginning of the month or at its end', async () => {
  const moved = (id: string, coin: string, way: 'IN' | 'OUT', day: string): Move => ({
    id,
    coin,
    type: `TRANSFER_${way}`,
    amount: way === 'IN' ? '1' : '-1',
    ts: at(day),
  })
  const main = [moved('1', 'ETH', 'IN', '01-20'), moved('2', 'ETH', 'OUT', '02-10')]
  const desk = [moved('21', 'ETH', 'IN', '01-20'), moved('22', 'ETH', 'OUT', '02-11')]
  const later = [moved('3', 'SOL', 'IN', '02-12'), moved('4', 'XRP', 'IN', '02-12')]
  await built({ main: [...main, ...later], desk }, { scope: 'universal' })
  // ETH in January; ETH at the beginning of February, SOL and XRP at its end.
  expect(await bridge('unpriced_coins')).toEqual([
    [null, '2026-01-01', '1'],
    [null, '2026-02-01', '3'],
  ])
})

test('value_bridge: a month that does not close is a warning, unless part of it is unknown', async () => {
  const row = (month: string, difference: string, unknown: string, unpriced: string) => [
    'main',
    `2026-${month}-01`,
    'USDT',
    '100',
    difference,
    unknown,
    unpriced,
  ]
  const planted = {
    'main.value_bridge': {
      columns: `account varchar, month date, currency varchar, closing_value decimal(38, 18),
        difference decimal(38, 18), unknown_events bigint, unpriced_coins bigint`,
      rows: [
        row('01', '0', '0', '0'),
        row('02', '-0.000000000000000001', '0', '0'),
        row('03', '7', '1', '0'),
        row('04', '7', '0', '1'),
        row('08', '-9', '0', '0'),
        row('09', '9', '0', '0'),
        row('11', '5', '0', '0'),
        // In July, something else is wrong as well.
        row('06', '4', '0', '0'),
        row('07', '-3', '0', '0'),
      ],
    },
    // 00:48 of the first of September in London; in November the first of December begins at midnight.
    'main.disposals': {
      columns: 'rules varchar, disposed_at timestamptz',
      rows: [
        ['uk', '2026-08-31 23:48:00+00'],
        ['uk', '2026-06-30 23:48:00+00'],
        ['uk', '2026-11-30 23:48:00+00'],
        ['us', '2026-02-28 23:48:00+00'],
      ],
    },
  }
  const found = await runModel('checks.value_bridge', planted)
  expect(found.toSorted((a, b) => (String(a.evidence) < String(b.evidence) ? -1 : 1))).toEqual([
    expect.objectContaining({
      severity: 'warning',
      account: 'main',
      coin: 'USDT',
      expected: '100.000000000000000001',
      found: '100',
      difference: '-0.000000000000000001',
      evidence: '["2026-02"]',
    }),
    expect.objectContaining({ severity: 'warning', difference: '4', evidence: '["2026-06"]' }),
    expect.objectContaining({ severity: 'warning', difference: '-3', evidence: '["2026-07"]' }),
    expect.objectContaining({ severity: 'notice', difference: '-9', evidence: '["2026-08"]' }),
    expect.objectContaining({ severity: 'notice', difference: '9', evidence: '["2026-09"]' }),
    expect.objectContaining({ severity: 'warning', difference: '5', evidence: '["2026-11"]' }),
  ])
})

test('basis_changes: every sale is taken off once, short ones in their pieces, and none from before the books', async () => {
  const amount = 'decimal(38, 18)'
  const day = (month: string): string => `2026-${month}-10 00:00:00+00`
  const piece = (
    id: string,
    lot: string,
    coin: string,
    quantity: string,
    cost: string,
    denied: string | null,
  ) => ['main', coin, day('01'), quantity, cost, denied, '0', id, lot]
  const event = (
    account: string,
    kind: string,
    id: string,
    coin: string,
    quantity: string,
    value: string | null,
  ) => [account, coin, id, day('01'), kind, quantity, value]
  const disposals = {
    columns: `account varchar, coin varchar, disposed_at timestamptz, quantity ${amount}, cost_basis ${amount},
      denied_loss ${amount}, gain ${amount}, disposal_id varchar, lot_id varchar`,
    rows: [
      piece('b1', 'l0', 'OLD', '1', '3', null),
      piece('b2', 'l0', 'OLD', '1', '3', null),
      piece('b3', 'l0', 'OLD', '1', '3', null),
      piece('s1', 'l1', 'SOLD', '2', '20', '3'),
      piece('sh', 'c1', 'SHORT', '1', '12', null),
      piece('sh', 'c2', 'SHORT', '2', '26', null),
      piece('f2', 'l2', 'FEE', '0.2', '2.5', null),
    ],
  }
  const short_sales = {
    columns: `account varchar, coin varchar, sold_at timestamptz, quantity ${amount}, proceeds ${amount},
      closed_at timestamptz, sale_id varchar, closing_id varchar`,
    rows: [
      ['main', 'SHORT', day('01'), '1', '10', day('02'), 'sh', 'c1'],
      ['main', 'SHORT', day('01'), '2', '20', day('03'), 'sh', 'c2'],
      ['main', 'FEE', day('01'), '0.3', '3', null, 'f3', null],
    ],
  }
  const short = await runModel('staging.short_sale_changes', {
    'main.disposals': disposals,
    'main.short_sales': short_sales,
  })
  const rows = await runModel('staging.basis_changes', {
    'staging.short_sale_changes': {
      columns: `account varchar, coin varchar, occurred_at timestamptz, is_unknown boolean, quantity ${amount}, cost ${amount}`,
      rows: short.map((row) =>
        ['account', 'coin', 'occurred_at', 'is_unknown', 'quantity', 'cost'].map((name) => row[name] ?? null),
      ),
    },
    'main.lot_events': {
      columns: `account varchar, coin varchar, event_id varchar, happened_at timestamptz, kind varchar,
        quantity ${amount}, value ${amount}`,
      rows: [
        event('main/before', 'dispose', 'b1', 'OLD', '1', '4'),
        event('main/before', 'give', 'b2', 'OLD', '1', '4'),
        event('main/before', 'transfer_out', 'b3', 'OLD', '1', '4'),
        event('main', 'dispose', 's1', 'SOLD', '2', '25'),
        event('main', 'dispose', 'sh', 'SHORT', '3', '30'),
        event('main', 'dispose', 'f1', 'FEE', '0.1', '1'),
        event('main', 'dispose', 'f2', 'FEE', '0.2', '2'),
        event('main', 'dispose', 'f3', 'FEE', '0.3', '3'),
      ],
    },
    'staging.counted_lot_events': {
      columns: `account varchar, coin varchar, happened_at timestamptz, kind varchar, quantity ${amount},
        counted_value ${amount}`,
      rows: [
        ['main', 'SHORT', day('02'), 'acquire', '1', '12'],
        ['main', 'SHORT', day('03'), 'acquire', '2', '26'],
        ['main', 'GIFT', day('01'), 'acquire', '5', null],
      ],
    },
    'main.disposals': disposals,
    'main.lot_transfers': {
      columns: `from_account varchar, coin varchar, moved_at timestamptz, cost_basis ${amount}, quantity ${amount}`,
      rows: [],
    },
    'staging.lot_arrivals': {
      columns: `to_account varchar, coin varchar, arrived_at timestamptz, cost_basis ${amount}, quantity ${amount}`,
      rows: [],
    },
    'main.lot_matching': { columns: 'fees_in_kind varchar', rows: [['net']] },
    'main.short_sales': short_sales,
  })
  expect(
    rows
      .map(({ coin, day: on, quantity, cost, unknown_events }) =>
        [coin, on, quantity, cost, unknown_events].join(' '),
      )
      .toSorted(),
  ).toEqual([
    // A fee without a piece at its value, one with a piece at its cost, and one sold short at its proceeds.
    'FEE 2026-01-10 -0.6 -6.5 0',
    'GIFT 2026-01-10 0 0 1',
    // Booked when sold: its proceeds of 30 came and went, and what buying it back cost 38 is taken off.
    'SHORT 2026-01-10 -3 -38 0',
    'SHORT 2026-02-10 1 12 0',
    'SHORT 2026-03-10 2 26 0',
    // The loss that is denied stays in the cost of other coins.
    'SOLD 2026-01-10 -2 -17 0',
  ])
})
