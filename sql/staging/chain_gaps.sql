-- The venue's balances against its own amounts, under each way of keeping balances that an account may have: one
-- balance per coin, one per coin with isolated margin apart, one per coin and business line. Where
-- balance − sum of changes stays the same from one record to the next, the step closes; the difference is the gap.
-- A record without a balance takes part in the sums and is judged with the next one that has one.
-- grain: one row per account and place that has a balance; a gap is null at the start of its chain
with
moves as (
  select account, place, coin, line, line = 'MARGIN-isolated' as is_isolated, balance,
    amount + fee as change, occurred_at
  from staging.moves
  where feed = 'tax.records'
),
offsets as (
  select account, place, coin, line, is_isolated, balance, occurred_at,
    balance - sum(change) over (
      partition by account, coin order by place
      rows between unbounded preceding and current row
    ) as unified_offset,
    balance - sum(change) over (
      partition by account, coin, is_isolated order by place
      rows between unbounded preceding and current row
    ) as isolated_offset,
    balance - sum(change) over (
      partition by account, coin, line order by place
      rows between unbounded preceding and current row
    ) as line_offset
  from moves
),
known as (select * from offsets where balance is not null)
select account, place, coin, line, occurred_at, unified_offset, isolated_offset, line_offset,
  unified_offset - lag(unified_offset, 1, null) over (
    partition by account, coin order by place
  ) as unified_gap,
  isolated_offset - lag(isolated_offset, 1, null) over (
    partition by account, coin, is_isolated order by place
  ) as isolated_gap,
  line_offset - lag(line_offset, 1, null) over (
    partition by account, coin, line order by place
  ) as line_gap
from known
