// Which orders yield to imported fills, held to a comparison of every order with every fill in exact arithmetic.
import { expect, test } from 'vitest'
import { runModel } from '../support/one-model.ts'

/** Amounts in units of the 18th decimal. */
type Amount = bigint

const ONE = 10n ** 18n
/** The largest amount that a column of amounts holds. */
const LARGEST = 10n ** 38n - 1n

interface Order {
  readonly account: string
  readonly id: string
  readonly category: string
  readonly symbol: string
  readonly side: string
  readonly quantity: Amount
  /** Unix microseconds. */
  readonly began: number | null
  readonly ended: number | null
  readonly isCurrent: boolean
}

interface Fill {
  readonly account: string
  readonly asset: string
  readonly currency: string | null
  readonly type: string
  readonly quantity: Amount
  readonly at: number
}

const START_US = Date.parse('2026-03-01T00:00:00Z') * 1_000
const SECOND_US = 1_000_000

const timeOf = (us: number | null): string | null =>
  us === null
    ? null
    : `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, 23).replace('T', ' ')}${String(us % 1_000).padStart(3, '0')}+00`

const amountOf = (amount: Amount): string => `${amount / ONE}.${String(amount % ONE).padStart(18, '0')}`

const COINS: Readonly<Record<string, readonly [string, string]>> = {
  BTCUSDT: ['BTC', 'USDT'],
  ETHUSDT: ['ETH', 'USDT'],
  ETHBTC: ['ETH', 'BTC'],
}

const planted = (orders: readonly Order[], fills: readonly Fill[]) => ({
  'main.orders': {
    columns: `account varchar, order_id varchar, category varchar, symbol varchar, side varchar, cum_exec_qty decimal(38, 18),
      cum_exec_value decimal(38, 18), created_time timestamptz, updated_time timestamptz, is_current boolean`,
    rows: orders.map((order) => [
      ...[order.account, order.id, order.category, order.symbol, order.side, amountOf(order.quantity), '1'],
      ...[timeOf(order.began), timeOf(order.ended), String(order.isCurrent)],
    ]),
  },
  'main.order_fee_details': {
    columns: 'account varchar, order_id varchar, fee_coin varchar, fee decimal(38, 18), is_current boolean',
    rows: [],
  },
  'main.imported_trades': {
    columns:
      'account varchar, asset varchar, currency varchar, type varchar, quantity decimal(38, 18), occurred_at timestamptz',
    rows: fills.map((fill) => [
      ...[fill.account, fill.asset, fill.currency, fill.type, amountOf(fill.quantity), timeOf(fill.at)],
    ]),
  },
  'staging.tax_books': { columns: 'account varchar', rows: [['taxed']] },
  'staging.record_pages': {
    columns: 'feed varchar, account varchar',
    rows: orders.map(({ account }) => ['trade.orderHistory', account]),
  },
  'staging.symbol_coins': {
    columns: 'symbol varchar, base varchar, quote varchar',
    rows: Object.entries(COINS).map(([symbol, coins]) => [symbol, ...coins]),
  },
})

const second = (us: number): number => Math.floor(us / SECOND_US)

/** The fills that an order owns: the rule as a person would apply it. */
function ownFills({ account, symbol, side, began, ended }: Order, fills: readonly Fill[]): Fill[] {
  const [base, quote] = COINS[symbol] ?? []
  const last = ended ?? began
  const first = began ?? last
  if (first === null || last === null) return []
  return fills.filter(
    (fill) =>
      fill.account === account &&
      fill.asset === base &&
      fill.currency === quote &&
      fill.type === side.toLowerCase() &&
      second(fill.at) >= second(first) &&
      second(fill.at) <= second(last),
  )
}

const isListed = (order: Order): boolean =>
  order.isCurrent &&
  ['SPOT', 'MARGIN'].includes(order.category.toUpperCase()) &&
  order.account !== 'taxed' &&
  order.symbol in COINS &&
  order.quantity > 0n

/** Every order against every fill. */
const byHand = (orders: readonly Order[], fills: readonly Fill[]): string[] =>
  orders
    .filter(isListed)
    .filter(
      (order) => ownFills(order, fills).reduce((sum, { quantity }) => sum + quantity, 0n) < order.quantity,
    )
    .map(({ account, id }) => `${account} ${id}`)
    .sort()

