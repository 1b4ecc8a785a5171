-- What the fills of a day that have a millisecond to themselves say about the sequence of the legs of a fill (leg_orders).
-- slices: day
-- by day: staging.moves
-- grain: one row per account, feed, line, family of legs and day
with
legs as (select * from staging.moves where role <> ''),
fills as (
  select account, feed, line, family, occurred_at,
    min(case when role = 'received' then place end) as received_place,
    min(case when role = 'paid' then place end) as paid_place,
    min(case when role = 'fee' then place end) as fee_place
  from legs
  where amount <> 0
  group by account, feed, line, family, occurred_at
  having sum(case when role = 'received' then 1 else 0 end) = 1
    and sum(case when role = 'paid' then 1 else 0 end) = 1
    and sum(case when role = 'fee' then 1 else 0 end) <= 1
),
votes as (
  select account, feed, line, family, utc_day(occurred_at) as day,
    sum(case when received_place < paid_place then 1 else -1 end) as received_first,
    sum(case when fee_place < least(received_place, paid_place) then 1 else 0 end) as fee_first,
    sum(case when fee_place > greatest(received_place, paid_place) then 1 else 0 end) as fee_last,
    sum(case
      when fee_place > least(received_place, paid_place)
        and fee_place < greatest(received_place, paid_place) then 1
      else 0
    end) as fee_between
  from fills
  group by account, feed, line, family, utc_day(occurred_at)
),
lines as (
  select distinct account, feed, line, family, utc_day(occurred_at) as day from legs
)
select lines.account as account, lines.feed as feed, lines.line as line, lines.family as family, lines.day as day,
  coalesce(votes.received_first, 0) as received_first, coalesce(votes.fee_first, 0) as fee_first,
  coalesce(votes.fee_last, 0) as fee_last, coalesce(votes.fee_between, 0) as fee_between
from lines
left join votes
  on votes.account = lines.account and votes.feed = lines.feed
  and votes.line = lines.line and votes.family = lines.family and votes.day = lines.day
