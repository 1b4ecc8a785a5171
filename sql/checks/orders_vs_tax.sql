-- Spot and margin orders have filled the same quantity and value as the trades of the tax records, symbol by symbol, in the time
-- for which both feeds are complete, less a day at each end. An order may fill over several days, so days are compared together
-- if orders reach across midnight. The order history contains only orders that have ended: fills of an order that is still open
-- are in the open orders, and if those have never been read, trades without an order prove nothing.
-- Quantities are in the base coin of the symbol, values in its quote coin.
-- Values are compared if quantities agree; each order's value may be cut off at the last decimal that orders print.
-- grain: one row per account and symbol
with
compared as (
  select islands.account as account, islands.line as line, islands.symbol as symbol, islands.island as island,
    islands.begins_on as begins_on, islands.ends_on as ends_on, islands.all_ordered as all_ordered,
    islands.all_traded as all_traded, islands.all_ordered_value as all_ordered_value,
    islands.all_traded_value as all_traded_value, islands.is_value_unknown as is_value_unknown,
    islands.order_count as order_count, islands.value_decimals as value_decimals,
    exact_multiply(decimals.last_decimal, cast(islands.order_count as decimal(38, 18))) as allowance
  from staging.order_islands as islands
  join staging.last_decimals as decimals on decimals.decimals = greatest(2, coalesce(islands.value_decimals, 0))
  where islands.line in ('SPOT', 'MARGIN')
),
inside as (
  select *, all_ordered = all_traded as is_of_value
  from compared
  where (
      all_ordered > all_traded
      or (
        all_ordered < all_traded
        and account in (select account from landing.pages where feed = 'trade.openOrders')
      )
    )
    or (
      all_ordered = all_traded and not is_value_unknown
      and abs(all_ordered_value - all_traded_value) >= allowance
    )
),
trouble as (
  select account, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, occurred_at, occurred_at, 'the legs left over at record ' || source_id
  from staging.trade_legs
  where status = 'leftover'
),
caused as (
  select inside.account as account, inside.symbol as symbol, min(trouble.cause) as cause
  from inside
  join trouble
    on trouble.account = inside.account
    and utc_day(trouble.starts_at) <= inside.ends_on
    and utc_day(trouble.ends_at) >= inside.begins_on
  group by inside.account, inside.symbol
),
grouped as (
  select account, symbol, bool_and(inside.is_of_value) as is_of_value,
    sum(case when inside.is_of_value then 0 else all_ordered end) as ordered,
    sum(case when inside.is_of_value then 0 else all_traded end) as traded,
    sum(all_ordered_value) as ordered_value, sum(all_traded_value) as traded_value, min(begins_on) as first_day,
    count(*) as island_count
  from inside
  group by account, symbol
),
numbered as (
  select account, line, symbol, island,
    row_number() over (partition by account, symbol order by begins_on, line) as nth
  from inside
),
first_ids as (
  select numbered.account as account, numbered.symbol as symbol,
    first_by(spans.id, (spans.first_day, spans.id), 10) as ids
  from numbered
  join staging.order_runs as runs
    on runs.account = numbered.account and runs.line = numbered.line and runs.island = numbered.island
    and runs.symbol is not distinct from numbered.symbol
  join staging.order_spans as spans
    on spans.account = runs.account and spans.line = runs.line and spans.first_day = runs.first_day
    and spans.symbol is not distinct from runs.symbol
  where numbered.nth = 1
  group by numbered.account, numbered.symbol
),
-- The coins of a symbol follow from its trades or, if none are known, from its letters.
traded_coins as (
  select symbol, min(trades.base) as base, min(trades.quote) as quote
  from main.trades
  where kind = 'trade'
  group by symbol
  having min(trades.base) = max(trades.base)
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account as account, cast(null as varchar) as ledger,
  case
    when is_of_value then coalesce(traded_coins.quote, symbol_coins.quote)
    else coalesce(traded_coins.base, symbol_coins.base)
  end as coin,
  day_start(first_day) as occurred_at,
  case when is_of_value then ordered_value else ordered end as expected,
  case when is_of_value then traded_value else traded end as found,
  case when is_of_value then traded_value - ordered_value else traded - ordered end as difference,
  'Orders ' || coalesce('of ' || grouped.symbol, 'without a symbol') || ' and the trades of the tax records differ in '
    || case when is_of_value then 'value' else 'quantity' end || ' on '
    || counted(island_count, 'day or run of days', 'days or runs of days') || ', the first on ' || cast(first_day as varchar)
    || case when caused.cause is null then '.' else '; this follows from ' || caused.cause || '.' end
    as explanation,
  cast(to_json(first_ids.ids) as varchar) as evidence,
  coalesce(grouped.symbol, '') as culprit
from grouped
join first_ids
  on first_ids.account = grouped.account and first_ids.symbol is not distinct from grouped.symbol
left join traded_coins on traded_coins.symbol = grouped.symbol
left join staging.symbol_coins as symbol_coins on symbol_coins.symbol = grouped.symbol
left join caused on caused.account = grouped.account and caused.symbol is not distinct from grouped.symbol
