-- What the orders and trades of a symbol that begin on a day add up to.
-- slices: first_day
-- by day: staging.order_spans
-- grain: one row per account, line, symbol and first_day
select account, line, symbol, first_day, max(greatest(first_day, spans.last_day)) as last_day,
  sum(spans.ordered) as ordered, sum(spans.traded) as traded, sum(spans.ordered_value) as ordered_value,
  sum(spans.traded_value) as traded_value, bool_or(spans.ordered_value is null) as is_value_unknown,
  -- What may have been cut off: one unit of the last decimal that these orders print, for each of them.
  count(case when what = 'order' then 1 end) as order_count,
  max(case
    when spans.ordered_value <> 0
    then length(rtrim(amount_text(spans.ordered_value), '0')) - position('.' in amount_text(spans.ordered_value))
  end) as value_decimals
from staging.order_spans as spans
group by account, line, symbol, first_day
