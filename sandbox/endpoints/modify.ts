// Modifying several orders at once. What the document calls a request error refuses the whole batch before anything
// changes. An error in a single item fails only that item, which then has a code and a message of its own and an empty
// orderId (the document does not show that shape; it was recorded from the v2 endpoint). Interface document, 4.9 and
// part 3.

import type { Account } from '../core/accounts.ts'
import { ORDER_CATEGORIES } from '../core/lines.ts'
import { available, frozenBy, match, placesOf } from '../core/matching.ts'
import { times } from '../core/money.ts'
import { isFutures, isOpen, type Order } from '../core/orders.ts'
import type { Venue } from '../core/venue.ts'
import { id, oneOf, optional, positive, readAll, string, type Values, withDefault } from '../http/params.ts'
import { Refusal, refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'
import { findOrder } from './orders.ts'
import { checkPlaces } from './spot.ts'

const BATCH_MAX = 20
const CONSECUTIVE_MAX = 5

const itemShape = {
  orderId: optional(id),
  clientOid: optional(string),
  qty: optional(positive),
  price: optional(positive),
  autoCancel: withDefault(oneOf(['yes', 'no']), 'no'),
  symbol: optional(string),
  category: optional(oneOf(ORDER_CATEGORIES)),
}
type Item = Values<typeof itemShape>

export const batchModifyOrders = endpoint({
  section: '4.9',
  name: 'trade.batchModifyOrders',
  method: 'POST',
  path: '/api/v3/trade/batch-modify-order',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_trade', 'spot_trade', 'margin_trade', 'contract_order'],
  writes: true,
  isUnifiedOnly: true,
  params: {},
  handle: ({ venue, account, body }) => {
    const batch = readBatch(body).map((item) => ({ item, order: locate(account, item) }))
    checkBatch(batch)
    return batch.map(({ item, order }) => modify(venue, account, item, order))
  },
})

function readBatch(body: unknown): Item[] {
  if (!Array.isArray(body)) throw refusals.body('the body must be an array of orders')
  if (body.length === 0 || body.length > BATCH_MAX) {
    throw refusals.body(`from 1 to ${BATCH_MAX} orders a batch`)
  }
  return body.map((raw: unknown) => {
    if (typeof raw !== 'object' || raw === null) throw refusals.body('each order must be an object')
    return readAll(itemShape, raw as Record<string, unknown>)
  })
}

/** The order of an item; a missing id is an error of the request, an unknown one of the item. */
function locate(account: Account, item: Item): Order | undefined {
  if (item.orderId === undefined && item.clientOid === undefined) {
    throw refusals.missing('orderId or clientOid')
  }
  try {
    return findOrder(account, item)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function checkBatch(batch: { item: Item; order: Order | undefined }[]): void {
  const ids = batch.map(({ item, order }) => order?.orderId ?? item.orderId ?? `clientOid ${item.clientOid}`)
  if (new Set(ids).size !== ids.length) throw refusals.body('an order may appear once in a batch')
  const lines = new Set(batch.flatMap(({ item, order }) => order?.category ?? item.category ?? []))
  if (lines.size > 1) throw refusals.body('a batch may hold orders of one business line only')
  if (batch.some(({ order }) => order?.reduceOnly)) {
    throw refusals.body('a reduce-only order cannot be modified')
  }
}

function modify(
  venue: Venue,
  account: Account,
  item: Item,
  order: Order | undefined,
): Record<string, string> {
  const atMs = venue.writeTimeMs()
  try {
    if (order === undefined) throw new Refusal('43001', 'The order does not exist')
    apply(venue, account, item, order, atMs)
    return { orderId: order.orderId, clientOid: order.clientOid }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (item.autoCancel === 'yes' && order !== undefined && isOpen(order)) {
      venue.closeOrder(account, order, atMs, 'modify_limit_order')
    }
    return { orderId: '', clientOid: item.clientOid ?? '', code: error.code, msg: error.message }
  }
}

function apply(venue: Venue, account: Account, item: Item, order: Order, atMs: number): void {
  if (!isOpen(order)) throw new Refusal('43001', 'The order is closed')
  if (item.symbol !== undefined && item.symbol !== order.symbol) throw refusals.wrong('symbol', 'is another')
  if (item.category !== undefined && item.category !== order.category) {
    throw refusals.wrong('category', 'is another')
  }
  if (item.qty === undefined && item.price === undefined) throw refusals.missing('qty or price')
  if (order.modifications >= CONSECUTIVE_MAX) {
    throw refusals.order(`more than ${CONSECUTIVE_MAX} consecutive modifications`)
  }
  const quantity = item.qty ?? order.quantity
  const price = item.price ?? order.price
  const { quantityPlaces, pricePlaces } = placesOf(order)
  checkPlaces('qty', quantity, quantityPlaces)
  checkPlaces('price', price, pricePlaces)
  if (quantity < order.executedQuantity) {
    throw refusals.wrong('qty', 'is lower than the quantity already filled')
  }
  if (!isFutures(order)) checkFunds(venue, account, order, { ...order, quantity, price })

  order.quantity = quantity
  order.price = price
  if (!isFutures(order)) order.amount = times(quantity, price)
  order.modifications++
  order.updatedMs = atMs
  if (order.executedQuantity === quantity) {
    order.status = 'filled'
    venue.closeOrder(account, order, atMs)
  } else {
    match(venue, account, order, atMs)
  }
}

/** The modified order may use what the original order had frozen. */
function checkFunds(venue: Venue, account: Account, order: Order, modified: Order): void {
  const needed = frozenBy(modified)
  const free = available(venue, { account, wallet: 'spot' }, needed.coin, order)
  if (free < needed.amount) throw refusals.balance(needed.coin)
}
