// Orders of a unified account, across spot, margin and futures. Interface document, 4.8 to 4.11.
import { delegateTypes } from '../../models/delegate-types.ts'
import type { RecordType } from '../../models/record.ts'
import { openOrder, order } from '../../models/records.ts'
import { days, defineEndpoint, type Paging } from '../endpoint.ts'
import {
  category,
  fields,
  inOrder,
  listOf,
  millis,
  oneIdAtLeast,
  positive,
  type Report,
  text,
  wholeNumber,
  yesNo,
} from '../params.ts'
import { defaultProfile } from '../profile.ts'

/** One kind of order contains a third party's name, which only the venue profile knows. */
const kinds = [...delegateTypes, defaultProfile.chartSignalDelegateType]

const withKinds = (record: RecordType): RecordType => ({
  ...record,
  fields: { ...record.fields, delegateType: { ...record.fields.delegateType!, values: kinds } },
})

const cursor: Paging = {
  kind: 'cursor',
  param: 'cursor',
  from: 'cursor',
  names: 'page',
  sizeParam: 'limit',
  size: 100,
  sizeMax: 100,
}

/**
 * Cancels an order that is not yet filled; if both ids are given, orderId takes precedence. Interface document, 4.8.
 */
export const cancelOrder = defineEndpoint({
  section: '4.8',
  name: 'trade.cancelOrder',
  method: 'POST',
  path: '/api/v3/trade/cancel-order',
  writes: true,
  permission: 'UTA trade (read & write)',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    { orderId: text.optional(), clientOid: text.optional(), category: category.optional() },
    oneIdAtLeast,
  ),
  rows: 'object',
  idleFields: ({ orderId }) => (orderId === undefined ? [] : ['clientOid']),
  applies: 'unified',
  outcome: 'Look for the order with `tieout call trade.openOrders`; if it is gone, in trade.orderHistory.',
  doc: 'Cancels one unfilled or partially filled order.',
})

type Change = { readonly orderId?: string; readonly clientOid?: string; readonly category?: string }

/** Several symbols may be mixed, but only within one business line, and each order only once. */
function batchRules(value: Readonly<Record<string, unknown>>, report: Report): void {
  const changes = value.orders as readonly Change[]
  // If both ids are given the venue uses orderId. The clientOid beside it still belongs to the same order, so another
  // item may not name that order by it.
  const isAgain = ({ orderId, clientOid }: Change) =>
    changes.filter((other) =>
      orderId === undefined ? other.clientOid === clientOid : other.orderId === orderId,
    ).length > 1
  const twice = changes.find(isAgain)
  if (twice !== undefined) {
    const { orderId, clientOid } = twice
    const id = orderId === undefined ? `clientOid ${clientOid}` : `orderId ${orderId}`
    report('orders', `must name each order once, but ${id} appears twice`)
  }
  const lines = new Set(changes.map((change) => change.category).filter((one) => one !== undefined))
  if (lines.size > 1)
    report('orders', `must stay within one business line, found ${[...lines].join(' and ')}`)
}

/** Changes price or quantity of up to 20 orders; the body is the bare list. Interface document, 4.9. */
export const batchModifyOrders = defineEndpoint({
  section: '4.9',
  name: 'trade.batchModifyOrders',
  method: 'POST',
  path: '/api/v3/trade/batch-modify-order',
  writes: true,
  permission: 'UTA trade (read & write)',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  bodyParam: 'orders',
  params: fields(
    {
      orders: listOf(
        fields(
          {
            orderId: text.optional(),
            clientOid: text.optional(),
            qty: positive.optional(),
            price: positive.optional(),
            autoCancel: yesNo.optional(),
            symbol: text.optional(),
            category: category.optional(),
          },
          oneIdAtLeast,
        ),
        { min: 1, max: 20 },
      ),
    },
    batchRules,
  ),
  itemsMayFail: { param: 'orders', names: ['orderId', 'clientOid'], id: 'orderId' },
  applies: 'unified',
  outcome: 'Compare price and quantity of the orders with `tieout call trade.openOrders`.',
  doc: 'Modifies price or quantity of up to 20 open orders at once.',
})

/** Orders that are unfilled or partially filled. Interface document, 4.10. */
export const openOrders = defineEndpoint({
  section: '4.10',
  name: 'trade.openOrders',
  method: 'GET',
  path: '/api/v3/trade/unfilled-orders',
  permission: 'UTA trade (read)',
  rate: { scope: 'uid', count: 20, perMs: 1_000 },
  params: fields(
    {
      category: category.optional(),
      symbol: text.optional(),
      startTime: millis.optional(),
      endTime: millis.optional(),
      limit: wholeNumber(100).optional(),
      cursor: text.optional(),
    },
    inOrder,
  ),
  item: withKinds(openOrder),
  rows: 'list',
  page: cursor,
  applies: 'unified',
  doc: 'Orders that are open now.',
})

/**
 * Orders of the last 90 days; which of their times the window filters by is not documented. Interface document, 4.11.
 */
export const orderHistory = defineEndpoint({
  section: '4.11',
  name: 'trade.orderHistory',
  method: 'GET',
  path: '/api/v3/trade/history-orders',
  permission: 'UTA trade (read)',
  rate: { scope: 'uid', count: 20, perMs: 1_000 },
  params: fields(
    {
      category,
      symbol: text.optional(),
      startTime: millis.optional(),
      endTime: millis.optional(),
      limit: wholeNumber(100).optional(),
      cursor: text.optional(),
    },
    inOrder,
  ),
  item: withKinds(order),
  rows: 'list',
  page: cursor,
  window: {
    spanMaxMs: days(30),
    retentionMs: days(90),
    time: 'createdTime',
    touches: ['createdTime', 'updatedTime'],
    proves: 'whole',
    lookbackMs: days(7),
  },
  partitions: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'].map((line) => ({
    label: line,
    params: { category: line },
  })),
  unsettled: { field: 'orderStatus', values: ['live', 'new', 'partially_filled'] },
  // Closed orders are listed here, open ones in 4.10: an order may rest for weeks before it closes.
  endsOf: { feed: openOrders.name, partition: 'category' },
  opened: 'product line',
  applies: 'unified',
  doc: 'Orders of the last 90 days, with how and why they ended.',
})
