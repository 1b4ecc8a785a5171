// A merchant's P2P business: the merchant's details, and the orders. Interface document, 4.22 and 4.23.
import { merchant } from '../../models/people.ts'
import { p2pOrder } from '../../models/records.ts'
import { days, defineEndpoint } from '../endpoint.ts'
import { fields, inOrder, millis, oneOf, side, text, wholeNumber } from '../params.ts'

const ROLE = 'a P2P merchant'

/** The merchant and the state of the business. Interface document, 4.22. */
export const merchantInfo = defineEndpoint({
  section: '4.22',
  name: 'p2p.merchant',
  method: 'GET',
  path: '/api/v2/p2p/merchantInfo',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields({}),
  item: merchant,
  rows: 'object',
  role: ROLE,
  doc: 'The P2P merchant that the account is, with numbers of trades and completion rates.',
})

/** P2P orders; minOrderId of an answer is the next idLessThan. Interface document, 4.23. */
export const p2pOrders = defineEndpoint({
  section: '4.23',
  name: 'p2p.orders',
  method: 'GET',
  path: '/api/v2/p2p/orderList',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      startTime: millis.optional(),
      endTime: millis.optional(),
      idLessThan: text.optional(),
      limit: wholeNumber().optional(),
      status: oneOf('pending_pay', 'Paid', 'Appeal', 'Completed', 'cancelled').optional(),
      advNo: text.optional(),
      side: side.optional(),
      coin: text.optional(),
      language: oneOf('zh-CN', 'en-US').optional(),
      fiat: text.optional(),
      orderNo: text.optional(),
    },
    inOrder,
  ),
  item: p2pOrder,
  rows: 'orderList',
  page: {
    kind: 'cursor',
    param: 'idLessThan',
    from: 'minOrderId',
    names: 'row',
    sizeParam: 'limit',
    size: 100,
    sizeMax: null,
  },
  window: {
    spanMaxMs: days(90),
    retentionMs: null,
    retentionAssumedMs: days(730),
    time: 'cTime',
    touches: ['cTime', 'uTime'],
    proves: 'whole',
    lookbackMs: days(7),
  },
  unsettled: { field: 'status', values: ['pending_pay', 'Paid', 'Appeal'] },
  role: ROLE,
  doc: 'P2P orders of a merchant, with their fiat side and the parties.',
})
