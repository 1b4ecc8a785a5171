// Incoming orders meet the market at the walk's last price: an order that crosses it is filled at that price, any other
// rests. What resting orders will pay is frozen and cannot be spent twice. Interface document, 4.7 to 4.10.

import type { Account } from './accounts.ts'
import type { OrderCategory, Side } from './lines.ts'
import { CONTRACTS, type Contract, spotPair } from './market.ts'
import { least, times } from './money.ts'
import { isFutures, isOpen, type Order } from './orders.ts'
import { fillFuturesOrder, findPosition } from './positions.ts'
import { fillSpotOrder } from './trading.ts'
import { type Place, walletBalance } from './transfers.ts'
import type { Venue } from './venue.ts'

/** Futures of all lines together, spot and margin together (part 8). */
export const RESTING_MAX = 400
const LEVERAGE = 10

export function openOrders(account: Account): Order[] {
  return [...account.orders].filter(isOpen)
}

/** How many orders of the same kind of line already rest. */
export function restingBeside(account: Account, category: OrderCategory): number {
  const futures = category !== 'SPOT' && category !== 'MARGIN'
  return openOrders(account).filter((order) => isFutures(order) === futures).length
}

/** What a resting spot or margin order still has to pay, and in which coin. */
export function frozenBy(order: Order): { coin: string; amount: bigint } {
  const pair = spotPair(order.symbol)!
  const left = order.quantity - order.executedQuantity
  return order.side === 'sell'
    ? { coin: pair.base, amount: left }
    : { coin: pair.quote, amount: times(left, order.price) }
}

/** How much of a wallet's balance can be spent or moved, or could be without one of its orders. */
export function available(venue: Venue, place: Place, coin: string, without?: Order): bigint {
  const balance = walletBalance(venue, place, coin)
  const sharesBalance = place.account.kind === 'unified' ? place.wallet !== 'p2p' : place.wallet === 'spot'
  if (!sharesBalance) return balance
  const frozen = openOrders(place.account)
    .filter((order) => order !== without && !isFutures(order))
    .map(frozenBy)
    .filter((part) => part.coin === coin)
    .reduce((sum, { amount }) => sum + amount, 0n)
  return balance > frozen ? balance - frozen : 0n
}

/** A pair and a contract may have the same symbol: the order's line shows which is meant. */
export function placesOf(order: Order): { pricePlaces: number; quantityPlaces: number } {
  return isFutures(order) ? contractOf(order) : spotPair(order.symbol)!
}

function contractOf(order: Order): Contract {
  return CONTRACTS.find(({ symbol }) => symbol === order.symbol)!
}

function marketPrice(venue: Venue, order: Order, atMs: number): bigint {
  return isFutures(order)
    ? venue.market.contractPrice(contractOf(order), atMs)
    : venue.market.spotPrice(spotPair(order.symbol)!, atMs)
}

/** Whether an order would trade immediately at the market's price. */
export function crosses(order: Pick<Order, 'orderType' | 'side' | 'price'>, price: bigint): boolean {
  if (order.orderType === 'market') return true
  return order.side === 'buy' ? order.price >= price : order.price <= price
}

/** Matches an open order with the market: a crossing order is filled completely, and a filled order is finished. */
export function match(venue: Venue, account: Account, order: Order, atMs: number): void {
  const price = marketPrice(venue, order, atMs)
  if (awaitsTrigger(order) || !crosses(order, price)) return
  const quantity = order.quantity - order.executedQuantity
  if (!isFutures(order)) {
    const pair = spotPair(order.symbol)!
    fillSpotOrder(venue, account, order, { pair, quantity, price, payFeeInPlatformCoin: true }, atMs)
  } else {
    const contract = contractOf(order)
    const side: Side = order.positionSide ?? (order.side === 'buy' ? 'long' : 'short')
    const held = findPosition(account, contract, side)?.quantity ?? 0n
    const step = order.reduceOnly ? 'close' : 'open'
    const filled = step === 'close' ? least(quantity, held) : quantity
    if (filled > 0n) {
      fillFuturesOrder(
        venue,
        account,
        order,
        { contract, side, step, quantity: filled, price, leverage: LEVERAGE },
        atMs,
      )
    }
  }
  if (!isOpen(order)) venue.closeOrder(account, order, atMs)
}

/** A take-profit or stop-loss order waits for its trigger; the market stands still, so it keeps waiting. */
function awaitsTrigger(order: Order): boolean {
  return order.delegateType === 'plan_limit' || order.delegateType === 'plan_market'
}
