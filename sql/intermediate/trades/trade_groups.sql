-- Fills and conversions assembled from their legs: what was received, what was paid, and every fee.
-- A fee is charged on a leg, in that leg's coin, or as a separate leg in the platform coin; signs are the venue's.
-- grain: one row per account and group_place of whole groups
-- keys:  transaction_id unique
-- slices: occurred_at
-- by day: staging.trade_legs, staging.moves
with
legs as (
  select legs.account as account, legs.group_place as group_place, legs.transaction_id as transaction_id,
    legs.feed as feed, legs.line as line, legs.family as family, legs.role as role,
    legs.coin as coin, legs.occurred_at as occurred_at, moves.product_line as product_line, moves.amount as amount,
    moves.fee as fee, moves.place as place
  from staging.trade_legs as legs
  join staging.moves as moves on moves.account = legs.account and moves.place = legs.place
  where legs.status = 'trade'
)
select account, group_place,
  any_value(legs.transaction_id) as transaction_id,
  any_value(legs.feed) as feed,
  any_value(legs.line) as line,
  any_value(legs.product_line) as product_line,
  any_value(legs.family) as family,
  any_value(legs.occurred_at) as occurred_at,
  min(case when role = 'received' then coin end) as received_coin,
  sum(case when role = 'received' then amount else 0 end) as received,
  sum(case when role = 'received' then fee else 0 end) as received_fee,
  min(case when role = 'received' then place end) as received_place,
  min(case when role = 'paid' then coin end) as paid_coin,
  -sum(case when role = 'paid' then amount else 0 end) as paid,
  sum(case when role = 'paid' then fee else 0 end) as paid_fee,
  min(case when role = 'paid' then place end) as paid_place,
  min(case when role = 'fee' then coin end) as platform_fee_coin,
  sum(case when role = 'fee' then amount + fee else 0 end) as platform_fee,
  min(case when role = 'fee' then place end) as fee_place
from legs
group by account, group_place
