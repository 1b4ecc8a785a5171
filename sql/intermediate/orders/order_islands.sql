-- Runs of days (islands) in which orders and the tax records of an account and symbol can be compared: both feeds are complete,
-- less a day at each end.
-- grain: one row per account, line, symbol and island
with
islands as (
  select days.account as account, days.line as line, days.symbol as symbol, runs.island as island,
    min(days.first_day) as begins_on, max(days.last_day) as ends_on,
    sum(days.ordered) as all_ordered, sum(days.traded) as all_traded,
    sum(days.ordered_value) as all_ordered_value, sum(days.traded_value) as all_traded_value,
    bool_or(days.is_value_unknown) as is_value_unknown, sum(days.order_count) as order_count,
    max(days.value_decimals) as value_decimals
  from staging.order_days as days
  join staging.order_runs as runs
    on runs.account = days.account and runs.line = days.line
    and runs.symbol is not distinct from days.symbol and runs.first_day is not distinct from days.first_day
  group by days.account, days.line, days.symbol, runs.island
)
select islands.account as account, islands.line as line, islands.symbol as symbol, islands.island as island,
  islands.begins_on as begins_on, islands.ends_on as ends_on, islands.all_ordered as all_ordered,
  islands.all_traded as all_traded, islands.all_ordered_value as all_ordered_value,
  islands.all_traded_value as all_traded_value, islands.is_value_unknown as is_value_unknown,
  cast(islands.order_count as bigint) as order_count, islands.value_decimals as value_decimals
from islands
join staging.both_covered as covered
  on covered.comparison = 'orders' and covered.account = islands.account and covered.line = islands.line
  and islands.begins_on > utc_day(covered.starts_at)
  and islands.ends_on < utc_day(covered.ends_at)
