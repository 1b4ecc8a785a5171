// Breaks to work through: what was expected and found, since when, what explains it, and the ids of the evidence.
import type { Disk } from '../../journal/disk.ts'
import { concerning } from '../../ledger/breaks.ts'
import { readUnpublishedBreaks } from '../../ledger/publish.ts'
import type { BreakGroupRow, BreakRow, Breaks, BreakTotals } from '../api.ts'
import { behind, type Key, LIMIT, orderBy, pageOf } from '../keyset.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf } from '../question.ts'
import { type Filters, periodOf } from './filters.ts'

export const BREAK_COLUMNS = `break_id, check_name, severity, account, ledger, coin, occurred_at, expected, found, difference,
  explanation, evidence, first_seen_at, status, note, noted_at, figures_hash`

const RANK = { error: 0, warning: 1, notice: 2 }
const NEVER = '-infinity'

const keys: readonly Key[] = [
  {
    sql: "case severity when 'error' then 0 when 'warning' then 1 else 2 end",
    type: 'bigint',
    order: 'asc',
    of: ({ severity }: BreakRow) => RANK[severity],
  },
  {
    sql: `coalesce(occurred_at, '${NEVER}'::timestamptz)`,
    type: 'timestamptz',
    order: 'desc',
    of: (row: BreakRow) => row.occurred_at ?? NEVER,
  },
  { sql: 'break_id', type: 'varchar', order: 'asc', of: (row: BreakRow) => row.break_id },
]

function conditionsOf(filters: Filters): Conditions {
  const { status = 'open', severity, check, account, coin } = filters
  return new Conditions()
    .oneOf('status', status === 'all' ? undefined : status)
    .oneOf('severity', severity)
    .oneOf('check_name', check)
    .oneOf('account', account, concerning)
    .oneOf('coin', coin)
    .within('occurred_at', periodOf({ from: filters.from, to: filters.to }))
}

export function breaksQuestion(filters: Filters): Question {
  const conditions = conditionsOf(filters)
  return question(
    `select ${BREAK_COLUMNS}\nfrom breaks\n${conditions.where}\n${orderBy(keys)}`,
    conditions.values,
  )
}

export interface BooksFolder {
  readonly dir: string
  readonly disk: Disk
}

/** Breaks of the last build, if it was not published. */
export async function unpublishedTotals({ dir, disk }: BooksFolder): Promise<BreakTotals | null> {
  const unpublished = await readUnpublishedBreaks(disk, dir)
  if (unpublished === null) return null
  const of = (wanted: string): number => unpublished.filter(({ severity }) => severity === wanted).length
  return { error: of('error'), warning: of('warning'), notice: of('notice') }
}

export async function breaks(
  { ledger, stamp }: Edition,
  filters: Filters,
  books: BooksFolder,
): Promise<Breaks> {
  const conditions = conditionsOf(filters)
  behind(conditions, keys, filters.cursor, stamp)
  const counts = conditionsOf(filters)
  return {
    stamp,
    breaks: await pageOf<BreakRow>(
      ledger,
      question(
        `select ${BREAK_COLUMNS}\nfrom breaks\n${conditions.where}\n${orderBy(keys)}\n${LIMIT}`,
        conditions.values,
      ),
      keys,
      stamp,
    ),
    counts: await rowsOf<BreakGroupRow>(
      ledger,
      question(
        `
        select severity, check_name, status, count(*) as count
        from breaks
        ${counts.where}
        group by severity, check_name, status
        order by severity, check_name, status`,
        counts.values,
      ),
    ),
    unpublished: await unpublishedTotals(books),
  }
}

export function oneBreakQuestion(id: string): Question {
  return question(`select ${BREAK_COLUMNS}\nfrom breaks\nwhere break_id = $id`, { id })
}
