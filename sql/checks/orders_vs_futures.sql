-- What a futures position has realised from flat to flat is what its orders sold for, less what they bought for, where both
-- feeds are complete, a day inside the edges. Compared are closed positions of linear contracts (USDT and USDC) that share
-- no order's time with another one of their side, and that the venue has not closed itself. Where a position may have been
-- brought along from before the order history, its first one is left out, and the others are a notice, since the level at
-- which the account is flat is only likely there. The average price of opening may be cut off at the last decimal that
-- the orders' average prices show, and each order's value at its own.
-- grain: one row per account, contract and side
with
spans as (
  select *,
    lag(ends_at, 1, null) over (partition by account, line, symbol, position_side order by number) as previous_end,
    lead(first_created_at, 1, null) over (partition by account, line, symbol, position_side order by number) as next_start
  from staging.futures_episodes
  where line in ('USDT-FUTURES', 'USDC-FUTURES')
),
closed as (
  select spans.*
  from spans
  join staging.both_covered as covered
    on covered.comparison = 'orders' and covered.account = spans.account and covered.line = spans.line
    and spans.begins_at >= covered.starts_at and spans.ends_at <= covered.ends_at
  where spans.ends_at is not null and not (spans.is_brought_along and spans.number = 1)
    and spans.begins_at = spans.first_created_at
    and (spans.next_start is null or spans.next_start > spans.ends_at)
    and spans.account in (select account from landing.pages where feed = 'trade.openOrders')
    and not exists (
      select 1 from main.open_orders as resting
      where resting.account = spans.account and resting.category = spans.line and resting.symbol = spans.symbol
        and resting.is_current and resting.cum_exec_qty > 0 and resting.created_time <= spans.ends_at
    )
),
orders as (
  select closed.account, closed.line, closed.symbol, closed.position_side, closed.number, orders.order_id,
    orders.cum_exec_qty as quantity,
    case when lower(orders.side) = 'sell' then orders.cum_exec_value else -orders.cum_exec_value end as value,
    greatest(
      2, length(rtrim(cast(orders.avg_price as varchar), '0')) - position('.' in cast(orders.avg_price as varchar))
    ) as price_decimals,
    greatest(
      2, length(rtrim(cast(orders.cum_exec_value as varchar), '0'))
        - position('.' in cast(orders.cum_exec_value as varchar))
    ) as value_decimals,
    lower(coalesce(orders.exec_type, '')) = 'liquidation' as is_forced
  from closed
  join staging.futures_fills as fills
    on fills.account = closed.account and fills.line = closed.line and fills.symbol = closed.symbol
    and fills.position_side = closed.position_side
    and fills.filled_at > coalesce(closed.previous_end, closed.begins_at - interval 1 millisecond)
    and fills.filled_at <= closed.ends_at
  join main.orders as orders
    on orders.account = fills.account and orders.order_id = fills.order_id and orders.is_current
),
decimals as (
  select account, line, symbol, position_side, number, max(price_decimals) as price_places,
    max(value_decimals) as value_places
  from orders
  group by account, line, symbol, position_side, number
),
valued as (
  select orders.account, orders.line, orders.symbol, orders.position_side, orders.number, sum(value) as worth,
    bool_or(is_forced or value is null) as is_unsuited,
    sum(exact_multiply(quantity, prices.last_decimal)) + sum(amounts.last_decimal) as allowance,
    list('trade.orderHistory/' || order_id order by order_id)[1:10] as ids
  from orders
  join decimals
    on decimals.account = orders.account and decimals.line = orders.line and decimals.symbol = orders.symbol
    and decimals.position_side = orders.position_side and decimals.number = orders.number
  join staging.last_decimals as prices on prices.decimals = decimals.price_places
  join staging.last_decimals as amounts on amounts.decimals = decimals.value_places
  group by orders.account, orders.line, orders.symbol, orders.position_side, orders.number
),
realised as (
  select account, line, symbol, position_side, number,
    sum(case when kind = 'realised_pnl' then amount else 0 end) as realised,
    bool_or(kind = 'liquidation') as is_liquidated
  from staging.futures_position_moves
  where number is not null
  group by account, line, symbol, position_side, number
),
-- Records that could belong to more than one position, or that tell no symbol, leave those of their time in doubt.
doubtful as (
  select account, line, symbol, occurred_at
  from staging.futures_position_moves
  where (number is null or symbol is null) and kind <> 'funding'
),
differing as (
  select closed.account, closed.line, closed.symbol, closed.position_side, closed.hold_side, closed.begins_at,
    closed.is_brought_along,
    closed.ends_at, valued.worth, coalesce(realised.realised, 0) as realised, valued.ids
  from closed
  join valued
    on valued.account = closed.account and valued.line = closed.line and valued.symbol = closed.symbol
    and valued.position_side = closed.position_side and valued.number = closed.number
  left join realised
    on realised.account = closed.account and realised.line = closed.line and realised.symbol = closed.symbol
    and realised.position_side = closed.position_side and realised.number = closed.number
  where not valued.is_unsuited and not coalesce(realised.is_liquidated, false)
    and abs(valued.worth - coalesce(realised.realised, 0)) >= valued.allowance
    and not exists (
      select 1 from doubtful
      where doubtful.account = closed.account and doubtful.line = closed.line
        and coalesce(doubtful.symbol, closed.symbol) = closed.symbol
        and doubtful.occurred_at between closed.begins_at and closed.ends_at
    )
),
-- An order that is left out, or told twice, changes fees as well; that is the break of order_fees.
trouble as (
  select account, coin, cast(null as varchar) as symbol, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, coin, symbol, occurred_at, occurred_at,
    'the futures record ' || coalesce(booked_id, witnessed_id) || ', which one of two feeds has (see futures_v3_v2)'
  from staging.futures_witness
  where booked_id is null or witnessed_id is null
  union all
  select fees.account, fees.coin, split_part(fees.culprit, '/', 2), fees.occurred_at, fees.occurred_at + interval 1 day,
    'other fees of the same orders (see order_fees)'
  from checks.order_fees as fees
),
caused as (
  select differing.account, differing.line, differing.symbol, differing.position_side, min(trouble.cause) as cause
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
    sum(worth) as all_worth, sum(realised) as all_realised, min_by(ids, begins_at) as first_ids,
    min_by(hold_side, begins_at) as first_side
  from differing
  group by account, line, symbol, position_side
)
select case when caused.cause is null and not is_likely_only then 'warning' else 'notice' end as severity,
  grouped.account, cast(null as varchar) as ledger, cast(null as varchar) as coin, first_at as occurred_at,
  all_worth as expected, all_realised as found, all_realised - all_worth as difference,
  'What ' || cast(position_count as varchar) || ' ' || first_side || ' position(s) in ' || grouped.symbol || ' ('
    || grouped.line || ') realised is not what their orders sold for less what they bought for'
    || case when caused.cause is null then '.' else '; this follows from ' || caused.cause || '.' end as explanation,
  cast(to_json(first_ids) as varchar) as evidence,
  grouped.line || '/' || grouped.symbol || '/' || grouped.position_side as culprit
from grouped
left join caused
  on caused.account = grouped.account and caused.line = grouped.line and caused.symbol = grouped.symbol
  and caused.position_side = grouped.position_side
