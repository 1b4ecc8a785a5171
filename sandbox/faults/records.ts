// Damage to what the feeds return, never to the truth: one record lost, returned twice, or returned wrongly. It affects
// the first account that has the feed, and only records that this kind of damage changes.

import type { Account } from '../core/accounts.ts'
import { DAY_MS } from '../core/clock.ts'
import type { Feed } from '../core/feed.ts'
import { type FeedName, RETENTION_DAYS } from '../core/lines.ts'
import { cut, money, ONE, text } from '../core/money.ts'
import { isOpen, type Order } from '../core/orders.ts'
import type { FuturesRecord, P2pOrder, P2pRecord, TaxRecord } from '../core/records.ts'
import type { Venue } from '../core/venue.ts'
import type { Faults, RecordFaultKind } from './options.ts'

/** What the faults need to know about a kind of row; a change that has no effect returns the row itself. */
interface Craft<Row> {
  id: (row: Row) => string
  ts: (row: Row) => number
  isAnswered?: (row: Row) => boolean
  withId: (row: Row, id: string) => Row
  change: (row: Row) => Row
  renameType: (row: Row) => Row
  flipFee: (row: Row) => Row
}

const UNHEARD_OF = 'SOMETHING_UNHEARD_OF'
const raised = (amount: string): string => text(money(amount) + ONE / 100n)
const flipped = (fee: string): string => text(-money(fee))
const same = <Row>(row: Row): Row => row

const taxCraft: Craft<TaxRecord> = {
  id: ({ id }) => id,
  ts: ({ ts }) => Number(ts),
  withId: (row, id) => ({ ...row, id }),
  change: (row) => ({ ...row, amount: raised(row.amount) }),
  renameType: (row) => ({ ...row, type: UNHEARD_OF }),
  flipFee: (row) => (row.fee === '0' ? row : { ...row, fee: flipped(row.fee) }),
}

const futuresCraft: Craft<FuturesRecord> = {
  id: ({ id }) => id,
  ts: ({ ts }) => Number(ts),
  withId: (row, id) => ({ ...row, id }),
  change: (row) => ({ ...row, amount: raised(row.amount) }),
  renameType: (row) => ({ ...row, futureTaxType: UNHEARD_OF }),
  flipFee: (row) => (row.fee === '0' ? row : { ...row, fee: flipped(row.fee) }),
}

const p2pCraft: Craft<P2pRecord> = {
  id: ({ id }) => id,
  ts: ({ ts }) => Number(ts),
  withId: (row, id) => ({ ...row, id }),
  change: (row) => ({ ...row, balance: raised(row.balance) }),
  renameType: (row) => ({ ...row, p2pTaxType: UNHEARD_OF.toLowerCase() as P2pRecord['p2pTaxType'] }),
  flipFee: same,
}

const orderCraft: Craft<Order> = {
  id: ({ orderId }) => orderId,
  ts: ({ createdMs }) => createdMs,
  isAnswered: (order) => !isOpen(order),
  withId: (order, orderId) => ({ ...order, orderId }),
  change: (order) => ({ ...order, executedValue: cut(order.executedValue, 8) + ONE / 100n }),
  renameType: (order) => ({ ...order, delegateType: UNHEARD_OF.toLowerCase() }),
  flipFee: (order) =>
    order.fees.size === 0
      ? order
      : { ...order, fees: new Map([...order.fees].map(([coin, fee]) => [coin, -fee])) },
}

const p2pOrderCraft: Craft<P2pOrder> = {
  id: ({ orderId }) => orderId,
  ts: ({ ctime }) => Number(ctime),
  withId: (order, orderId) => ({ ...order, orderId }),
  change: (order) => ({ ...order, amount: raised(order.amount) }),
  renameType: (order) => ({ ...order, status: UNHEARD_OF.toLowerCase() as P2pOrder['status'] }),
  flipFee: same,
}

/**
 * By feed: where its rows are, and what the faults need to know about them. A feed that is missing here does not
 * compile.
 */
const damages: Record<FeedName, (account: Account) => Damageable> = {
  'tax.records': ({ taxRecords }) => damageable([...taxRecords.values()], taxCraft),
  'tax.futuresRecords': ({ futuresRecords }) => damageable([...futuresRecords.values()], futuresCraft),
  'tax.p2pRecords': ({ p2pRecords }) => damageable([p2pRecords], p2pCraft),
  'trade.orderHistory': ({ kind, orders }) => damageable(kind === 'unified' ? [orders] : [], orderCraft),
  'p2p.orders': ({ p2pOrders }) => damageable([p2pOrders], p2pOrderCraft),
}

interface Damageable {
  isEmpty: boolean
  suffer: (damage: Damage) => void
}

const damageable = <Row>(feeds: Feed<Row>[], craft: Craft<Row>): Damageable => ({
  isEmpty: feeds.every((rows) => rows[Symbol.iterator]().next().done === true),
  suffer: (damage) => damageRows(damage, feeds, craft),
})

export function damageRecords(venue: Venue, records: Faults['records']): void {
  for (const { kind, feed, place } of records) {
    const held = venue.accounts.map(damages[feed]).find(({ isEmpty }) => !isEmpty)
    held?.suffer({ venue, kind, feed, place })
  }
}

interface Damage {
  venue: Venue
  kind: RecordFaultKind
  feed: FeedName
  place: number
}

function damageRows<Row>({ venue, kind, feed, place }: Damage, feeds: Feed<Row>[], craft: Craft<Row>): void {
  const altered = (row: Row): Row => {
    if (kind === 'change') return craft.change(row)
    if (kind === 'rename-type') return craft.renameType(row)
    return kind === 'flip-fee' ? craft.flipFee(row) : row
  }
  const makesDifference = (row: Row): boolean => kind === 'drop' || kind === 'double' || altered(row) !== row
  const days = RETENTION_DAYS[feed]
  const oldestMs = days === null ? 0 : venue.endMs - days * DAY_MS
  const candidates = feeds
    .flatMap((rows) => [...rows])
    .filter((row) => craft.ts(row) >= oldestMs && (craft.isAnswered?.(row) ?? true) && makesDifference(row))
    .sort((a, b) => craft.ts(a) - craft.ts(b) || (BigInt(craft.id(a)) < BigInt(craft.id(b)) ? -1 : 1))
  const victim = candidates[place - 1]
  if (victim === undefined) {
    throw new RangeError(`${kind}=${feed}:${place}: the feed holds ${candidates.length} such records.`)
  }
  const placed = (row: Row): { id: string; ts: number; row: Row } => ({
    id: craft.id(row),
    ts: craft.ts(row),
    row,
  })
  for (const rows of feeds) {
    rows.rewrite((row) => {
      if (row !== victim) return undefined
      if (kind === 'drop') return []
      if (kind !== 'double') return [placed(altered(row))]
      return [placed(row), placed(craft.withId(row, freeIdAfter(venue, craft.id(row))))]
    })
  }
}

/** The next id that nothing in the sandbox has, so that a doubled record is next to its original. */
function freeIdAfter(venue: Venue, id: string): string {
  const taken = new Set<string>()
  for (const account of venue.accounts) {
    for (const feed of [
      ...account.taxRecords.values(),
      ...account.futuresRecords.values(),
      account.p2pRecords,
    ]) {
      for (const row of feed as Iterable<{ id: string }>) taken.add(row.id)
    }
    for (const feed of [account.orders, account.p2pOrders]) {
      for (const { orderId } of feed as Iterable<{ orderId: string }>) taken.add(orderId)
    }
  }
  let next = BigInt(id) + 1n
  while (taken.has(next.toString())) next++
  return next.toString()
}
