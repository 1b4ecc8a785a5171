// The runs recorded in the ledger, newest first.
import type { RunRow, Runs } from '../api.ts'
import { behind, type Key, LIMIT, orderBy, pageOf } from '../keyset.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question } from '../question.ts'
import type { Filters } from './filters.ts'

export const runColumns = `select run_id, started_at, ended_at, command, requests, rows, retries, outcome
from runs`

const NEVER = '-infinity'

const keys: readonly Key[] = [
  {
    sql: `coalesce(started_at, '${NEVER}'::timestamptz)`,
    type: 'timestamptz',
    order: 'desc',
    of: (row: RunRow) => row.started_at ?? NEVER,
  },
  { sql: "coalesce(run_id, '')", type: 'varchar', order: 'desc', of: (row: RunRow) => row.run_id ?? '' },
]

export const runsQuestion = (): Question => question(`${runColumns}\n${orderBy(keys)}`)

export async function runs({ ledger, stamp }: Edition, { cursor }: Filters): Promise<Runs> {
  const conditions = new Conditions()
  behind(conditions, keys, cursor, stamp)
  const asked = question(`${runColumns}\n${conditions.where}\n${orderBy(keys)}\n${LIMIT}`, conditions.values)
  return { stamp, runs: await pageOf<RunRow>(ledger, asked, keys, stamp) }
}
