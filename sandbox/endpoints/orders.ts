// Orders of the unified account, across spot, margin and futures: cancel one, modify several, list the open and the
// closed ones. Interface document, 4.8 to 4.11 and part 3.

import type { Account } from '../core/accounts.ts'
import { ORDER_CATEGORIES, ORDER_RETENTION_DAYS } from '../core/lines.ts'
import { historyOrderRow, isOpen, type Order, openOrderRow } from '../core/orders.ts'
import type { Way } from '../core/paging.ts'
import { count, id, oneOf, optional, required, string, time, withDefault } from '../http/params.ts'
import { Refusal, refusals } from '../http/refusals.ts'
import { endpoint, retained } from './endpoint.ts'

const PAGE_MAX = 100
const TRADE_PERMISSIONS = ['uta_trade', 'spot_trade', 'margin_trade', 'contract_order'] as const

const category = oneOf(ORDER_CATEGORIES)

export const cancelOrder = endpoint({
  section: '4.8',
  name: 'trade.cancelOrder',
  method: 'POST',
  path: '/api/v3/trade/cancel-order',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: TRADE_PERMISSIONS,
  writes: true,
  isUnifiedOnly: true,
  params: { orderId: optional(id), clientOid: optional(string), category: optional(category) },
  handle: ({ venue, account, params }) => {
    const order = findOrder(account, params)
    if (params.category !== undefined && params.category !== order.category) throw noSuchOrder()
    if (!isOpen(order)) throw new Refusal('43004', 'There is no order to cancel')
    venue.closeOrder(account, order, venue.writeTimeMs(), 'normal_cancel')
    return { orderId: order.orderId, clientOid: order.clientOid }
  },
})

const noSuchOrder = (): Refusal => new Refusal('43001', 'The order does not exist')

/** One of the two ids is needed; orderId takes precedence. */
export function findOrder(
  account: Account,
  { orderId, clientOid }: { orderId?: string | undefined; clientOid?: string | undefined },
): Order {
  if (orderId === undefined && clientOid === undefined) throw refusals.missing('orderId or clientOid')
  const order = account.orders.find((candidate) =>
    orderId === undefined ? candidate.clientOid === clientOid : candidate.orderId === orderId,
  )
  if (order === undefined) throw noSuchOrder()
  return order
}

const listing = {
  symbol: optional(string),
  startTime: optional(time),
  endTime: optional(time),
  limit: withDefault(count(PAGE_MAX), PAGE_MAX),
  cursor: optional(id),
}

/** The document gives no span; an end before the start is refused all the same. */
export const openOrders = endpoint({
  section: '4.10',
  name: 'trade.openOrders',
  method: 'GET',
  path: '/api/v3/trade/unfilled-orders',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: TRADE_PERMISSIONS,
  isUnifiedOnly: true,
  params: { ...listing, category: optional(category) },
  window: { spanDays: Number.POSITIVE_INFINITY, retentionDays: null },
  paging: { param: 'cursor', rows: 'list', next: 'cursor', id: 'orderId' },
  handle: ({ venue, account, params }) =>
    page(account, venue.manners.paging['trade.openOrders'], params, params.startTime, isOpen, openOrderRow),
})

/** Times are those of creation. A missing bound leaves that side open. */
export const orderHistory = endpoint({
  section: '4.11',
  name: 'trade.orderHistory',
  method: 'GET',
  path: '/api/v3/trade/history-orders',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: TRADE_PERMISSIONS,
  isUnifiedOnly: true,
  params: { ...listing, category: required(category) },
  window: { spanDays: 30, retentionDays: ORDER_RETENTION_DAYS },
  paging: { param: 'cursor', rows: 'list', next: 'cursor', id: 'orderId' },
  handle: ({ venue, account, params, nowMs }) => {
    const oldestMs = retained(ORDER_RETENTION_DAYS, nowMs, params.startTime)
    const way = venue.manners.paging['trade.orderHistory']
    return page(account, way, params, oldestMs, (order) => !isOpen(order), historyOrderRow)
  },
})

interface Listing {
  category: Order['category'] | undefined
  symbol: string | undefined
  endTime: number | undefined
  limit: number
  cursor: string | undefined
}

function page(
  account: Account,
  way: Way,
  { category, symbol, endTime, limit, cursor }: Listing,
  fromMs: number | undefined,
  isListed: (order: Order) => boolean,
  row: (order: Order) => Record<string, unknown>,
): { list: Record<string, unknown>[]; cursor: string } {
  const orders = account.orders.page({
    way,
    fromMs,
    toMs: endTime,
    cursor,
    limit,
    keep: (order) =>
      isListed(order) &&
      (category === undefined || order.category === category) &&
      (symbol === undefined || order.symbol === symbol),
  })
  return { list: orders.map(row), cursor: orders.at(-1)?.orderId ?? '' }
}
