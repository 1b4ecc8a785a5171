// Average cost: one pool for each account, or one over all accounts. Its pieces have no lot and no date.
import type { MatchingRule } from '../event.ts'
import { Pool } from '../pool.ts'
import { RunningBook } from '../running-book.ts'

export const average: MatchingRule = (context) => new RunningBook(context, () => new Pool())
