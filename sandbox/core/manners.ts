// Which of the reported behaviours of the venue this sandbox shows. All of them are described with their sources in
// README.md; the defaults are here.

import type { FeedName } from './lines.ts'
import { USUAL_WAYS, type Ways } from './paging.ts'
import type { Spelling } from './spellings.ts'

/** This many rows of one feed share a millisecond. */
export interface Burst {
  feed: FeedName
  rows: number
}

export interface Manners {
  paging: Ways
  /** Of the types of 4.20 and 4.21. */
  spelling: Spelling
  bursts: readonly Burst[]
  /** Every account is a plain trader, and not a sub-account. */
  plainAccounts: boolean
}

export const USUAL_MANNERS: Manners = {
  paging: USUAL_WAYS,
  spelling: 'recorded',
  bursts: [],
  plainAccounts: false,
}
