// Placing a spot order. A market order fills at the walk's last price, a limit order if it crosses it; what does not
// fill rests or is cancelled, depending on its force. Interface document, 4.7.

import type { Account } from '../core/accounts.ts'
import { HOUR_MS } from '../core/clock.ts'
import type { OrderCategory } from '../core/lines.ts'
import { COINS, type SpotPair, spotPair } from '../core/market.ts'
import { available, crosses, match, RESTING_MAX, restingBeside } from '../core/matching.ts'
import { cut, per, times } from '../core/money.ts'
import { type Guard, isOpen, type Order } from '../core/orders.ts'
import type { Venue } from '../core/venue.ts'
import { oneOf, optional, positive, required, string, time, withDefault } from '../http/params.ts'
import { Refusal, refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'

export const STP_MODES = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const
const IDEMPOTENT_MS = 6 * HOUR_MS

export const placeOrder = endpoint({
  section: '4.7',
  name: 'spot.placeOrder',
  method: 'POST',
  path: '/api/v2/spot/trade/place-order',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['spot_trade'],
  writes: true,
  params: {
    symbol: required(string),
    side: required(oneOf(['buy', 'sell'])),
    orderType: required(oneOf(['limit', 'market'])),
    force: optional(oneOf(['gtc', 'post_only', 'fok', 'ioc'])),
    price: optional(positive),
    size: required(positive),
    clientOid: optional(string),
    triggerPrice: optional(positive),
    tpslType: withDefault(oneOf(['normal', 'tpsl']), 'normal'),
    requestTime: optional(time),
    receiveWindow: optional(time),
    stpMode: withDefault(oneOf(STP_MODES), 'none'),
    presetTakeProfitPrice: optional(positive),
    executeTakeProfitPrice: optional(positive),
    presetStopLossPrice: optional(positive),
    executeStopLossPrice: optional(positive),
  },
  handle: ({ venue, account, params, nowMs }) => {
    checkReceived(params, nowMs)
    const pair = spotPair(params.symbol)
    if (pair === undefined) throw refusals.order(`Parameter ${params.symbol} does not exist`)
    const isLimit = params.orderType === 'limit'
    const isPlan = params.tpslType === 'tpsl'
    if (isLimit && params.force === undefined) throw refusals.missing('force')
    if (isLimit && params.price === undefined) throw refusals.missing('price')
    if (isPlan && params.triggerPrice === undefined) throw refusals.missing('triggerPrice')
    if (!isPlan && params.triggerPrice !== undefined)
      throw refusals.wrong('triggerPrice', 'only for a TP/SL order')
    const clientOid = isPlan ? undefined : params.clientOid
    const atMs = venue.writeTimeMs()
    const earlier = clientOid === undefined ? undefined : stillUnfilled(account, clientOid, atMs)
    if (earlier !== undefined) return { orderId: earlier.orderId, clientOid: earlier.clientOid }

    const market = venue.market.spotPrice(pair, atMs)
    const wanted = measure(pair, params, isPlan ? params.triggerPrice! : market)
    checkFunds(venue, account, pair, params.side, wanted)
    if (rests(params, market) && restingBeside(account, 'SPOT') >= RESTING_MAX) {
      throw new Refusal('43005', `Exceed the maximum number of orders: ${RESTING_MAX}`)
    }
    const order = venue.placeOrder(account, {
      category: 'SPOT' satisfies OrderCategory,
      symbol: pair.symbol,
      orderType: params.orderType,
      side: params.side,
      ...wanted,
      ...(clientOid === undefined ? {} : { clientOid }),
      // A market order ignores force: it fills or is cancelled.
      timeInForce: isLimit ? params.force! : 'ioc',
      stpMode: params.stpMode,
      ...guardsOf(params),
      ...(isPlan ? { delegateType: isLimit ? 'plan_limit' : 'plan_market' } : {}),
      createdMs: atMs,
    })
    settle(venue, account, order, market, atMs)
    return { orderId: order.orderId, clientOid: order.clientOid }
  },
})

/** The presets of an order: what triggers them, and the execution price if that is not the market's. */
function guardsOf(params: {
  presetTakeProfitPrice: bigint | undefined
  executeTakeProfitPrice: bigint | undefined
  presetStopLossPrice: bigint | undefined
  executeStopLossPrice: bigint | undefined
}): Pick<Partial<Order>, 'takeProfit' | 'stopLoss'> {
  const guard = (trigger: bigint, limit: bigint | undefined): Guard =>
    limit === undefined ? { trigger } : { trigger, limit }
  const { presetTakeProfitPrice: profit, presetStopLossPrice: loss } = params
  return {
    ...(profit === undefined ? {} : { takeProfit: guard(profit, params.executeTakeProfitPrice) }),
    ...(loss === undefined ? {} : { stopLoss: guard(loss, params.executeStopLossPrice) }),
  }
}

function checkReceived(
  params: { requestTime: number | undefined; receiveWindow: number | undefined },
  nowMs: number,
): void {
  const { requestTime, receiveWindow } = params
  if (receiveWindow === undefined) return
  if (requestTime === undefined) throw refusals.missing('requestTime')
  if (Math.abs(nowMs - requestTime) > receiveWindow) {
    throw new Refusal('40008', 'Request timestamp expired: received outside receiveWindow')
  }
}

/** The order that a repeated clientOid refers to: placed within the last six hours, and without a fill. */
function stillUnfilled(account: Account, clientOid: string, atMs: number): Order | undefined {
  return account.orders.find(
    (order) =>
      order.clientOid === clientOid &&
      isOpen(order) &&
      order.executedQuantity === 0n &&
      order.createdMs > atMs - IDEMPOTENT_MS,
  )
}

/** Size is in base coins, except for a market buy, which states what it will spend. */
function measure(
  pair: SpotPair,
  params: { side: string; orderType: string; size: bigint; price: bigint | undefined },
  market: bigint,
): Pick<Order, 'price' | 'quantity' | 'amount'> {
  const price = params.orderType === 'limit' ? params.price! : 0n
  checkPlaces('price', price, pair.pricePlaces)
  const spends = params.orderType === 'market' && params.side === 'buy'
  checkPlaces('size', params.size, spends ? COINS[pair.quote]!.places : pair.quantityPlaces)
  const quantity = spends ? cut(per(params.size, market), pair.quantityPlaces) : params.size
  if (quantity < pair.minQuantity) {
    throw new Refusal('45110', `less than the minimum amount of ${pair.symbol}`)
  }
  return { price, quantity, amount: spends ? params.size : times(quantity, price === 0n ? market : price) }
}

export function checkPlaces(name: string, value: bigint, places: number): void {
  if (cut(value, places) !== value) throw refusals.wrong(name, `has more than ${places} decimals`)
}

function checkFunds(
  venue: Venue,
  account: Account,
  pair: SpotPair,
  side: 'buy' | 'sell',
  wanted: Pick<Order, 'quantity' | 'amount'>,
): void {
  const paid =
    side === 'buy'
      ? { coin: pair.quote, amount: wanted.amount }
      : { coin: pair.base, amount: wanted.quantity }
  if (available(venue, { account, wallet: 'spot' }, paid.coin) < paid.amount) {
    throw refusals.balance(paid.coin)
  }
}

const UNFILLED_REASON = {
  ioc: 'ioc_not_full_cancel',
  fok: 'fok_not_full_cancel',
  gtc: '',
  post_only: '',
  rpi: '',
} as const

/** Whether an order stays open: one that waits for its trigger, or a limit order that neither fills nor is cancelled. */
function rests(
  params: {
    orderType: 'limit' | 'market'
    side: 'buy' | 'sell'
    force: keyof typeof UNFILLED_REASON | undefined
    price: bigint | undefined
    tpslType: 'normal' | 'tpsl'
  },
  market: bigint,
): boolean {
  const { orderType, side, force, price, tpslType } = params
  if (tpslType === 'tpsl') return true
  if (orderType === 'market' || UNFILLED_REASON[force!] !== '') return false
  return !crosses({ orderType, side, price: price! }, market)
}

/** What happens to an order immediately: a fill, a cancellation because of its force, or rest. */
function settle(venue: Venue, account: Account, order: Order, market: bigint, atMs: number): void {
  const isPlan = order.delegateType.startsWith('plan_')
  if (isPlan) return
  if (order.timeInForce === 'post_only' && crosses(order, market)) {
    venue.closeOrder(account, order, atMs, 'post_only_fill_cancel')
    return
  }
  match(venue, account, order, atMs)
  if (isOpen(order) && UNFILLED_REASON[order.timeInForce] !== '') {
    venue.closeOrder(account, order, atMs, UNFILLED_REASON[order.timeInForce])
  }
}
