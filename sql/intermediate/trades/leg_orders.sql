-- The usual sequence of the legs of one fill, found from fills that have a millisecond to themselves (leg_votes). The published
-- sample has the received coin first, then the fee, then the paid coin; that sequence is used if the data are silent.
-- grain: one row per account, feed, line and family of legs; phases rise within one fill
with
votes as (
  select account, feed, line, family, sum(days.received_first) as received_first, sum(days.fee_first) as fee_first,
    sum(days.fee_last) as fee_last, sum(days.fee_between) as fee_between
  from staging.leg_votes as days
  group by account, feed, line, family
)
select account, feed, line, family,
  case when received_first >= 0 then 2 else 4 end as received_phase,
  case when received_first >= 0 then 4 else 2 end as paid_phase,
  case
    when fee_first > fee_between and fee_first >= fee_last then 1
    when fee_last > fee_between then 5
    else 3
  end as fee_phase
from votes
