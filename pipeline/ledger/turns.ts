// Equal moves that follow each other are tied in their order, if as many went out as came in: the nearest
// other side may belong to the next one. The rule is the same for transfers between own wallets, for P2P
// deals and their orders, and for imported legs and the venue's records of them, so it has one text; each use
// supplies its own model of the sides and the maximum time between two moves.
import type { Model } from './models.ts'

interface Turns {
  readonly table: string
  /**
   * The model of the sides: among whom moves are equal, account, coin, side, quantity, happened_at, wallet,
   * is_second, place and id.
   */
  readonly sides: string
  readonly withinMs: number
  /** What is tied, and within which time. */
  readonly what: string
}

const EQUAL = 'among, coin, side, quantity'

const selectOf = ({ sides, withinMs }: Turns): string => `with
begun as (
  select *,
    case
      when epoch_ms(happened_at) - lag(epoch_ms(happened_at), 1, null) over (
        partition by ${EQUAL} order by happened_at, account, is_second, place, id
      ) <= ${withinMs} then 0
      else 1
    end as begins
  from ${sides}
),
runs as (
  select *,
    sum(begins) over (
      partition by ${EQUAL} order by happened_at, account, is_second, place, id
      rows between unbounded preceding and current row
    ) as run,
    case when is_second = 0 then 1 else -1 end as change
  from begun
),
sums as (
  select *,
    sum(change) over (partition by ${EQUAL}, run) as surplus,
    sum(change) over (partition by ${EQUAL}, run, account) as surplus_of_account
  from runs
),
-- Where every account has as many of each for itself, they are moves of its own.
holders as (
  select *,
    case when max(abs(surplus_of_account)) over (partition by ${EQUAL}, run) = 0 then account else '' end as holder
  from sums
),
in_turn as (
  select *,
    row_number() over (
      partition by ${EQUAL}, run, holder, is_second order by happened_at, account, place, id
    ) as turn
  from holders
  where surplus = 0
),
tied as (
  select firsts.id as first_id, firsts.place as first_place, seconds.id as second_id,
    seconds.place as second_place,
    firsts.among as among, firsts.coin as coin, firsts.side as side, firsts.quantity as quantity, firsts.run as run,
    abs(epoch_ms(seconds.happened_at) - epoch_ms(firsts.happened_at)) as apart_ms,
    case when seconds.wallet = firsts.wallet then 1 else 0 end as is_same_wallet
  from in_turn as firsts
  join in_turn as seconds
    on seconds.among = firsts.among and seconds.coin = firsts.coin and seconds.side = firsts.side
    and seconds.quantity = firsts.quantity and seconds.run = firsts.run and seconds.holder = firsts.holder
    and seconds.turn = firsts.turn
  where firsts.is_second = 0 and seconds.is_second = 1
)
select among, first_id, first_place, second_id, second_place, apart_ms,
  max(tied.apart_ms) over (partition by ${EQUAL}, run) as farthest_ms,
  max(tied.is_same_wallet) over (partition by ${EQUAL}, run) as stays_in_wallet
from tied`

const turnsOf = (turns: Turns): Model => ({
  table: turns.table,
  file: `${turns.table} (generated)`,
  select: selectOf(turns),
  doc: `${turns.what}, in their order, where as many went as came (pipeline/ledger/turns.ts). farthest_ms is how far apart the two sides of
any of them are that follow each other, and stays_in_wallet whether one of these would go from a wallet to itself.
grain: one row per tied pair`,
  columnDocs: new Map(),
  needs: [],
})

export const turns: readonly Model[] = [
  {
    table: 'staging.transfer_turns',
    sides: 'staging.transfer_sides',
    withinMs: 1_000,
    what: 'Equal transfers between own wallets that follow each other within a second',
  },
  {
    table: 'staging.deal_turns',
    sides: 'staging.deal_sides',
    withinMs: 60_000,
    what: 'Equal P2P deals and their merchant orders that follow each other within a minute',
  },
  {
    table: 'staging.imported_turns',
    sides: 'staging.imported_sides',
    withinMs: 86_400_000,
    what: 'Equal imported legs of transfers and the records of the venue that follow each other within a day',
  },
].map(turnsOf)
