// Reading orders of the unified account: closed ones of the last 90 days. Interface document, 4.11 and part 3.

import { ORDER_CATEGORIES, ORDER_RETENTION_DAYS } from '../core/lines.ts'
import { historyOrderRow, isOpen } from '../core/orders.ts'
import { count, id, oneOf, optional, required, string, time, withDefault } from '../http/params.ts'
import { endpoint, retained } from './endpoint.ts'

const PAGE_MAX = 100

/** Times are those of creation. An absent bound leaves that side open. */
export const orderHistory = endpoint({
  section: '4.11',
  name: 'trade.orderHistory',
  method: 'GET',
  path: '/api/v3/trade/history-orders',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_trade', 'spot_trade', 'margin_trade', 'contract_order'],
  isUnifiedOnly: true,
  params: {
    category: required(oneOf(ORDER_CATEGORIES)),
    symbol: optional(string),
    startTime: optional(time),
    endTime: optional(time),
    limit: withDefault(count(PAGE_MAX), PAGE_MAX),
    cursor: optional(id),
  },
  window: { spanDays: 30, retentionDays: ORDER_RETENTION_DAYS },
  paging: { param: 'cursor', rows: 'list', next: 'cursor', id: 'orderId' },
  handle: ({ account, params, nowMs }) => {
    const page = account.orders.page({
      fromMs: retained(ORDER_RETENTION_DAYS, nowMs, params.startTime),
      toMs: params.endTime,
      beforeId: params.cursor,
      limit: params.limit,
      keep: (order) =>
        !isOpen(order) &&
        order.category === params.category &&
        (params.symbol === undefined || order.symbol === params.symbol),
    })
    return { list: page.map(historyOrderRow), cursor: page.at(-1)?.orderId ?? '' }
  },
})
