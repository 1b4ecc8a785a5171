// Transfers as they happen: decided at one time, recorded on both sides some milliseconds apart.

import type { Random } from '../core/random.ts'
import { beginTransfer, drawLegs, endTransfer, type Transfer } from '../core/transfers.ts'
import type { Venue } from '../core/venue.ts'
import type { Agenda } from './agenda.ts'

/**
 * Plans a transfer that is decided when its time has come; one that the end of the history would cut in two is not
 * begun.
 */
export function planTransfer(
  agenda: Agenda,
  venue: Venue,
  random: Random,
  atMs: number,
  decide: (atMs: number) => Transfer | undefined,
): void {
  const legs = drawLegs(random)
  if (atMs + legs.apartMs > agenda.span.endMs) return
  let transfer: Transfer | undefined
  agenda.at(atMs, () => {
    transfer = decide(atMs)
    if (transfer !== undefined) beginTransfer(venue, transfer, legs, atMs)
  })
  agenda.at(atMs + legs.apartMs, (endMs) => {
    if (transfer !== undefined) endTransfer(venue, transfer, legs, endMs)
  })
}
