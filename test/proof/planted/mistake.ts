// What a planted mistake is: where it falls, and the one break that must tell of it.
import type { Account } from '../../../sandbox/core/accounts.ts'
import type { Random } from '../../../sandbox/core/random.ts'
import type { Venue } from '../../../sandbox/core/venue.ts'

/** The one break of severity warning that a mistake makes; its evidence names all of these ids. */
export interface Expected {
  readonly check: string
  readonly uid: string
  readonly names: readonly string[]
}

/** A day of the history, for each mistake another one, so that none hides another. */
export interface Day {
  readonly from: number
  readonly to: number
}

export interface Mistake {
  readonly name: string
  readonly account: string
  /** It chooses its day itself, and no other one stands in its way. */
  readonly isOfAnyDay?: boolean
  /** What it falls on stands over several days: it is planted alone. */
  readonly isAlone?: boolean
  /** Plants it on that day; null where that day has no fitting record. No break at all is expected where `check` is empty. */
  readonly plant: (venue: Venue, account: Account, day: Day, random: Random) => Expected | null
}

export const expect = (check: string, { uid }: Account, ...names: string[]): Expected => ({
  check,
  uid,
  names,
})
