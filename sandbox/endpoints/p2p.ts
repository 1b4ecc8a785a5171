// What a merchant can read of itself: its orders. Interface document, 4.23.

import { P2P_STATUSES } from '../core/records.ts'
import { count, id, oneOf, optional, string, time, withDefault } from '../http/params.ts'
import { endpoint } from './endpoint.ts'

const PAGE_DEFAULT = 100

/** The document gives no maximum of `limit`; an absent bound in time leaves that side open. */
export const orders = endpoint({
  section: '4.23',
  name: 'p2p.orders',
  method: 'GET',
  path: '/api/v2/p2p/orderList',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  roles: ['merchant'],
  params: {
    startTime: optional(time),
    endTime: optional(time),
    idLessThan: optional(id),
    limit: withDefault(count(Number.MAX_SAFE_INTEGER), PAGE_DEFAULT),
    status: optional(oneOf(P2P_STATUSES)),
    advNo: optional(string),
    side: optional(oneOf(['buy', 'sell'])),
    coin: optional(string),
    language: optional(oneOf(['zh-CN', 'en-US'])),
    fiat: optional(string),
    orderNo: optional(string),
  },
  window: { spanDays: 90, retentionDays: null },
  paging: { param: 'idLessThan', rows: 'orderList', next: 'minOrderId', id: 'orderId' },
  handle: ({ account, params }) => {
    const orderList = account.p2pOrders.page({
      fromMs: params.startTime,
      toMs: params.endTime,
      beforeId: params.idLessThan,
      limit: params.limit,
      keep: (order) =>
        (['status', 'advNo', 'side', 'coin', 'fiat', 'orderNo'] as const).every(
          (name) => params[name] === undefined || params[name] === order[name],
        ),
    })
    return { orderList, minOrderId: orderList.at(-1)?.orderId ?? '' }
  },
})
