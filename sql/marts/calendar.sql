-- Every UTC day from the first change that the books know of to the last run, or the last change where no run has ended, for
-- reports that must not lose the days on which nothing happened.
-- grain: one row per day
-- keys:  day unique
-- columns:
--   day: UTC day.
--   iso_week: Week by ISO 8601, such as 2026-W02.
--   month: First day of the month.
--   quarter: First day of the quarter.
--   year: Calendar year.
--   weekday: 1 for Monday to 7 for Sunday.
--   is_month_end: Whether it is the last day of its month.
with
spans as (
  select min(occurred_at) as first_at, max(occurred_at) as last_at from main.entries
  union all
  select min(happened_at), max(happened_at) from main.lot_events
  union all
  select null, max(ended_at) from main.runs
),
ends as (
  select cast(min(first_at) at time zone 'UTC' as date) as first_day,
    cast(max(last_at) at time zone 'UTC' as date) as last_day
  from spans
),
days as (
  select cast(each.day as date) as day
  from ends
  cross join lateral unnest(generate_series(ends.first_day, ends.last_day, interval 1 day)) as each (day)
)
select day, strftime(day, '%G-W%V') as iso_week, cast(date_trunc('month', day) as date) as month,
  cast(date_trunc('quarter', day) as date) as quarter, cast(year(day) as integer) as year,
  cast(isodow(day) as integer) as weekday, day = last_day(day) as is_month_end
from days
