// Moves that belong together are each other's nearest among equal ones. The rule is the same for transfers between own
// wallets, for P2P deals and their orders, and for imported legs and the venue's records of them, so it has one text;
// each use supplies its own model of the sides, as for those that are tied in their order (turns.ts).
// Comparing each side with every equal one would take as long as there are pairs: thousands of equal moves an hour
// are millions. So each side looks only at the last instant before it and the first one after it that have another
// wallet; at an instant, only at the first side of each wallet.
import type { Model } from './models.ts'

interface Nearest {
  readonly table: string
  /**
   * The model of the sides: among whom moves are equal, account, coin, side, quantity, happened_at, wallet,
   * is_second, place and id. Sides of one wallet are never a pair.
   */
  readonly sides: string
  readonly withinMs: number
  /** Which of two sides at the same distance is taken. */
  readonly first: 'id' | 'place, id'
  /** Those tied in their order, which come before all others if they satisfy the condition. */
  readonly tied?: { readonly table: string; readonly where: string }
  readonly what: string
}

const EQUAL = ['among', 'coin', 'side', 'quantity']
const equal = EQUAL.join(', ')
const equals = (one: string, other: string): string =>
  EQUAL.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ')

const columnsOf = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column} as ${column}`).join(', ')

/** The nearest instant of the other sides at which one of them is of another wallet. */
const reached = (towards: '<=' | '>=', beyond: string): string => `
  select ${columnsOf('points', [...EQUAL, 'account', 'wallet', 'is_second', 'place', 'id', 'at_ms'])},
    case when stops.only_wallet = points.wallet then stops.${beyond} else stops.at_ms end as near_ms
  from points
  asof join stops
    on ${equals('stops', 'points')} and stops.is_second = points.other_second and stops.at_ms ${towards} points.at_ms`

const ofTied = ({ table, where }: NonNullable<Nearest['tied']>): string => `
  union all
  select among, 0, first_place, first_id, second_place, second_id, 0, apart_ms, 0 from ${table} where ${where}
  union all
  select among, 1, second_place, second_id, first_place, first_id, 0, apart_ms, 0 from ${table} where ${where}`

const selectOf = ({ sides, withinMs, first, tied }: Nearest): string => `with
points as (
  select among, account, coin, side, quantity, wallet, is_second, 1 - is_second as other_second, place, id,
    epoch_ms(happened_at) as at_ms
  from ${sides}
),
instants as (
  select ${equal}, is_second, at_ms, min(points.wallet) as first_wallet, max(points.wallet) as last_wallet
  from points
  group by ${equal}, is_second, at_ms
),
neighbours as (
  select *,
    lag(at_ms, 1, null) over in_time as ms_before, lag(first_wallet, 1, null) over in_time as first_before,
    lag(last_wallet, 1, null) over in_time as last_before,
    lead(at_ms, 1, null) over in_time as ms_after, lead(first_wallet, 1, null) over in_time as first_after,
    lead(last_wallet, 1, null) over in_time as last_after
  from instants
  window in_time as (partition by ${equal}, is_second order by at_ms)
),
-- Where a run of instants of one and the same wallet begins and ends, and what lies before and after it.
runs as (
  select *,
    case
      when first_wallet = last_wallet and first_before = first_wallet and last_before = first_wallet then null
      else ms_before
    end as begins_after,
    case
      when first_wallet = last_wallet and first_after = first_wallet and last_after = first_wallet then null
      else ms_after
    end as ends_before
  from neighbours
),
stops as (
  select ${equal}, is_second, at_ms, case when first_wallet = last_wallet then first_wallet end as only_wallet,
    max(begins_after) over (
      partition by ${equal}, is_second order by at_ms rows between unbounded preceding and current row
    ) as other_before,
    min(ends_before) over (
      partition by ${equal}, is_second order by at_ms rows between current row and unbounded following
    ) as other_after
  from runs
),
near as (${reached('<=', 'other_before')}
  union all${reached('>=', 'other_after')}
),
firsts as (
  select *,
    row_number() over (partition by ${equal}, is_second, at_ms, wallet, account order by ${first}) as nth
  from points
),
candidates as (
  select near.among as among, near.is_second as is_second, near.place as place, near.id as id,
    others.place as other_place, others.id as other_id, 1 as is_out_of_turn,
    cast(abs(others.at_ms - near.at_ms) as bigint) as apart_ms,
    case when others.account = near.account then 0 else 1 end as is_other_account
  from near
  join firsts as others
    on ${equals('others', 'near')} and others.is_second = 1 - near.is_second and others.at_ms = near.near_ms
  where others.nth = 1 and others.wallet <> near.wallet and abs(others.at_ms - near.at_ms) <= ${withinMs}${tied === undefined ? '' : ofTied(tied)}
),
ranked as (
  select *,
    row_number() over (
      partition by among, is_second, place, id
      order by is_out_of_turn, apart_ms, is_other_account, ${first.replaceAll(/\w+/g, 'other_$&')}
    ) as choice
  from candidates
)
select ones.among as among, ones.place as first_place, ones.id as first_id, others.place as second_place,
  others.id as second_id, ones.apart_ms as apart_ms
from ranked as ones
join ranked as others
  on others.among = ones.among and others.place = ones.other_place and others.id = ones.other_id
  and others.other_place = ones.place and others.other_id = ones.id
where ones.is_second = 0 and others.is_second = 1 and ones.choice = 1 and others.choice = 1`

const nearestOf = (nearest: Nearest): Model => ({
  table: nearest.table,
  file: `${nearest.table} (generated)`,
  select: selectOf(nearest),
  doc: `${nearest.what}, each being the other’s nearest (pipeline/ledger/nearest.ts). apart_ms is the time between them.
grain: one row per pair`,
  columnDocs: new Map(),
  needs: [],
})

const uses: readonly Nearest[] = [
  {
    table: 'staging.nearest_transfers',
    sides: 'staging.untied_legs',
    withinMs: 300_000,
    first: 'id',
    what: 'Equal legs of transfers between own wallets, and of margin, within five minutes',
  },
  {
    table: 'staging.nearest_deals',
    sides: 'staging.deal_sides',
    withinMs: 86_400_000,
    first: 'id',
    tied: { table: 'staging.deal_turns', where: 'apart_ms <= 86400000' },
    what: 'Equal P2P deals and their merchant orders within a day',
  },
  {
    table: 'staging.nearest_unmatched',
    sides: 'staging.unmatched_deals',
    withinMs: 3_600_000,
    first: 'id',
    what: 'P2P deals and merchant orders of different quantities within an hour',
  },
  {
    table: 'staging.nearest_imports',
    sides: 'staging.imported_sides',
    withinMs: 86_400_000,
    first: 'place, id',
    tied: { table: 'staging.imported_turns', where: 'farthest_ms <= 86400000' },
    what: 'Equal imported legs of transfers and the records of the venue within a day',
  },
]

export const nearest: readonly Model[] = uses.map(nearestOf)
