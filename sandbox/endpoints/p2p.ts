// What a merchant can read about itself: its details, and its orders. Interface document, 4.22 and 4.23.

import { DAY_MS } from '../core/clock.ts'
import { smallest } from '../core/ids.ts'
import { cut, ONE, text } from '../core/money.ts'
import { P2P_STATUSES, type P2pOrder } from '../core/records.ts'
import { count, id, oneOf, optional, string, time, withDefault } from '../http/params.ts'
import { endpoint } from './endpoint.ts'

const PAGE_DEFAULT = 100

/** The document gives no maximum for `limit`; a missing time bound leaves that side open. */
export const orders = endpoint({
  section: '4.23',
  name: 'p2p.orders',
  method: 'GET',
  path: '/api/v2/p2p/orderList',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  onlyFor: { roles: ['merchant'], code: '60039' },
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
  paging: { param: 'idLessThan', rows: 'orderList', next: 'minOrderId', isNext: 'smallest', id: 'orderId' },
  handle: ({ venue, account, params }) => {
    const orderList = account.p2pOrders.page({
      way: venue.manners.paging['p2p.orders'],
      fromMs: params.startTime,
      toMs: params.endTime,
      cursor: params.idLessThan,
      limit: params.limit,
      keep: (order) =>
        (['status', 'advNo', 'side', 'coin', 'fiat', 'orderNo'] as const).every(
          (name) => params[name] === undefined || params[name] === order[name],
        ),
    })
    return { orderList, minOrderId: smallest(orderList.map(({ orderId }) => orderId)) }
  },
})

const NEWEST_DAYS = 30

/** The venue derives a merchant's record from its orders. */
export const merchant = endpoint({
  section: '4.22',
  name: 'p2p.merchant',
  method: 'GET',
  path: '/api/v2/p2p/merchantInfo',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  onlyFor: { roles: ['merchant'], code: '60039' },
  params: {},
  handle: ({ venue, account, nowMs }) => {
    const all = [...account.p2pOrders]
    const recent = all.filter(({ ctime }) => Number(ctime) >= nowMs - NEWEST_DAYS * DAY_MS)
    const [ever, lately] = [summarise(all), summarise(recent)]
    return {
      registerTime: String(venue.startMs),
      nickName: 'Sample Merchant',
      merchantId: `M${account.uid}`,
      kycStatus: true,
      emailBindStatus: true,
      mobileBindStatus: true,
      email: 'de***@sandbox.example',
      mobile: '000****00',
      avgPaymentTime: '7',
      avgReleaseTime: '11',
      totalTrades: ever.trades,
      totalBuy: ever.buys,
      totalSell: ever.sells,
      totalCompletionRate: ever.completionRate,
      trades30d: lately.trades,
      sell30d: lately.sells,
      buy30d: lately.buys,
      completionRate30d: lately.completionRate,
    }
  },
})

function summarise(all: P2pOrder[]): Record<'trades' | 'buys' | 'sells' | 'completionRate', string> {
  const completed = all.filter(({ status }) => status === 'Completed')
  const share = all.length === 0 ? 0n : (BigInt(completed.length) * ONE) / BigInt(all.length)
  return {
    trades: String(completed.length),
    buys: String(completed.filter(({ side }) => side === 'buy').length),
    sells: String(completed.filter(({ side }) => side === 'sell').length),
    completionRate: text(cut(share, 4)),
  }
}
