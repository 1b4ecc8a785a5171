-- Futures orders whose fees are known one by one, found as in trade_orders: a fee of a contract belongs to the only order of that
-- contract that was live at its time, and the fees found this way add up to what the order reports as paid in that coin.
-- grain: one row per entry_id of a fee that has its order
-- slices: occurred_at
-- by day: main.entries, main.order_fee_details
-- spans: staging.order_lifetimes from begins_at to ends_at
with
fees as (
  select entry_id, account, product_line as line, symbol, coin, -amount as fee, occurred_at
  from main.entries
  where kind = 'fee' and product_line like '%-FUTURES' and symbol is not null
),
numbered as (
  select cast(row_number() over (order by account, order_id) as bigint) as nth, account, order_id, line, symbol,
    begins_at, ends_at
  from staging.order_lifetimes
  where line like '%-FUTURES'
),
events as (
  select account, line, symbol, begins_at as happens_at, 1 as phase, 1 as change, nth,
    cast(null as varchar) as entry_id,
    cast(null as varchar) as coin, cast(null as decimal(38, 18)) as fee
  from numbered
  union all
  select account, line, symbol, occurred_at, 2, 0, 0, entry_id, coin, fee from fees
  union all
  select account, line, symbol, ends_at, 3, -1, nth, null, null, null from numbered
),
swept as (
  select entry_id, account, happens_at as occurred_at, coin, fee, sum(change) over so_far as living,
    sum(change * cast(nth as bigint)) over so_far as living_nth
  from events
  window so_far as (
    partition by account, line, symbol order by happens_at, phase
    range between unbounded preceding and current row
  )
),
alone as (
  select swept.entry_id as entry_id, swept.account as account, swept.occurred_at as occurred_at,
    swept.coin as coin, swept.fee as fee,
    numbered.order_id as order_id, numbered.ends_at as ends_at
  from swept
  join numbered on numbered.nth = swept.living_nth
  where swept.entry_id is not null and swept.living = 1
),
charged as (
  select account, order_id, coin, sum(alone.fee) as fee from alone group by account, order_id, coin
),
stated as (
  select account, order_id, fee_coin as coin, sum(order_fee_details.fee) as fee
  from main.order_fee_details
  where is_current and fee_coin <> '' and order_fee_details.fee is not null
  group by account, order_id, fee_coin
),
proven as (
  select charged.account as account, charged.order_id as order_id, charged.coin as coin
  from charged
  join stated
    on stated.account = charged.account and stated.order_id = charged.order_id and stated.coin = charged.coin
    and stated.fee = charged.fee
)
select alone.entry_id as entry_id, alone.occurred_at as occurred_at, alone.order_id as order_id,
  alone.ends_at as ends_at
from alone
join proven on proven.account = alone.account and proven.order_id = alone.order_id and proven.coin = alone.coin
