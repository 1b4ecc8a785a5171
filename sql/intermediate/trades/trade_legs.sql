-- Legs of trades and conversions, reassembled. The venue gives neither order id nor symbol, but the legs of one fill share
-- account, line and millisecond and are adjacent in a fixed sequence. A new group begins when the phase of a leg does not rise,
-- so a missing leg leaves its own group incomplete and shifts no other.
-- Legs left over in a millisecond are joined if there is exactly one of each kind (an unusual sequence), or if they belong to one
-- conversion of several coins; whatever is still unmatched has status `leftover`.
-- grain: one row per account and place of a leg
-- slices: occurred_at
-- by day: staging.moves
with
legs as (
  select moves.account as account, moves.place as place, moves.feed as feed, moves.line as line,
    moves.family as family, moves.role as role, moves.source_id as source_id,
    moves.coin as coin, moves.occurred_at as occurred_at,
    case
      when moves.role = 'received' then moves.amount > 0
      when moves.role = 'paid' then moves.amount < 0
      else true
    end as has_its_sign,
    case moves.role
      when 'received' then orders.received_phase
      when 'paid' then orders.paid_phase
      else orders.fee_phase
    end as phase
  from staging.moves as moves
  join staging.leg_orders as orders
    on orders.account = moves.account and orders.feed = moves.feed
    and orders.line = moves.line and orders.family = moves.family
  where moves.role <> '' and moves.amount <> 0
    and (moves.role <> 'fee' or moves.line in ('SPOT', 'MARGIN', 'MARGIN-crossed', 'MARGIN-isolated'))
),
marked as (
  select *,
    case
      when occurred_at = lag(occurred_at, 1, null) over (
          partition by account, feed, line, family order by place
        )
        and phase > lag(phase, 1, null) over (partition by account, feed, line, family order by place)
      then null
      else place
    end as begins_at
  from legs
),
placed as (
  select *,
    max(begins_at) over (
      partition by account, feed, line, family order by place
      rows between unbounded preceding and current row
    ) as first_place
  from marked
),
groups as (
  select account, first_place,
    sum(case when role = 'received' then 1 else 0 end) as received_count,
    sum(case when role = 'paid' then 1 else 0 end) as paid_count,
    min(case when role = 'received' then coin end) as received_coin,
    min(case when role = 'paid' then coin end) as paid_coin,
    bool_and(has_its_sign) as has_its_signs
  from placed
  group by account, first_place
),
whole as (
  select account, first_place from groups
  where received_count = 1 and paid_count = 1 and received_coin <> paid_coin and has_its_signs
),
broken as (
  select placed.*
  from placed
  where not exists (
    select 1 from whole
    where whole.account = placed.account and whole.first_place = placed.first_place
  )
),
rejoined as (
  select account, feed, line, family, occurred_at, min(place) as joint_place,
    case
      when sum(case when role = 'received' then 1 else 0 end) = 1
        and sum(case when role = 'paid' then 1 else 0 end) = 1
        and sum(case when role = 'fee' then 1 else 0 end) <= 1
        and min(case when role = 'received' then coin end) <> min(case when role = 'paid' then coin end)
        and bool_and(has_its_sign)
      then 'trade'
      when family <> 'spot'
        and sum(case when role = 'received' then 1 else 0 end) >= 1
        and sum(case when role = 'paid' then 1 else 0 end) >= 1
        and bool_and(has_its_sign)
      then 'set'
      else 'leftover'
    end as status
  from broken
  group by account, feed, line, family, occurred_at
),
joined as (
  select placed.account as account, placed.place as place, placed.feed as feed, placed.line as line,
    placed.family as family, placed.role as role,
    placed.source_id as source_id, placed.coin as coin, placed.occurred_at as occurred_at,
    placed.first_place as group_place, 'trade' as status
  from placed
  join whole on whole.account = placed.account and whole.first_place = placed.first_place
  union all
  select broken.account, broken.place, broken.feed, broken.line, broken.family, broken.role,
    broken.source_id, broken.coin, broken.occurred_at,
    case when rejoined.status = 'leftover' then broken.first_place else rejoined.joint_place end,
    rejoined.status
  from broken
  join rejoined
    on rejoined.account = broken.account and rejoined.feed = broken.feed and rejoined.line = broken.line
    and rejoined.family = broken.family and rejoined.occurred_at = broken.occurred_at
)
select joined.account as account, joined.place as place, joined.feed as feed, joined.line as line,
  joined.family as family, joined.role as role,
  joined.source_id as source_id, joined.coin as coin, joined.occurred_at as occurred_at,
  joined.group_place as group_place, joined.status as status,
  joined.account || '/' || joined.feed || '/' || firsts.source_id as transaction_id
from joined
join staging.moves as firsts on firsts.account = joined.account and firsts.place = joined.group_place
