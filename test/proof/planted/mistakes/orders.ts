// Mistakes in the orders of the spot market and of futures.
import { money } from '../../../../sandbox/core/money.ts'
import type { Order } from '../../../../sandbox/core/orders.ts'
import { type Day, expect, type Mistake } from '../mistake.ts'
import { nextId, ofOrder, pickFrom, replace, within } from '../rows.ts'

const isFilled = (day: Day, isWanted: (order: Order) => boolean) => (order: Order) =>
  within(order.createdMs, day) &&
  within(order.updatedMs, day) &&
  order.executedQuantity > 0n &&
  isWanted(order)

const isSpot = ({ category }: Order): boolean => category === 'SPOT'
const isFutures = ({ category, execType }: Order): boolean =>
  category.endsWith('FUTURES') && execType !== 'liquidation'

export const orderMistakes: readonly Mistake[] = [
  {
    name: 'an order is dropped',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      replace(found, [], ofOrder)
      return { ...expect('orders_vs_tax', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'an order reports a wrong value',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      replace(found, [{ ...found.row, executedValue: found.row.executedValue + money('1') }], ofOrder)
      return { ...expect('orders_vs_tax', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'a fee of an order has the wrong sign',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      const fees = new Map([...found.row.fees].map(([coin, fee]) => [coin, -fee]))
      replace(found, [{ ...found.row, fees }], ofOrder)
      return { ...expect('order_fees', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'a futures order is repeated under another id',
    account: 'parent',
    plant: (venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isFutures))
      if (found === null) return null
      replace(found, [found.row, { ...found.row, orderId: nextId(venue, found.row.orderId) }], ofOrder)
      return { ...expect('order_fees', account), names: [found.row.symbol] }
    },
  },
]

/** Of a position that ends before the history does and that the venue does not liquidate: XRP is left to gambles. */
const isOfClosed = (order: Order): boolean => order.category === 'USDT-FUTURES' && order.symbol !== 'XRPUSDT'

export const futuresOrderMistakes: readonly Mistake[] = [
  {
    name: 'a futures order reports a wrong value',
    account: 'parent',
    isAlone: true,
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isOfClosed))
      if (found === null) return null
      replace(found, [{ ...found.row, executedValue: found.row.executedValue + money('5') }], ofOrder)
      return { ...expect('orders_vs_futures', account), names: [found.row.symbol] }
    },
  },
]
