-- Contracts and sides of which a position was carried in from before the first order, or may have been: records of the side are
-- older than its first order, or orders closed more than they opened. Flat is then the level at which the running sum of orders
-- is most often.
-- grain: one row per account, line, symbol and position_side
with
beginnings as (
  select account, line, symbol, position_side, min(created_time) as first_order_at
  from staging.futures_runs
  group by account, line, symbol, position_side
),
brought_along as (
  select distinct entries.account as account, entries.product_line as line, entries.symbol as symbol,
    beginnings.position_side as position_side
  from main.entries as entries
  join beginnings
    on beginnings.account = entries.account and beginnings.line = entries.product_line
    and beginnings.symbol = entries.symbol and entries.occurred_at < beginnings.first_order_at
  where entries.kind in ('realised_pnl', 'liquidation', 'fee')
    and not (beginnings.position_side = 'long' and upper_case(entries.type) like '%SHORT%')
    and not (beginnings.position_side = 'short' and upper_case(entries.type) like '%LONG%')
  union
  -- Nobody holds less than zero of a side: what was closed beyond everything that the orders opened was there before.
  select account, line, symbol, position_side from staging.futures_runs where position_side <> 'net' and held < 0
),
levels as (
  select runs.account as account, runs.line as line, runs.symbol as symbol, runs.position_side as position_side,
    runs.held as held,
    row_number() over (
      partition by runs.account, runs.line, runs.symbol, runs.position_side
      order by count(*) desc, case when runs.position_side = 'net' then abs(runs.held) else runs.held end
    ) as choice
  from staging.futures_runs as runs
  join brought_along
    on brought_along.account = runs.account and brought_along.line = runs.line
    and brought_along.symbol = runs.symbol and brought_along.position_side = runs.position_side
  group by runs.account, runs.line, runs.symbol, runs.position_side, runs.held
)
select account, line, symbol, position_side, held as level
from levels
where choice = 1
