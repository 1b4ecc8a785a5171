-- The meaning of every record that moves something is certain. If the venue's type leaves a doubt, the record is booked as
-- classified and listed here: see the doubts in docs/types.md. Results of isolated margin, whose amounts may include principal,
-- are compared with what their position reports (4.12), or with the orders of a position from flat to flat. Results that were
-- compared and differ are breaks of positions and orders_vs_futures; only the rest is in doubt.
-- grain: one row per account and doubt
with
doubtful as (
  select moves.account as account, moves.place as place, moves.feed as feed, moves.source_id as source_id,
    moves.type as type, moves.coin as coin, moves.amount as amount, moves.occurred_at as occurred_at,
    types.doubt as doubt
  from staging.moves as moves
  join staging.types as types on types.feed = moves.feed and types.type = moves.type
  where types.doubt <> '' and moves.amount <> 0
),
compared as (
  select moves.account as account, moves.place as place
  from doubtful
  join staging.compared_position_moves as moves
    on moves.account = doubtful.account and moves.place = doubtful.place
  join staging.position_sums as sums
    on sums.account = moves.account and sums.line = moves.line and sums.symbol = moves.symbol
    and sums.coin = moves.coin and sums.hold_side = moves.hold_side
  where not sums.is_doubtful and (not sums.is_doubled or sums.pos_mode = 'hedge_mode') and not moves.is_of_other_side
  union
  select moves.account, moves.place
  from doubtful
  join staging.futures_position_moves as moves
    on moves.account = doubtful.account and moves.place = doubtful.place
  join staging.closed_position_values as closed
    on closed.account = moves.account and closed.line = moves.line and closed.symbol = moves.symbol
    and closed.position_side = moves.position_side and closed.number = moves.number
),
left_over as (
  select doubtful.account as account, doubtful.place as place, doubtful.feed as feed,
    doubtful.source_id as source_id, doubtful.type as type, doubtful.coin as coin, doubtful.amount as amount,
    doubtful.occurred_at as occurred_at, doubtful.doubt as doubt
  from doubtful
  left join compared on compared.account = doubtful.account and compared.place = doubtful.place
  where compared.place is null
),
grouped as (
  select account, doubt, count(*) as record_count, joined_distinct('"' || type || '"', ', ')
      as names,
    min(coin) as first_coin, max(coin) as last_coin, min(occurred_at) as first_at,
    first_of(ordered_list(feed || '/' || source_id, place), 10) as ids
  from left_over
  group by account, doubt
),
meanings as (
  select doubt, meaning, row_number() over (partition by doubt order by precedence) as choice
  from staging.type_doubts
)
select 'notice' as severity, grouped.account as account, cast(null as varchar) as ledger,
  case when first_coin = last_coin then first_coin end as coin, first_at as occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  counted(record_count, 'record of type ' || names || ' is', 'records of type ' || names || ' are') || ' of doubtful meaning. '
    || meanings.meaning as explanation,
  cast(to_json(ids) as varchar) as evidence, grouped.doubt as culprit
from grouped
join meanings on meanings.doubt = grouped.doubt and meanings.choice = 1
