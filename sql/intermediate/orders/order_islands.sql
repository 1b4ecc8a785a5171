-- Runs of days (islands) in which orders and the tax records of an account and symbol can be compared: both feeds are complete,
-- less a day at each end.
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
    count(case when what = 'order' then 1 end) as order_count,
    max(case
      when ordered_value <> 0
      then length(rtrim(amount_text(ordered_value), '0')) - position('.' in amount_text(ordered_value))
    end) as value_decimals
  from spans
  group by account, line, symbol, island
)
select islands.account as account, islands.line as line, islands.symbol as symbol, islands.island as island,
  islands.begins_on as begins_on, islands.ends_on as ends_on, islands.all_ordered as all_ordered,
  islands.all_traded as all_traded, islands.all_ordered_value as all_ordered_value,
  islands.all_traded_value as all_traded_value, islands.is_value_unknown as is_value_unknown,
  islands.order_count as order_count, islands.value_decimals as value_decimals
from islands
join covered
  on covered.account = islands.account and covered.line = islands.line
  and islands.begins_on > utc_day(covered.starts_at)
  and islands.ends_on < utc_day(covered.ends_at)
