-- Runs of days (islands) in which orders and the tax records of an account and symbol can be held against each other: both
-- feeds are complete, a day inside the edges.
-- grain: one row per account, line, symbol and island
with
covered as (select * from staging.both_covered where comparison = 'orders'),
-- What no pair of complete feeds reaches drops out below; it need not be grouped first.
spans as (
  select *
  from staging.order_spans as spans
  where exists (select 1 from covered where covered.account = spans.account and covered.line = spans.line)
),
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
    -- The first ten alone are kept while grouping: an ordered list would hold every id in memory, and does not spill.
    arg_min(id, row(first_day, id), 10) as ids
  from spans
  group by account, line, symbol, island
)
select islands.*
from islands
join covered
  on covered.account = islands.account and covered.line = islands.line
  and islands.begins_on > cast(covered.starts_at at time zone 'UTC' as date)
  and islands.ends_on < cast(covered.ends_at at time zone 'UTC' as date)
