-- The realised result of a futures position from flat to flat is what its orders sold for, less what they bought for, in the
-- time for which both feeds are complete, less a day at each end. The check compares closed positions of linear contracts (USDT
-- and USDC) that share no order's time with another position of their side and were not closed by the venue. If a position may
-- have been carried in from before the order history, its first one is left out and the others are a notice, because the level
-- at which the account is flat is then only likely. The average opening price may be cut off at the last decimal that the
-- orders' average prices show, and each order's value at its own.
-- grain: one row per account, contract and side
with
differing as (
  select * from staging.closed_position_values where abs(worth - realised) >= allowance
),
-- An order that is left out, or reported twice, changes fees as well; that is a break of order_fees.
trouble as (
  select account, coin, cast(null as varchar) as symbol, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, coin, symbol, occurred_at, occurred_at,
    'the futures record ' || coalesce(booked_id, secondary_id) || ', which one of two feeds has (see futures_v3_v2)'
  from staging.futures_secondary
  where booked_id is null or secondary_id is null
  union all
  select fees.account, fees.coin, split_part(fees.culprit, '/', 2), fees.occurred_at, fees.occurred_at + interval 1 day,
    'other fees of the same orders (see order_fees)'
  from checks.order_fees as fees
),
caused as (
  select differing.account as account, differing.line as line, differing.symbol as symbol,
    differing.position_side as position_side, min(trouble.cause) as cause
  from differing
  join trouble
    on trouble.account = differing.account and coalesce(trouble.symbol, differing.symbol) = differing.symbol
    and coalesce(trouble.coin || '-FUTURES', differing.line) = differing.line
    and trouble.starts_at <= differing.ends_at and trouble.ends_at >= differing.begins_at
  group by differing.account, differing.line, differing.symbol, differing.position_side
),
grouped as (
  select account, line, symbol, position_side, bool_or(is_brought_along) as is_likely_only,
    count(*) as position_count, min(begins_at) as first_at,
    sum(worth) as all_worth, sum(realised) as all_realised, min_by(ids, (begins_at, coalesce(hold_side, ''))) as first_ids,
    min_by(hold_side, (begins_at, coalesce(hold_side, ''))) as first_side
  from differing
  group by account, line, symbol, position_side
)
select case when caused.cause is null and not is_likely_only then 'warning' else 'notice' end as severity,
  grouped.account as account, cast(null as varchar) as ledger, replace(grouped.line, '-FUTURES', '') as coin,
  first_at as occurred_at,
  all_worth as expected, all_realised as found, all_realised - all_worth as difference,
  'The result of ' || counted(position_count, first_side || ' position', first_side || ' positions') || ' in ' || grouped.symbol || ' ('
    || grouped.line || ') is not what the orders sold for less what they bought for'
    || case when caused.cause is null then '.' else '; this follows from ' || caused.cause || '.' end as explanation,
  cast(to_json(first_ids) as varchar) as evidence,
  grouped.line || '/' || grouped.symbol || '/' || grouped.position_side as culprit
from grouped
left join caused
  on caused.account = grouped.account and caused.line = grouped.line and caused.symbol = grouped.symbol
  and caused.position_side = grouped.position_side
