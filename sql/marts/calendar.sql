-- Every UTC day, for reports that must not lose the days on which nothing happened: from the first change in the books to the
-- last run that the venue answered or, if that is later or there is none, to the last day with a change or with balances.
-- grain: one row per day
-- keys:  day unique
-- columns:
--   day: UTC day.
--   iso_week: ISO 8601 week, such as 2026-W02.
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
  select day_start(min(day)), day_start(max(day)) from main.balance_history
  union all
  select null, max(ended_at) from main.runs where is_answered
),
ends as (
  select utc_day(min(first_at)) as first_day,
    utc_day(max(last_at)) as last_day
  from spans
),
days as (
  select unnest(days_between(first_day, last_day)) as day from ends
)
select day, week_text(day) as iso_week, month_of(day) as month,
  quarter_of(day) as quarter, cast(year(day) as integer) as year,
  cast(weekday_of(day) as integer) as weekday, day = month_end(day) as is_month_end
from days
