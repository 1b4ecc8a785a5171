// Spot trading as it happens: limit and market orders in several fills, some cancelled before or after a partial fill,
// some still resting when the history ends. An account buys more if it holds much money, and sells if it holds little.

import type { Account } from '../core/accounts.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../core/clock.ts'
import { SPOT_PAIRS, type SpotPair } from '../core/market.ts'
import { cut, least, money, per, times } from '../core/money.ts'
import type { Order } from '../core/orders.ts'
import { Random } from '../core/random.ts'
import { fillSpotOrder } from '../core/trading.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, activeSpan, busySpells, occasions } from './agenda.ts'
import { cancelReason, limitForce } from './rarities.ts'

export interface SpotHabit {
  ordersPerWeek: number
  ordersPerBusySpell: number
  /** Dollars of one order, lowest and highest. */
  orderSize: readonly [string, string]
}

type Fate = 'filled' | 'cancelled' | 'cancelled in part'

export function planSpot(agenda: Agenda, venue: Venue, account: Account, habit: SpotHabit): void {
  const random = new Random(venue.seed, `spot/${account.name}`)
  const span = activeSpan(agenda.span)
  for (const atMs of occasions(random, span, habit.ordersPerWeek)) {
    planOrder(agenda, venue, account, random, habit, atMs)
  }
  for (const spell of habit.ordersPerBusySpell > 0 ? busySpells(agenda.span) : []) {
    for (let count = 0; count < habit.ordersPerBusySpell; count++) {
      planOrder(agenda, venue, account, random, habit, random.int(spell.startMs, spell.endMs))
    }
  }
  planRestingOrders(agenda, venue, account, random, habit)
}

function planOrder(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  random: Random,
  habit: SpotHabit,
  atMs: number,
): void {
  const isLimit = random.chance(0.65)
  const draw = random.int(1, 100)
  const fate: Fate = !isLimit || draw <= 86 ? 'filled' : draw <= 93 ? 'cancelled' : 'cancelled in part'
  const parts = random.pick([1, 1, 1, 1, 1, 1, 2, 2, 3, 4])
  const payFeeInPlatformCoin = random.chance(0.6)
  let order: Order | undefined
  let pair: SpotPair

  agenda.at(atMs, () => {
    pair = random.pick(SPOT_PAIRS)
    const price = venue.market.spotPrice(pair, atMs)
    const wanted = intend(venue, account, random, habit, pair, price, atMs)
    if (wanted === undefined) return
    order = venue.placeOrder(account, {
      category: 'SPOT',
      symbol: pair.symbol,
      orderType: isLimit ? 'limit' : 'market',
      side: wanted.side,
      price: isLimit ? price : 0n,
      quantity: wanted.quantity,
      amount: times(wanted.quantity, price),
      timeInForce: isLimit ? limitForce(venue, account, atMs) : 'ioc',
      createdMs: atMs,
    })
  })

  let fillMs = atMs + (isLimit ? random.int(SECOND_MS, 3 * HOUR_MS) : random.int(2, 40))
  const fills = fate === 'cancelled' ? 0 : fate === 'filled' ? parts : 1
  for (let part = 1; part <= fills; part++) {
    agenda.at(fillMs, (nowMs) => {
      if (order === undefined) return
      const left = order.quantity - order.executedQuantity
      const isLast = fate === 'filled' && part === parts
      const share = cut(order.quantity / BigInt(fate === 'filled' ? parts : 3), pair.quantityPlaces)
      const price = isLimit ? order.price : venue.market.spotPrice(pair, nowMs)
      const quantity = isLast ? left : least(share, left)
      fillSpotOrder(venue, account, order, { pair, quantity, price, payFeeInPlatformCoin }, nowMs)
    })
    // Every fifth fill shares its millisecond with the one before.
    if (part < fills) fillMs += random.chance(0.2) ? 0 : random.int(1, 1500)
  }
  const endMs = fate === 'filled' ? fillMs : fillMs + random.int(SECOND_MS, 6 * HOUR_MS)
  agenda.at(endMs, () => {
    if (order !== undefined) venue.closeOrder(account, order, endMs, cancelReason(venue, account, endMs))
  })
}

/** What an account would trade now, or nothing if it cannot afford a sensible order. */
function intend(
  venue: Venue,
  account: Account,
  random: Random,
  habit: SpotHabit,
  pair: SpotPair,
  price: bigint,
  atMs: number,
): { side: 'buy' | 'sell'; quantity: bigint } | undefined {
  const inDollars = (coin: string): bigint =>
    times(venue.balance(account, 'SPOT', coin), venue.market.dollarPrice(coin, atMs))
  const [low, high] = [money(habit.orderSize[0]), money(habit.orderSize[1])]
  const [baseWorth, quoteWorth] = [inDollars(pair.base), inDollars(pair.quote)]
  // Draw before deciding, so that the stream does not depend on balances.
  const worth = random.amount(low, high)
  const leansToBuy = random.chance(quoteWorth > baseWorth * 2n ? 0.75 : 0.4)
  const reserve = high * 4n
  const side =
    quoteWorth < reserve
      ? 'sell'
      : baseWorth < worth
        ? 'buy'
        : leansToBuy
          ? ('buy' as const)
          : ('sell' as const)
  if ((side === 'sell' ? baseWorth : quoteWorth - reserve) < worth) return undefined
  const quantity = cut(
    per(per(worth, venue.market.dollarPrice(pair.quote, atMs)), price),
    pair.quantityPlaces,
  )
  return quantity < pair.minQuantity ? undefined : { side, quantity }
}

/** Orders far from the market that are still open at the end of the history, one of them partially filled. */
function planRestingOrders(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  random: Random,
  habit: SpotHabit,
): void {
  const { startMs, endMs } = activeSpan(agenda.span)
  for (let count = 0; count < 4; count++) {
    const atMs = Math.max(startMs, endMs - random.int(HOUR_MS, 3 * DAY_MS))
    const pair = SPOT_PAIRS[count % 3]!
    const isFilledInPart = count === 0
    let order: Order | undefined
    agenda.at(atMs, () => {
      const market = venue.market.spotPrice(pair, atMs)
      const price = isFilledInPart ? market : cut((market * 8n) / 10n, pair.pricePlaces)
      const quantity = cut(per(money(habit.orderSize[0]), price), pair.quantityPlaces)
      if (quantity < pair.minQuantity) return
      order = venue.placeOrder(account, {
        category: 'SPOT',
        symbol: pair.symbol,
        orderType: 'limit',
        side: 'buy',
        price,
        quantity,
        amount: times(quantity, price),
        createdMs: atMs,
      })
    })
    if (isFilledInPart) {
      agenda.at(Math.min(atMs + HOUR_MS, endMs), (fillMs) => {
        if (order === undefined) return
        const quantity = cut(order.quantity / 3n, pair.quantityPlaces)
        const fill = { pair, quantity, price: order.price, payFeeInPlatformCoin: false }
        fillSpotOrder(venue, account, order, fill, fillMs)
      })
    }
  }
}
