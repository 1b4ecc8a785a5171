// Mistakes planted into an invented history before it is served, each with the one break that must tell of it. Damage falls
// on what the feeds answer, never on the truth; the sandbox's own books stay as they were.
import { Random } from '../../../sandbox/core/random.ts'
import type { Venue } from '../../../sandbox/core/venue.ts'
import type { Day, Expected, Mistake } from './mistake.ts'
import { futuresMistakes } from './mistakes/futures.ts'
import { futuresOrderMistakes, orderMistakes } from './mistakes/orders.ts'
import { p2pMistakes } from './mistakes/p2p.ts'
import { taxMistakes } from './mistakes/tax.ts'

/** Those that find fitting records on few days come first. */
export const mistakes: readonly Mistake[] = [
  ...p2pMistakes,
  ...taxMistakes,
  ...futuresMistakes,
  ...orderMistakes,
  ...futuresOrderMistakes,
]

/** Plants a mistake on the day, or on the next one that has a fitting record; null where none of these days has. */
export function plant(
  venue: Venue,
  mistake: Mistake,
  days: readonly Day[],
): { readonly expected: Expected; readonly day: Day } | null {
  const account = venue.named(mistake.account)
  const random = new Random(venue.seed, `planted/${mistake.name}`)
  for (const day of days) {
    const expected = mistake.plant(venue, account, day, random)
    if (expected !== null) return { expected, day }
  }
  return null
}
