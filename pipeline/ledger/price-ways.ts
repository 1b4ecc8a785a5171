// The model that finds the route from a coin to the reporting currency over several prices. Each round adds
// one price; the text of a round is written once and appears in the select as often as a route may have
// prices, because the engine has no ASOF join within a recursion.
import type { Model } from './models.ts'

/** Maximum number of prices in a route. */
export const STEPS_MAX = 4

const doc = `The best way from a coin to the reporting currency at a moment, where the best source of the coin has no price in that
currency itself: over at most ${STEPS_MAX} prices, each the newest of its source before the moment and still counting. The way
whose worst source stands first in the policy wins, then the shortest, then the one whose oldest price is the youngest. From one
coin to the next it leads by the first source in the policy that still counts, whatever stands beside it on the way.
grain: one row per coin and valued_at
keys:  coin, valued_at unique`

const ROUNDS = Array.from({ length: STEPS_MAX }, (_, index) => index + 1)

/** From every node reached so far to each neighbour that can still arrive in time. */
const asked = (round: number): string => `asked_${round} as (
  select walk.coin as coin, walk.valued_at as valued_at, walk.node as node, pairs.currency as next_node,
    pairs.rank as link_rank, greatest(walk.rank, pairs.rank) as rank, walk.rank_to_beat as rank_to_beat,
    walk.numerator as numerator, walk.denominator as denominator, walk.path as path, walk.sources as sources,
    walk.priced_at as priced_at
  from walk_${round - 1} as walk
  join staging.price_pairs as pairs on pairs.coin = walk.node
  where pairs.hops <= ${STEPS_MAX - round} and greatest(walk.rank, pairs.rank) < walk.rank_to_beat
)`

const found = (round: number): string => `found_${round} as (
  select asked.coin as coin, asked.valued_at as valued_at, asked.next_node as node, asked.rank as rank,
    asked.link_rank as link_rank, asked.rank_to_beat as rank_to_beat,
    case
      when links.is_reverse then asked.numerator
      when asked.numerator = 1 then links.price
      else exact_multiply(asked.numerator, links.price)
    end as numerator,
    case
      when not links.is_reverse then asked.denominator
      when asked.denominator = 1 then links.price
      else exact_multiply(asked.denominator, links.price)
    end as denominator,
    asked.path || ' > ' || asked.next_node as path,
    ${round === 1 ? 'links.source' : "asked.sources || ' > ' || links.source"} as sources,
    ${round === 1 ? 'links.priced_at' : 'least(asked.priced_at, links.priced_at)'} as priced_at
  from asked_${round} as asked
  asof join staging.price_links as links
    on links.coin = asked.node and links.currency = asked.next_node and links.rank = asked.link_rank
    and links.priced_at <= asked.valued_at
  where links.valid_until >= asked.valued_at
)`

/**
 * Among several prices of one pair, that of the first source, and among several routes to one node, the best;
 * once a route has arrived, only those that may still use better sources continue.
 */
const walked = (round: number): string => `sourced_${round} as (
  select found.*, min(link_rank) over (partition by coin, valued_at, path) as best_link_rank
  from found_${round} as found
),
compared_${round} as (
  select sourced.*,
    min(case when node = (select currency from reporting) then rank end) over (
      partition by coin, valued_at
    ) as rank_arrived,
    row_number() over (partition by coin, valued_at, node order by rank, priced_at desc, path, sources) as choice
  from sourced_${round} as sourced
  where link_rank = best_link_rank
),
walk_${round} as (
  select coin, valued_at, node, ${round} as steps, rank,
    least(compared.rank_to_beat, coalesce(rank_arrived, compared.rank_to_beat)) as rank_to_beat,
    numerator, denominator, path, sources, priced_at
  from compared_${round} as compared
  where choice = 1
)`

const select = `with
reporting as (select currency from staging.reporting),
walk_0 as (
  select coin, valued_at, coin as node, 0 as rank, 1000000 as rank_to_beat, cast(1 as decimal(38, 18)) as numerator,
    cast(1 as decimal(38, 18)) as denominator, coin as path, '' as sources, null_time() as priced_at
  from staging.price_questions
),
${ROUNDS.map((round) => [asked(round), found(round), walked(round)].join(',\n')).join(',\n')},
arrived as (
  ${ROUNDS.map((round) => `select * from walk_${round} where node = (select currency from reporting)`).join('\n  union all\n  ')}
),
ranked as (
  select *,
    row_number() over (partition by coin, valued_at order by rank, steps, priced_at desc, path, sources) as choice
  from arrived
)
select coin, valued_at, steps, rank, numerator, denominator, path, sources, priced_at
from ranked
where choice = 1`

export const priceWays: Model = {
  table: 'staging.price_ways',
  file: 'staging.price_ways (generated)',
  slices: { by: 'valued_at', of: [] },
  select,
  doc,
  columnDocs: new Map(),
  needs: [],
}
