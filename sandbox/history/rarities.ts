// What the venue occasionally sends today beyond the document: a time in force, a reason to cancel, orders with their
// own take-profit and stop-loss. Each is drawn separately, so that nothing else in a history depends on it.

import type { Account } from '../core/accounts.ts'
import { cut } from '../core/money.ts'
import type { Guard, Order } from '../core/orders.ts'
import { Random } from '../core/random.ts'
import type { Venue } from '../core/venue.ts'

const RPI_SHARE = 0.04
const LATE_SHARE = 0.08
const GUARDED_SHARE = 0.08

const chanceAt = (venue: Venue, account: Account, what: string, atMs: number): Random =>
  new Random(venue.seed, `${what}/${account.name}/${atMs}`)

/** How long a limit order of the past was meant to stay open. */
export function limitForce(venue: Venue, account: Account, atMs: number): Order['timeInForce'] {
  return chanceAt(venue, account, 'force', atMs).chance(RPI_SHARE) ? 'rpi' : 'gtc'
}

export function cancelReason(venue: Venue, account: Account, atMs: number): string {
  const isLate = chanceAt(venue, account, 'cancel', atMs).chance(LATE_SHARE)
  return isLate ? 'cancel_receiveWindow' : 'normal_cancel'
}

/** A take-profit and a stop-loss far enough from the price that neither is ever reached. */
export function guards(
  venue: Venue,
  account: Account,
  { price, side, places }: { price: bigint; side: 'buy' | 'sell'; places: number },
  atMs: number,
): { takeProfit?: Guard; stopLoss?: Guard } {
  const random = chanceAt(venue, account, 'guards', atMs)
  if (!random.chance(GUARDED_SHARE)) return {}
  const [above, below] = [cut(price * 3n, places), cut(price / 4n, places)]
  const limit = random.chance(0.5) ? { limit: above } : {}
  return side === 'buy'
    ? { takeProfit: { trigger: above, ...limit }, stopLoss: { trigger: below } }
    : { takeProfit: { trigger: below }, stopLoss: { trigger: above, ...limit } }
}
