-- Runs of days (islands) in which orders and the tax records of an account and symbol can be held against each other: both
-- feeds are complete, a day inside the edges.
-- grain: one row per account, line, symbol and island
with
islands as (
  select account, line, symbol, island, min(first_day) as begins_on, max(last_day) as ends_on,
    sum(ordered) as all_ordered, sum(traded) as all_traded,
    sum(ordered_value) as all_ordered_value, sum(traded_value) as all_traded_value,
    bool_or(ordered_value is null) as is_value_unknown,
    -- What may have been cut off: one unit of the last decimal that these orders print, for each of them.
    sum(case when what = 'order' then 1 else 0 end) as order_count,
    max(
      length(rtrim(cast(coalesce(ordered_value, 0) as varchar), '0')) - position('.' in cast(ordered_value as varchar))
    ) as value_decimals,
    list(id order by first_day, id)[1:10] as ids
  from staging.order_spans
  group by account, line, symbol, island
)
select islands.*
from islands
join staging.both_covered as covered
  on covered.comparison = 'orders' and covered.account = islands.account and covered.line = islands.line
  and islands.begins_on > cast(covered.starts_at at time zone 'UTC' as date)
  and islands.ends_on < cast(covered.ends_at at time zone 'UTC' as date)
