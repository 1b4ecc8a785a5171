// Bursts: many rows of one feed in one millisecond, as a large order leaves them when it is filled in thousands of
// pieces. They are real events like any other, so that the books and the truth include them. The first burst is 36 and
// a half hours before the end of the history, each further one an hour earlier.

import type { Account } from '../core/accounts.ts'
import { HOUR_MS } from '../core/clock.ts'
import type { FeedName } from '../core/lines.ts'
import { CONTRACTS, SPOT_PAIRS } from '../core/market.ts'
import { money, ONE, times } from '../core/money.ts'
import { fillFuturesOrder, orderSide } from '../core/positions.ts'
import { Random } from '../core/random.ts'
import { fillSpotOrder } from '../core/trading.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, activeSpan } from './agenda.ts'
import { advance, listedDeal } from './p2p.ts'

const BEFORE_END_MS = 36.5 * HOUR_MS

interface Scene {
  venue: Venue
  account: Account
  random: Random
  rows: number
  atMs: number
}

const BURSTS: Record<FeedName, { accounts: readonly string[]; happen: (scene: Scene) => void }> = {
  'tax.records': { accounts: ['parent'], happen: tradeSpot },
  'tax.futuresRecords': { accounts: ['parent', 'classic'], happen: tradeFutures },
  'tax.p2pRecords': { accounts: ['parent', 'classic'], happen: dealInP2p },
  'trade.orderHistory': { accounts: ['parent'], happen: cancelOrders },
  'p2p.orders': { accounts: ['parent'], happen: dealInP2p },
}

export function planBursts(agenda: Agenda, venue: Venue): void {
  const { startMs, endMs } = activeSpan(agenda.span)
  for (const [index, { feed, rows }] of venue.manners.bursts.entries()) {
    const atMs = Math.max(startMs, endMs - BEFORE_END_MS - index * HOUR_MS)
    const { accounts, happen } = BURSTS[feed]
    for (const name of accounts) {
      const random = new Random(venue.seed, `burst/${index}/${name}`)
      agenda.at(atMs, () => happen({ venue, account: venue.named(name), random, rows, atMs }))
    }
  }
}

/** More than a fill of the burst can cost in fees. */
const FILL_COST = money('0.05')

/** A position opened in half of the fills and closed in the other half, at one price. */
function tradeFutures({ venue, account, random, rows, atMs }: Scene): void {
  const contract = CONTRACTS.find(({ symbol }) => symbol === 'BTCUSDT')!
  if (venue.balance(account, contract.line, contract.marginCoin) < FILL_COST * BigInt(rows)) {
    throw cannotPay('tax.futuresRecords', account, rows)
  }
  const price = venue.market.contractPrice(contract, atMs)
  const unit = ONE / 10n ** BigInt(contract.quantityPlaces)
  const openings = Array.from({ length: Math.max(1, rows >> 1) }, () => unit * BigInt(random.int(2, 5)))
  const [first, ...others] = openings
  // The same quantity in one more fill makes the number odd.
  const closings = rows % 2 === 0 ? openings : [...others, unit, first! - unit]
  const steps = [
    ['open', openings],
    ['close', closings.slice(0, rows - openings.length)],
  ] as const
  for (const [step, fills] of steps) {
    if (fills.length === 0) continue
    const order = venue.placeOrder(account, {
      category: contract.line,
      symbol: contract.symbol,
      orderType: 'market',
      side: orderSide(step, 'long'),
      price: 0n,
      quantity: fills.reduce((sum, quantity) => sum + quantity, 0n),
      timeInForce: 'ioc',
      positionSide: 'long',
      reduceOnly: step === 'close',
      createdMs: atMs,
    })
    for (const quantity of fills) {
      const fill = { contract, side: 'long', step, quantity, price, leverage: 10 } as const
      fillFuturesOrder(venue, account, order, fill, atMs)
    }
    venue.closeOrder(account, order, atMs)
  }
}

function cannotPay(feed: FeedName, { name }: Account, rows: number): RangeError {
  return new RangeError(
    `burst=${feed}:${rows}: the ${name} account cannot pay for so many fills. Take fewer rows or a longer history.`,
  )
}

/** Alternate purchases and sales, of two rows each; a deposit makes the number odd. */
function tradeSpot({ venue, account, random, rows, atMs }: Scene): void {
  const pair = SPOT_PAIRS.find(({ symbol }) => symbol === 'BTCUSDT')!
  const price = venue.market.spotPrice(pair, atMs)
  for (let fill = 0; fill < Math.floor(rows / 2); fill++) {
    const quantity = pair.minQuantity * BigInt(random.int(10, 40))
    const order = venue.placeOrder(account, {
      category: 'SPOT',
      symbol: pair.symbol,
      orderType: 'market',
      side: fill % 2 === 0 ? 'buy' : 'sell',
      price: 0n,
      quantity,
      amount: times(quantity, price),
      timeInForce: 'ioc',
      createdMs: atMs,
    })
    const isFilled = fillSpotOrder(
      venue,
      account,
      order,
      { pair, quantity, price, payFeeInPlatformCoin: false },
      atMs,
    )
    if (!isFilled) throw cannotPay('tax.records', account, rows)
    venue.closeOrder(account, order, atMs)
  }
  if (rows % 2 === 1) {
    venue.post(account, atMs, { line: 'SPOT', coin: 'USDT', type: 'TRANSFER_IN', amount: money('10') })
  }
}

/** Alternate purchases and sales of coins, with an order each if the account is a merchant. */
function dealInP2p({ venue, account, random, rows, atMs }: Scene): void {
  const amounts = Array.from({ length: Math.ceil(rows / 2) }, () => money(String(random.int(2, 9))))
  for (let deal = 0; deal < rows; deal++) {
    const side = deal % 2 === 0 ? 'buy' : 'sell'
    const quantity = amounts[deal >> 1]!
    if (account.roles.includes('merchant')) {
      const numbers = { orderNo: random.digits(18), advNo: random.digits(18), account: random.digits(10) }
      const terms = {
        side,
        coin: 'USDT',
        fiat: 'USD',
        quantity,
        price: ONE,
        counterparty: 'Lena Okafor',
      } as const
      const order = listedDeal(venue, account, { ...numbers, ...terms }, atMs)
      advance(order, 'Completed', atMs, { paymentTime: String(atMs), releaseTime: String(atMs) })
    }
    venue.postP2p(account, atMs, 'USDT', side, quantity)
  }
}

/** Orders far below the market, withdrawn in the same instant in which they were placed. */
function cancelOrders({ venue, account, random, rows, atMs }: Scene): void {
  const pair = SPOT_PAIRS.find(({ symbol }) => symbol === 'ETHUSDT')!
  for (let count = 0; count < rows; count++) {
    const price = money(String(random.int(100, 900)))
    const quantity = pair.minQuantity * BigInt(random.int(1, 90))
    const order = venue.placeOrder(account, {
      category: 'SPOT',
      symbol: pair.symbol,
      orderType: 'limit',
      side: 'buy',
      price,
      quantity,
      amount: times(quantity, price),
      createdMs: atMs,
    })
    venue.closeOrder(account, order, atMs, 'normal_cancel')
  }
}
