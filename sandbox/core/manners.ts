// In which of the ways that are reported of the venue this one behaves. All of them are told with their sources in
// README.md; what holds unless a switch says otherwise stands here.

import type { FeedName } from './lines.ts'
import { USUAL_WAYS, type Ways } from './paging.ts'
import type { Spelling } from './spellings.ts'

/** So many rows of one feed that share a millisecond. */
export interface Burst {
  feed: FeedName
  rows: number
}

export interface Manners {
  paging: Ways
  /** Of the types of 4.20 and 4.21. */
  spelling: Spelling
  bursts: readonly Burst[]
  /** Every account is nothing but a trader, and nobody's sub-account. */
  plainAccounts: boolean
}

export const USUAL_MANNERS: Manners = {
  paging: USUAL_WAYS,
  spelling: 'recorded',
  bursts: [],
  plainAccounts: false,
}
