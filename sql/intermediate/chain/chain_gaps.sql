-- The venue's balances against its own amounts, under each way in which an account's balances may be kept: one balance per
-- coin, one per coin with isolated margin apart, one per coin and business line. The gap of a step is the balance less the
-- balance before it and everything received since. A record without a balance is carried to the next record of its chain that
-- has one. Nearly all steps close exactly under every grouping, and are not listed here.
-- slices: occurred_at
-- since: staging.moves at place where balance is not null per account, coin, line in staging.move_days
-- grain: one row per account and place whose gap is not zero under all groupings; null at the start of a chain
with
moves as (
  select account, place, feed, coin, line, line = 'MARGIN-isolated' as is_isolated, balance, amount + fee as change,
    occurred_at
  from staging.moves
  where feed in (select feed from staging.feeds where has_balance)
),
known as (select * from moves where balance is not null),
silent as (select * from moves where balance is null),
-- Only the chains of coins that have a record without a balance are searched for the record that follows it.
followers as (
  select known.account as account, known.place as place, known.coin as coin, known.line as line,
    known.is_isolated as is_isolated
  from known
  join (select distinct account, coin from silent) as silent_coins
    on silent_coins.account = known.account and silent_coins.coin = known.coin
),
unified_carried as (
  select followers.account as account, followers.place as place, sum(silent.change) as carried
  from silent
  asof join followers
    on followers.account = silent.account and followers.coin = silent.coin
    and followers.place >= silent.place
  group by followers.account, followers.place
),
isolated_carried as (
  select followers.account as account, followers.place as place, sum(silent.change) as carried
  from silent
  asof join followers
    on followers.account = silent.account and followers.coin = silent.coin
    and followers.is_isolated = silent.is_isolated and followers.place >= silent.place
  group by followers.account, followers.place
),
line_carried as (
  select followers.account as account, followers.place as place, sum(silent.change) as carried
  from silent
  asof join followers
    on followers.account = silent.account and followers.coin = silent.coin
    and followers.line = silent.line and followers.place >= silent.place
  group by followers.account, followers.place
),
before as (
  select account, place, feed, line, coin, balance - change as before_it, occurred_at,
    lag(balance, 1, null) over unified as unified_balance, lag(occurred_at, 1, null) over unified as unified_at,
    lag(balance, 1, null) over isolated as isolated_balance, lag(occurred_at, 1, null) over isolated as isolated_at,
    lag(balance, 1, null) over by_line as line_balance, lag(occurred_at, 1, null) over by_line as line_at
  from known
  window unified as (partition by account, coin order by place),
    isolated as (partition by account, coin, is_isolated order by place),
    by_line as (partition by account, coin, line order by place)
),
gaps as (
  select before.account as account, before.place as place, before.feed as feed, before.line as line,
    before.coin as coin, before.occurred_at as occurred_at,
    unified_at, isolated_at, line_at,
    before_it - coalesce(unified.carried, 0) - unified_balance as unified_gap,
    before_it - coalesce(unified.carried, 0) as unified_opening,
    before_it - coalesce(isolated.carried, 0) - isolated_balance as isolated_gap,
    before_it - coalesce(isolated.carried, 0) as isolated_opening,
    before_it - coalesce(by_line.carried, 0) - line_balance as line_gap,
    before_it - coalesce(by_line.carried, 0) as line_opening
  from before
  left join unified_carried as unified
    on unified.account = before.account and unified.place = before.place
  left join isolated_carried as isolated
    on isolated.account = before.account and isolated.place = before.place
  left join line_carried as by_line
    on by_line.account = before.account and by_line.place = before.place
)
select account, place, feed, line, coin, occurred_at, unified_gap, unified_opening, unified_at as unified_previous_at,
  isolated_gap, isolated_opening, isolated_at as isolated_previous_at, line_gap, line_opening,
  line_at as line_previous_at
from gaps
where unified_gap is null or unified_gap <> 0
  or isolated_gap is null or isolated_gap <> 0
  or line_gap is null or line_gap <> 0
