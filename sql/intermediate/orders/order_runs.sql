-- The run of days (island) to which a day of a symbol belongs, by the first day of the run. An order may fill over several days,
-- so days that an order spans are compared together: no order crosses from one run into another. A run ends where no span of
-- its days reaches the next one.
-- grain: one row per account, line, symbol and first_day
with
marked as (
  select account, line, symbol, first_day,
    case
      when first_day <= max(last_day) over (
        partition by account, line, symbol order by first_day rows between unbounded preceding and 1 preceding
      ) then null
      else first_day
    end as begins_on
  from staging.order_days
)
select account, line, symbol, first_day,
  max(begins_on) over (
    partition by account, line, symbol order by first_day rows between unbounded preceding and current row
  ) as island
from marked
