-- Closed futures positions that can be compared with their orders: what the orders sold for less what they bought for, beside
-- what the records realised, and how far the two may differ through cut-off digits. The check orders_vs_futures states which
-- positions these are.
-- grain: one row per account, contract, side and number
with
spans as (
  select *,
    lag(ends_at, 1, null) over (partition by account, line, symbol, position_side order by number) as previous_end,
    lead(first_created_at, 1, null) over (partition by account, line, symbol, position_side order by number) as next_start
  from staging.futures_episodes
  where line in ('USDT-FUTURES', 'USDC-FUTURES')
),
closed as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.position_side as position_side,
    spans.number as number, spans.is_brought_along as is_brought_along, spans.hold_side as hold_side,
    spans.first_created_at as first_created_at, spans.begins_at as begins_at, spans.first_filled_at as first_filled_at,
    spans.ends_at as ends_at, spans.previous_end as previous_end, spans.next_start as next_start
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
      where resting.account = spans.account and upper_case(resting.category) = spans.line and resting.symbol = spans.symbol
        and resting.is_current and resting.cum_exec_qty > 0 and resting.created_time <= spans.ends_at
    )
),
orders as (
  select closed.account as account, closed.line as line, closed.symbol as symbol,
    closed.position_side as position_side, closed.number as number, orders.order_id as order_id,
    orders.cum_exec_qty as quantity,
    case when lower_case(orders.side) = 'sell' then orders.cum_exec_value else -orders.cum_exec_value end as value,
    greatest(
      2, length(rtrim(amount_text(orders.avg_price), '0')) - position('.' in amount_text(orders.avg_price))
    ) as price_decimals,
    greatest(
      2, length(rtrim(amount_text(orders.cum_exec_value), '0'))
        - position('.' in amount_text(orders.cum_exec_value))
    ) as value_decimals,
    lower_case(coalesce(orders.exec_type, '')) = 'liquidation' as is_forced
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
  select orders.account as account, orders.line as line, orders.symbol as symbol,
    orders.position_side as position_side, orders.number as number, sum(value) as worth,
    bool_or(is_forced or value is null) as is_unsuited,
    sum(exact_multiply(quantity, prices.last_decimal)) + sum(amounts.last_decimal) as allowance,
    first_of(ordered_list('trade.orderHistory/' || order_id, order_id), 10) as ids
  from orders
  join decimals
    on decimals.account = orders.account and decimals.line = orders.line and decimals.symbol = orders.symbol
    and decimals.position_side = orders.position_side and decimals.number = orders.number
  join staging.last_decimals as prices on prices.decimals = decimals.price_places
  join staging.last_decimals as amounts on amounts.decimals = decimals.value_places
  group by orders.account, orders.line, orders.symbol, orders.position_side, orders.number
),
realised as (
  select closed.account as account, closed.line as line, closed.symbol as symbol,
    closed.position_side as position_side, closed.number as number,
    sum(case when moves.kind = 'realised_pnl' then moves.amount else 0 end) as realised,
    bool_or(moves.kind = 'liquidation') as is_liquidated
  from closed
  join staging.futures_position_moves as moves
    on moves.account = closed.account and moves.line = closed.line and moves.symbol = closed.symbol
    and moves.position_side = closed.position_side and moves.number = closed.number
  group by closed.account, closed.line, closed.symbol, closed.position_side, closed.number
),
-- Records that could belong to more than one position, or that have no symbol, leave the positions of their time in doubt.
doubtful as (
  select account, line, symbol, occurred_at
  from staging.futures_position_moves
  where (number is null or symbol is null) and kind <> 'funding'
)
select closed.account as account, closed.line as line, closed.symbol as symbol, closed.position_side as position_side,
  closed.number as number, closed.hold_side as hold_side, closed.begins_at as begins_at,
  closed.is_brought_along as is_brought_along,
  closed.ends_at as ends_at, valued.worth as worth, coalesce(realised.realised, 0) as realised,
  valued.allowance as allowance, valued.ids as ids
from closed
join valued
  on valued.account = closed.account and valued.line = closed.line and valued.symbol = closed.symbol
  and valued.position_side = closed.position_side and valued.number = closed.number
left join realised
  on realised.account = closed.account and realised.line = closed.line and realised.symbol = closed.symbol
  and realised.position_side = closed.position_side and realised.number = closed.number
where not valued.is_unsuited and not coalesce(realised.is_liquidated, false)
  and not exists (
    select 1 from doubtful
    where doubtful.account = closed.account and doubtful.line = closed.line
      and coalesce(doubtful.symbol, closed.symbol) = closed.symbol
      and doubtful.occurred_at between closed.begins_at and closed.ends_at
  )