async function found(orders: readonly Order[], fills: readonly Fill[]): Promise<string[]> {
  const rows = await runModel('staging.order_trades', planted(orders, fills))
  return rows.map(({ account, order_id }) => `${account} ${order_id}`).sort()
}

/** A generator of the numbers from 0 on, below what is asked. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const WORLDS = 300

interface World {
  readonly orders: readonly Order[]
  readonly fills: readonly Fill[]
}

/**
 * Books of an account each: instants shared, within one second or some apart, quantities from a few that add up to each
 * other, and orders that are often exactly what their fills add up to, or one unit of the last decimal more or less.
 */
function worldsOf(seed: number, quantities: readonly Amount[]): World {
  const draw = numbersFrom(seed)
  const one = <T>(values: readonly T[]): T => values[draw(values.length)] as T
  const [orders, fills]: [Order[], Fill[]] = [[], []]
  for (let world = 0; world < WORLDS; world++) {
    const account = world % 20 === 19 ? 'taxed' : `a${world}`
    const step = [1, 300_000, SECOND_US, 7 * SECOND_US][world % 4] as number
    const time = (): number => START_US + draw(12) * step + (draw(3) === 0 ? 0 : draw(2) * (SECOND_US - 1))
    const own = Array.from({ length: draw(14) }, (): Fill => {
      const [asset, currency] = one(Object.values(COINS))
      return {
        ...{
          account,
          asset,
          currency: draw(12) === 0 ? null : currency,
          type: one(['buy', 'sell', 'buy', 'gift_in']),
        },
        ...{ quantity: one(quantities), at: time() },
      }
    })
    fills.push(...own)
    for (let at = 0; at < 1 + draw(8); at++) {
      const drawn: Order = {
        ...{
          account,
          id: `${world}-${at}`,
          category: one(['SPOT', 'spot', 'MARGIN', 'SPOT', 'USDT-FUTURES']),
        },
        ...{ symbol: one([...Object.keys(COINS), 'BTCUSDT', 'XUSDT']), side: one(['buy', 'BUY', 'Sell']) },
        ...{ quantity: draw(15) === 0 ? 0n : one(quantities), isCurrent: draw(15) > 0 },
        ...{ began: draw(8) === 0 ? null : time(), ended: draw(8) === 0 ? null : time() },
      }
      const sum = ownFills(drawn, own).reduce((total, { quantity }) => total + quantity, 0n)
      const wanted = sum + BigInt(draw(3)) - 1n
      const isFitted = draw(3) > 0 && sum > 0n && wanted > 0n && wanted <= LARGEST
      orders.push(isFitted ? { ...drawn, quantity: wanted } : drawn)
    }
  }
  return { orders, fills }
}

const yielding = ({ orders, fills }: World): number =>
  orders.filter(isListed).length - byHand(orders, fills).length

test.each([
  ['amounts of a few decimals', [ONE, 2n * ONE, ONE / 2n, (3n * ONE) / 2n]],
  ['amounts to the 18th decimal', [1n, 2n, ONE - 1n, ONE + 1n, ONE / 3n, 2n * ONE - 1n]],
  [
    'the largest amounts, whose sum no amount holds',
    [LARGEST, LARGEST - 1n, 1n, LARGEST / 2n, LARGEST - ONE],
  ],
])('orders and their fills, as a comparison of all of them finds them: %s', async (_what, quantities) => {
  const world = worldsOf(quantities.length, quantities)
  expect(yielding(world)).toBeGreaterThan(50)
  expect(byHand(world.orders, world.fills).length).toBeGreaterThan(200)
  expect(await found(world.orders, world.fills)).toEqual(byHand(world.orders, world.fills))
})

test('an order late in a market that has long come to more than an amount can hold', async () => {
  const market = { account: 'a', asset: 'BTC', currency: 'USDT', type: 'buy' }
  const fills = Array.from(
    { length: 500 },
    (_, at): Fill => ({
      ...market,
      ...{ quantity: LARGEST, at: START_US + at * SECOND_US },
    }),
  )
  const late = START_US + 10_000 * SECOND_US
  const order = (id: string, quantity: Amount): Order => ({
    ...{ account: 'a', id, category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', quantity },
    ...{ began: late, ended: late + SECOND_US, isCurrent: true },
  })
  const own = { ...market, quantity: ONE / 2n, at: late + 5 }
  expect(await found([order('filled', ONE / 2n), order('open', ONE / 2n + 1n)], [...fills, own])).toEqual([
    'a open',
  ])
})
