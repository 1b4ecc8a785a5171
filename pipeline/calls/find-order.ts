// Finds an order by the client's own id when the answer to placing it was lost. Looks first among the open orders, then
// in the history since it was sent, so that an order filled in between is not missed. Interface document, 4.7, 4.10,
// 4.11.

import { days, type Endpoint, type Params } from '../../connectors/endpoint.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { lastMark, textOf } from '../../connectors/envelope.ts'
import {
  breaksOff,
  brokenList,
  endlessList,
  extractPage,
  firstPage,
  type Place,
  turnPage,
  watchPages,
} from '../../connectors/pages.ts'
import type { AccountClient, Venue } from '../../connectors/venue.ts'
import { isObject } from '../../models/rows.ts'

export interface PlacedOrder {
  readonly clientOid: string
  readonly symbol: string
  /** When it was about to be sent, in Unix milliseconds of this machine. */
  readonly sentAt: number
}

export interface FoundOrder {
  readonly feed: string
  readonly orderId: string
  readonly status: string
  /**
   * The order found was placed earlier and is not, or need not be, the one looked for: which of them it is cannot be
   * known.
   */
  readonly isOlder: boolean
}

/**
 * Pages of a hundred orders each. No account has more open orders; if more have been placed since, the user must check
 * by hand.
 */
const MOST_PAGES = 1_000

/** How far the venue's clock may be from our estimate of it. */
export const CLOCK_SLACK_MS = 60_000

/**
 * How long the venue treats a clientOid as the same order, as long as the order is unfilled. Interface document, 4.7.
 */
export const IDEMPOTENT_MS = 6 * 3_600_000

/**
 * The order, or null if neither list has it. Throws whatever a request throws, and MalformedAnswer for lists that break
 * off.
 */
export async function findOrder(
  client: AccountClient,
  venue: Pick<Venue, 'offsetMs' | 'venueNow'>,
  { clientOid, symbol, sentAt }: PlacedOrder,
): Promise<FoundOrder | null> {
  const which = { category: 'SPOT', symbol }
  const open = await search(client, openOrders, which, clientOid)
  // By the venue's clock, which is known by now because the venue answered for the open orders.
  const now = venue.venueNow()
  const sent = Math.round(sentAt + (venue.offsetMs ?? 0))
  const since = Math.min(sent, now) - CLOCK_SLACK_MS
  if (open.order !== null) return foundIn(openOrders, open.order, since)
  // If this machine's clock was ahead when the order was sent and has been corrected since, the order appears to have
  // been sent in the future. It may have been sent, and filled, at any time before now.
  const startTime = sent > now ? now - days(30) : since
  const endTime = Math.min(now, startTime + days(30))
  const past = await search(client, orderHistory, { ...which, startTime, endTime }, clientOid)
  if (past.order !== null) return foundIn(orderHistory, past.order, since)
  // Orders beyond the end of the list are in neither of the lists read.
  if (!open.isWhole) throw brokenList(openOrders)
  if (!past.isWhole) throw brokenList(orderHistory)
  return null
}

function foundIn(endpoint: Endpoint, order: Row, since: number): FoundOrder {
  const status = textOf(order.orderStatus) ?? ''
  const ageMs = since - Number(textOf(order.createdTime) ?? Number.NaN)
  // An order that rests unfilled represents every order sent under its clientOid.
  const stands = endpoint === openOrders && status !== 'partially_filled' && ageMs < IDEMPOTENT_MS
  const isOlder = ageMs > 0 && !stands
  return { feed: endpoint.name, orderId: textOf(order.orderId) ?? '', status, isOlder }
}

type Row = Readonly<Record<string, unknown>>

interface Searched {
  readonly order: Row | null
  /** Whether the list, if it has no such order, was read to its end. */
  readonly isWhole: boolean
}

async function search(
  client: AccountClient,
  endpoint: Endpoint,
  params: Params,
  clientOid: string,
): Promise<Searched> {
  const watch = watchPages(endpoint)
  let isWhole = true
  let place: Place | null = firstPage
  while (place !== null) {
    const cursor: Params = place.cursor === null ? {} : { cursor: place.cursor }
    const answer = await client.request(endpoint, { ...params, ...cursor })
    const page = extractPage(endpoint, answer.envelope.data)
    const order = page.rows.filter(isObject).find((row) => textOf(row.clientOid) === clientOid)
    if (order !== undefined) return { order, isWhole }
    watch(place.cursor, page.rows.length, lastMark(endpoint, page.rows))
    place = turnPage(endpoint, place, page)
    isWhole = !breaksOff(endpoint, page, place)
    if (place !== null && place.cursors.length >= MOST_PAGES) throw endlessList(endpoint, MOST_PAGES)
  }
  return { order: null, isWhole }
}
