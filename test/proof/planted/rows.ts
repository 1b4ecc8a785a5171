// Rows of the invented history: one is chosen at random, and others stand in its place. The truth stays as it was.
import type { Feed } from '../../../sandbox/core/feed.ts'
import { money, text } from '../../../sandbox/core/money.ts'
import type { Order } from '../../../sandbox/core/orders.ts'
import type { Random } from '../../../sandbox/core/random.ts'
import type { P2pOrder } from '../../../sandbox/core/records.ts'
import type { Venue } from '../../../sandbox/core/venue.ts'
import type { Day } from './mistake.ts'

export type Chosen<Row> = { readonly feed: Feed<Row>; readonly row: Row }

const RAISE = money('0.01')
export const raised = (amount: string): string => text(money(amount) + RAISE)
export const within = (ts: number, { from, to }: Day): boolean => ts >= from && ts < to
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  BigInt(a.id) < BigInt(b.id) ? -1 : 1

/** Replaces one row by others, which stand at its time; an id of their own places them beside it. */
export function replace<Row>(
  { feed, row }: Chosen<Row>,
  rows: readonly Row[],
  place: (row: Row) => { id: string; ts: number },
): void {
  feed.rewrite((each) => (each === row ? rows.map((one) => ({ ...place(one), row: one })) : undefined))
}

export const ofRecord = ({ id, ts }: { id: string; ts: string }): { id: string; ts: number } => ({
  id,
  ts: Number(ts),
})
export const ofOrder = ({ orderId, createdMs }: Order): { id: string; ts: number } => ({
  id: orderId,
  ts: createdMs,
})
export const ofP2pOrder = ({ orderId, ctime }: P2pOrder): { id: string; ts: number } => ({
  id: orderId,
  ts: Number(ctime),
})

/** The next id that no record or order bears. */
export function nextId({ accounts }: Venue, id: string): string {
  const taken = new Set(
    accounts.flatMap(({ taxRecords, futuresRecords, p2pRecords, orders, p2pOrders }) => [
      ...[...taxRecords.values(), ...futuresRecords.values(), p2pRecords].flatMap((feed) =>
        [...(feed as Iterable<{ readonly id: string }>)].map((row) => row.id),
      ),
      ...[...orders].map(({ orderId }) => orderId),
      ...[...p2pOrders].map(({ orderId }) => orderId),
    ]),
  )
  let next = BigInt(id) + 1n
  while (taken.has(next.toString())) next += 1n
  return next.toString()
}

export function pickFrom<Row>(
  feeds: Iterable<Feed<Row>>,
  random: Random,
  fits: (row: Row) => boolean,
): Chosen<Row> | null {
  const all = [...feeds].flatMap((feed) => [...feed].filter(fits).map((row) => ({ feed, row })))
  return all.length === 0 ? null : random.pick(all)
}
