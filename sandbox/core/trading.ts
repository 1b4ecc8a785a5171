// Fills of spot and margin orders. One fill makes three rows in one millisecond, in id order: the coin received, the
// fee if it is paid in the platform coin, the coin paid (published sample of 4.19). Shared by the invented history and
// by orders that arrive through the API.

import type { Account } from './accounts.ts'
import type { MarginType } from './lines.ts'
import { COINS, PLATFORM_COIN, type SpotPair } from './market.ts'
import { cut, money, ONE, per, times } from './money.ts'
import { noteFill, type Order } from './orders.ts'
import type { Venue } from './venue.ts'

const FEE_RATE = money('0.001')
const FEE_RATE_IN_PLATFORM_COIN = money('0.0008')
const PLATFORM_FEE_PLACES = 16

export interface SpotFill {
  pair: SpotPair
  quantity: bigint
  price: bigint
  payFeeInPlatformCoin: boolean
  marginType?: MarginType
}

/** Executes a part of a spot or margin order; false, and nothing moved, if the account cannot pay for it. */
export function fillSpotOrder(
  venue: Venue,
  account: Account,
  order: Order,
  fill: SpotFill,
  atMs: number,
): boolean {
  const { pair, quantity, price, marginType } = fill
  const value = times(quantity, price)
  const buys = order.side === 'buy'
  const received = buys ? { coin: pair.base, amount: quantity } : { coin: pair.quote, amount: value }
  const paid = buys ? { coin: pair.quote, amount: value } : { coin: pair.base, amount: quantity }

  const platformFee = cut(
    per(
      times(times(value, FEE_RATE_IN_PLATFORM_COIN), venue.market.dollarPrice(pair.quote, atMs)),
      venue.market.dollarPrice(PLATFORM_COIN, atMs),
    ),
    PLATFORM_FEE_PLACES,
  )
  const line = order.category === 'MARGIN' ? 'MARGIN' : 'SPOT'
  const inPlatformCoin =
    fill.payFeeInPlatformCoin && venue.balance(account, line, PLATFORM_COIN) >= platformFee + ONE
  const owed = paid.amount + (inPlatformCoin && paid.coin === PLATFORM_COIN ? platformFee : 0n)
  if (quantity <= 0n || venue.balance(account, line, paid.coin) < owed) return false

  const fee = inPlatformCoin
    ? { coin: PLATFORM_COIN, amount: platformFee }
    : { coin: received.coin, amount: cut(times(received.amount, FEE_RATE), COINS[received.coin]!.places) }
  const prefix = marginType === 'isolated' ? 'FIXED_' : ''
  const post = (type: string, coin: string, amount: bigint, feeAmount = 0n): void =>
    venue.post(account, atMs, {
      line,
      ...(marginType === undefined ? {} : { marginType }),
      coin,
      type: prefix + type,
      amount,
      fee: feeAmount,
    })
  post('ORDER_DEALT_IN', received.coin, received.amount, inPlatformCoin ? 0n : -fee.amount)
  if (inPlatformCoin) post('ORDER_PLF_FEE_OUT', PLATFORM_COIN, -fee.amount)
  post('ORDER_DEALT_FROZEN_OUT', paid.coin, -paid.amount)
  noteFill(order, { quantity, value, feeCoin: fee.coin, fee: fee.amount, atMs })
  return true
}
