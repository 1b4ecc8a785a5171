// The ledger: every entry, newest first, in pages that cost the same anywhere in it.
import type { Entries, EntryFacets, EntryRow, FacetRow } from '../api.ts'
import { behind, type Key, LIMIT, orderBy, pageOf } from '../keyset.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf } from '../question.ts'
import { type Filters, periodOf } from './filters.ts'

const COLUMNS = `entry_id, transaction_id, account, ledger, product_line, coin, amount, kind, occurred_at, symbol, type,
  source_feed, source_id, place`

/** Records of an account stand in their order within one instant; an id tells what is left apart. */
const keys: readonly Key[] = [
  { sql: 'occurred_at', type: 'timestamptz', order: 'desc', of: (row: EntryRow) => row.occurred_at },
  { sql: 'place', type: 'bigint', order: 'desc', of: (row: EntryRow) => row.place },
  { sql: 'entry_id', type: 'varchar', order: 'desc', of: (row: EntryRow) => row.entry_id },
]

const FACETS = ['account', 'ledger', 'coin', 'kind', 'symbol'] as const

/** All filters but those named. */
function conditionsOf(filters: Filters, without?: string): Conditions {
  const conditions = new Conditions()
  for (const facet of FACETS) if (facet !== without) conditions.oneOf(facet, filters[facet])
  conditions.within('occurred_at', periodOf({ from: filters.from, to: filters.to }))
  if (filters.id !== undefined) {
    const id = conditions.value(filters.id)
    conditions.add(`(entry_id = ${id} or transaction_id = ${id} or source_id = ${id})`)
  }
  return conditions
}

/** All entries under the filters. */
export function entriesQuestion(filters: Filters): Question {
  const conditions = conditionsOf(filters)
  return question(`select ${COLUMNS}\nfrom entries\n${conditions.where}\n${orderBy(keys)}`, conditions.values)
}

export async function entries({ ledger, stamp }: Edition, filters: Filters): Promise<Entries> {
  const conditions = conditionsOf(filters)
  behind(conditions, keys, filters.cursor, stamp)
  const page = `select ${COLUMNS}\nfrom entries\n${conditions.where}\n${orderBy(keys)}\n${LIMIT}`
  const days = question(
    `select min(occurred_at at time zone 'UTC')::date, max(occurred_at at time zone 'UTC')::date from (${page})`,
    conditions.values,
  )
  const [first, last] = Object.values(
    (await rowsOf<Record<string, string | null>>(ledger, days)).rows[0] ?? {},
  )
  return {
    stamp,
    entries: await pageOf<EntryRow>(
      ledger,
      question(
        withBalances(page, conditions.value(first ?? null), conditions.value(last ?? null)),
        conditions.values,
      ),
      keys,
      stamp,
    ),
  }
}

/** The balance after an entry: that of the day before, and what the day brought until then. Only the page's days are read. */
const withBalances = (page: string, first: string, last: string): string => `
with
page as (
  ${page.replaceAll('\n', '\n  ')}
),
moves as (
  select account, ledger, coin, entry_id, (occurred_at at time zone 'UTC')::date as day,
    sum(amount) over (
      partition by account, ledger, coin, (occurred_at at time zone 'UTC')::date order by occurred_at, place, entry_id
      rows between unbounded preceding and current row
    ) as so_far
  from entries
  where (account, ledger, coin) in (select (account, ledger, coin) from page)
    and occurred_at >= ${first}::timestamp at time zone 'UTC'
    and occurred_at < (${last}::timestamp + interval 1 day) at time zone 'UTC'
)
select page.*, coalesce(history.quantity, 0) + moves.so_far as balance
from page
join moves on moves.entry_id = page.entry_id
left join balance_history as history on history.account = page.account and history.ledger = page.ledger
  and history.coin = page.coin and history.day = moves.day - 1
order by ${keys.map(({ sql }) => `page.${sql} desc`).join(', ')}`

const FACET_VALUES = 200

export function facetsQuestion(filters: Filters): Question {
  const values: Record<string, string | number | boolean | null> = {}
  const parts = FACETS.map((facet) => {
    const conditions = conditionsOf(filters, facet)
    for (const [name, value] of Object.entries(conditions.values)) values[`${facet}_${name}`] = value
    return `(
  select '${facet}' as facet, ${facet} as value, count(*) as count
  from entries
  ${conditions.where.replace(/\$(v\d+)/g, `$$${facet}_$1`).replaceAll('\n', '\n  ')}
  group by ${facet}
  order by count desc, value
  limit ${FACET_VALUES}
)`
  })
  return question(parts.join('\nunion all\n'), values)
}

export async function entryFacets({ ledger, stamp }: Edition, filters: Filters): Promise<EntryFacets> {
  const conditions = conditionsOf(filters)
  return {
    stamp,
    count: await rowsOf<{ count: number }>(
      ledger,
      question(`select count(*) as count\nfrom entries\n${conditions.where}`, conditions.values),
    ),
    facets: await rowsOf<FacetRow>(ledger, facetsQuestion(filters)),
  }
}
