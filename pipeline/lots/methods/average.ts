// Average cost: one pool for each account, or one across all accounts. Its pieces have no lot and no date.
import { Pool } from '../pool.ts'
import { RunningBook, type RunningRule } from '../running-book.ts'

export const average: RunningRule = (context, inherited) =>
  new RunningBook(context, () => new Pool(), inherited)
