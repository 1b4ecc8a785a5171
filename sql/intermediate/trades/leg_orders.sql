-- The usual sequence of the legs of one fill, found from fills that have a millisecond to themselves. The published sample has
-- the received coin first, then the fee, then the paid coin; that sequence is used if the data are silent.
-- grain: one row per account, feed, line and family of legs; phases rise within one fill
with
fills as (
  select account, feed, line, family, occurred_at,
    min(case when role = 'received' then place end) as received_place,
    min(case when role = 'paid' then place end) as paid_place,
    min(case when role = 'fee' then place end) as fee_place
  from staging.moves
  where role <> '' and amount <> 0
  group by account, feed, line, family, occurred_at
  having sum(case when role = 'received' then 1 else 0 end) = 1
    and sum(case when role = 'paid' then 1 else 0 end) = 1
    and sum(case when role = 'fee' then 1 else 0 end) <= 1
),
votes as (
  select account, feed, line, family,
    sum(case when received_place < paid_place then 1 else -1 end) as received_first,
    sum(case when fee_place < least(received_place, paid_place) then 1 else 0 end) as fee_first,
    sum(case when fee_place > greatest(received_place, paid_place) then 1 else 0 end) as fee_last,
    sum(case
      when fee_place > least(received_place, paid_place)
        and fee_place < greatest(received_place, paid_place) then 1
      else 0
    end) as fee_between
  from fills
  group by account, feed, line, family
),
lines as (
  select distinct account, feed, line, family from staging.moves where role <> ''
)
select lines.account as account, lines.feed as feed, lines.line as line, lines.family as family,
  case when coalesce(received_first, 0) >= 0 then 2 else 4 end as received_phase,
  case when coalesce(received_first, 0) >= 0 then 4 else 2 end as paid_phase,
  case
    when fee_first > fee_between and fee_first >= fee_last then 1
    when fee_last > fee_between then 5
    else 3
  end as fee_phase
from lines
left join votes
  on votes.account = lines.account and votes.feed = lines.feed
  and votes.line = lines.line and votes.family = lines.family
