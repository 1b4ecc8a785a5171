// Orders of the unified account: their life from live to filled or cancelled, and how 4.10 and 4.11 show them.
// Quantities are exact; the average price is the executed value over the executed quantity, truncated to the price's
// decimals. Interface document, 2.3 and part 3.

import type { MarginType, OrderCategory, Side } from './lines.ts'
import { cut, per, text } from './money.ts'

export type OrderStatus = 'live' | 'new' | 'partially_filled' | 'filled' | 'cancelled'

/** A price that closes what an order opens: at the market, or at a limit if there is one. */
export interface Guard {
  trigger: bigint
  limit?: bigint
}

export interface Order {
  orderId: string
  clientOid: string
  category: OrderCategory
  symbol: string
  orderType: 'limit' | 'market'
  side: 'buy' | 'sell'
  /** 0 for a market order. */
  price: bigint
  quantity: bigint
  /** Value in the quote coin that a spot or margin order asks for; 0 for futures. */
  amount: bigint
  executedQuantity: bigint
  executedValue: bigint
  timeInForce: 'ioc' | 'fok' | 'gtc' | 'post_only' | 'rpi'
  status: OrderStatus
  positionSide: Side | null
  holdMode: 'one_way_mode' | 'hedge_mode'
  delegateType: string
  reduceOnly: boolean
  stpMode: string
  marginMode: MarginType
  takeProfit?: Guard
  stopLoss?: Guard
  /** Positive when paid: the opposite sign of the tax records. */
  fees: Map<string, bigint>
  cancelReason: string
  execType: 'normal' | 'offset' | 'reduce' | 'liquidation' | 'delivery'
  createdMs: number
  updatedMs: number
  /** Consecutive modifications since the last fill. */
  modifications: number
}

export type OrderDraft = Pick<
  Order,
  | 'orderId'
  | 'clientOid'
  | 'category'
  | 'symbol'
  | 'orderType'
  | 'side'
  | 'price'
  | 'quantity'
  | 'createdMs'
  | 'holdMode'
> &
  Partial<Order>

export function newOrder(draft: OrderDraft): Order {
  return {
    amount: 0n,
    executedQuantity: 0n,
    executedValue: 0n,
    timeInForce: 'gtc',
    status: 'live',
    positionSide: null,
    delegateType: draft.orderType === 'market' ? 'market' : 'normal',
    reduceOnly: false,
    stpMode: 'none',
    marginMode: 'crossed',
    fees: new Map(),
    cancelReason: '',
    execType: 'normal',
    updatedMs: draft.createdMs,
    modifications: 0,
    ...draft,
  }
}

export function isOpen(order: Order): boolean {
  return order.status === 'live' || order.status === 'new' || order.status === 'partially_filled'
}

export function isFutures(order: Order): boolean {
  return order.category !== 'SPOT' && order.category !== 'MARGIN'
}

export interface Fill {
  quantity: bigint
  value: bigint
  feeCoin: string
  /** Positive when paid. */
  fee: bigint
  atMs: number
}

export function noteFill(order: Order, { quantity, value, feeCoin, fee, atMs }: Fill): void {
  order.executedQuantity += quantity
  order.executedValue += value
  order.fees.set(feeCoin, (order.fees.get(feeCoin) ?? 0n) + fee)
  order.status = order.executedQuantity >= order.quantity ? 'filled' : 'partially_filled'
  order.updatedMs = atMs
  order.modifications = 0
}

const AVERAGE_PLACES = 8

/** An order as 4.10 lists it. Spot and margin orders have no position side and no hold mode, spot no margin mode. */
export function openOrderRow(order: Order): Record<string, unknown> {
  const average =
    order.executedQuantity === 0n ? 0n : cut(per(order.executedValue, order.executedQuantity), AVERAGE_PLACES)
  return {
    orderId: order.orderId,
    clientOid: order.clientOid,
    category: order.category,
    symbol: order.symbol,
    orderType: order.orderType,
    side: order.side,
    price: text(order.price),
    qty: text(order.quantity),
    amount: text(order.amount),
    cumExecQty: text(order.executedQuantity),
    cumExecValue: text(order.executedValue),
    avgPrice: text(average),
    timeInForce: order.timeInForce,
    orderStatus: order.status,
    ...(isFutures(order) ? { posSide: order.positionSide, holdMode: order.holdMode } : {}),
    delegateType: order.delegateType,
    reduceOnly: order.reduceOnly ? 'YES' : 'NO',
    stpMode: order.stpMode,
    ...fieldsOfToday(order),
    // As published: an open order without a fee has one detail of nulls.
    feeDetail: order.fees.size === 0 && isOpen(order) ? [{ feeCoin: null, fee: null }] : feeDetail(order),
    createdTime: String(order.createdMs),
    updatedTime: String(order.updatedMs),
  }
}

/** What the venue sends today beyond the document. */
function fieldsOfToday(order: Order): Record<string, string | null> {
  const { takeProfit, stopLoss } = order
  const [tp, sl] = [guardFields(takeProfit), guardFields(stopLoss)]
  const trades = order.reduceOnly ? 'close' : 'open'
  return {
    takeProfit: tp.trigger,
    stopLoss: sl.trigger,
    tpTriggerBy: tp.triggerBy,
    slTriggerBy: sl.triggerBy,
    tpOrderType: tp.orderType,
    slOrderType: sl.orderType,
    tpLimitPrice: tp.limitPrice,
    slLimitPrice: sl.limitPrice,
    ...(order.category === 'SPOT' ? {} : { marginMode: order.marginMode }),
    ...(isFutures(order) ? { tradeSide: order.holdMode === 'hedge_mode' ? trades : null } : {}),
  }
}

function guardFields(
  guard: Guard | undefined,
): Record<'trigger' | 'triggerBy' | 'orderType' | 'limitPrice', string | null> {
  if (guard === undefined) return { trigger: null, triggerBy: null, orderType: null, limitPrice: null }
  const { trigger, limit } = guard
  return {
    trigger: text(trigger),
    triggerBy: 'market',
    orderType: limit === undefined ? 'market' : 'limit',
    limitPrice: limit === undefined ? null : text(limit),
  }
}

function feeDetail({ fees }: Order): { feeCoin: string; fee: string }[] {
  return [...fees].map(([feeCoin, fee]) => ({ feeCoin, fee: text(fee) }))
}

/** An order as 4.11 lists it. */
export function historyOrderRow(order: Order): Record<string, unknown> {
  const { createdTime, updatedTime, ...row } = openOrderRow(order)
  return { ...row, cancelReason: order.cancelReason, execType: order.execType, createdTime, updatedTime }
}
