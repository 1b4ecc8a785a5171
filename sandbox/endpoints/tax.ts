// The tax feeds: unified records, futures records, P2P records. Interface document, 4.19 to 4.21.

import { taxPartition } from '../core/accounts.ts'
import { BUSINESS_LINES, FUTURES_LINES, MARGIN_TYPES, TAX_RETENTION_DAYS } from '../core/lines.ts'
import { spelledFutures, spelledP2p } from '../core/spellings.ts'
import { count, id, oneOf, optional, required, string, time, withDefault } from '../http/params.ts'
import { endpoint, retained } from './endpoint.ts'

const PAGE_MAX = 500

/** The last row's id is the next cursor; the answer itself has none. */
export const taxRecords = endpoint({
  section: '4.19',
  name: 'tax.records',
  method: 'GET',
  path: '/api/v3/tax/records',
  rate: { count: 1, perMs: 1_000, scope: 'uid' },
  permissions: ['tax'],
  isUnifiedOnly: true,
  params: {
    bizType: required(oneOf(BUSINESS_LINES)),
    marginType: withDefault(oneOf(MARGIN_TYPES), 'crossed'),
    coin: optional(string),
    startTime: required(time),
    endTime: required(time),
    limit: withDefault(count(PAGE_MAX), PAGE_MAX),
    cursor: optional(id),
  },
  window: { spanDays: 7, retentionDays: TAX_RETENTION_DAYS },
  paging: { param: 'cursor', rows: null, next: null, id: 'id' },
  handle: ({ venue, account, params, nowMs }) =>
    account.taxRecords.get(taxPartition(params.bizType, params.marginType))!.page({
      way: venue.manners.paging['tax.records'],
      fromMs: retained(TAX_RETENTION_DAYS, nowMs, params.startTime),
      toMs: params.endTime,
      cursor: params.cursor,
      limit: params.limit,
      keep: (row) => params.coin === undefined || row.coin === params.coin,
    }),
})

/** Several public implementers found that 4.20 and 4.21 share one request a second. */
const V2_BUDGET = 'v2-tax'

const v2Page = {
  startTime: required(time),
  endTime: required(time),
  limit: withDefault(count(PAGE_MAX), PAGE_MAX),
  idLessThan: optional(id),
}

export const futuresRecords = endpoint({
  section: '4.20',
  name: 'tax.futuresRecords',
  method: 'GET',
  path: '/api/v2/tax/future-record',
  rate: { count: 1, perMs: 1_000, scope: 'uid' },
  budgetGroup: V2_BUDGET,
  permissions: [],
  params: {
    ...v2Page,
    productType: withDefault(oneOf(FUTURES_LINES), 'USDT-FUTURES'),
    marginCoin: optional(string),
  },
  window: { spanDays: 30, retentionDays: null },
  paging: { param: 'idLessThan', rows: null, next: null, id: 'id' },
  handle: ({ venue, account, params }) =>
    account.futuresRecords
      .get(params.productType)!
      .page({
        way: venue.manners.paging['tax.futuresRecords'],
        fromMs: params.startTime,
        toMs: params.endTime,
        cursor: params.idLessThan,
        limit: params.limit,
        keep: (row) => params.marginCoin === undefined || row.marginCoin === params.marginCoin,
      })
      .map((row) => spelledFutures(row, venue.manners.spelling)),
})

export const p2pRecords = endpoint({
  section: '4.21',
  name: 'tax.p2pRecords',
  method: 'GET',
  path: '/api/v2/tax/p2p-record',
  rate: { count: 1, perMs: 1_000, scope: 'uid' },
  budgetGroup: V2_BUDGET,
  permissions: [],
  params: { ...v2Page, coin: optional(string) },
  window: { spanDays: 30, retentionDays: null },
  paging: { param: 'idLessThan', rows: null, next: null, id: 'id' },
  handle: ({ venue, account, params }) =>
    account.p2pRecords
      .page({
        way: venue.manners.paging['tax.p2pRecords'],
        fromMs: params.startTime,
        toMs: params.endTime,
        cursor: params.idLessThan,
        limit: params.limit,
        keep: (row) => params.coin === undefined || row.coin === params.coin,
      })
      .map((row) => spelledP2p(row, venue.manners.spelling)),
})
