-- What an account is worth at the end of a month follows from its worth before, what came in and went out, what it earned and
-- paid, its gains, and the change in value of what it still holds: to the last digit, if everything in the month is known.
-- Rules that merge the sales of a day (uk) count them at the first of them. If that is in the last hour of a UTC month, which in
-- summer belongs to the next day of London, later sales of that day are in the difference of both months: a notice, if the two
-- differences cancel each other.
-- needs: disposals
-- grain: one row per account and month that does not close
with
-- Summer time is in force at the ends of March to September.
straddling as (
  select month_of(utc_day(disposed_at)) as month
  from main.disposals
  where rules = 'uk' and substr(cast(utc_day(disposed_at) as varchar), 6, 2) between '03' and '09'
    and month_of(utc_day(disposed_at)) < month_of(utc_day(disposed_at + interval 1 hour))
),
pairs as (
  select one.account as account, one.month as first_month, other.month as second_month
  from straddling
  join main.value_bridge as one on one.month = straddling.month
  join main.value_bridge as other
    on other.account is not distinct from one.account and other.month = plus_days(month_end(one.month), 1)
  where one.difference + other.difference = 0 and one.unknown_events + other.unknown_events = 0
    and one.unpriced_coins + other.unpriced_coins = 0
),
affected as (
  select account, first_month as month from pairs
  union
  select account, second_month from pairs
)
select case when affected.month is null then 'warning' else 'notice' end as severity, bridge.account as account,
  cast(null as varchar) as ledger, currency as coin,
  day_start(bridge.month) as occurred_at, closing_value - difference as expected,
  closing_value as found, difference,
  'The worth of ' || coalesce(bridge.account, 'all accounts') || ' at the end of ' || substr(cast(bridge.month as varchar), 1, 7)
    || ' does not follow from the month before: the lines of value_bridge and the closing value differ.'
    || case
      when affected.month is null then ''
      else ' A day of London whose sales count as one reaches across the end of a month of UTC: the months before and after it '
        || 'differ by the same amount, and together they close.'
    end as explanation,
  cast(to_json([substr(cast(bridge.month as varchar), 1, 7)]) as varchar) as evidence,
  substr(cast(bridge.month as varchar), 1, 7) as culprit
from main.value_bridge as bridge
left join affected on affected.account is not distinct from bridge.account and affected.month = bridge.month
where bridge.difference <> 0 and bridge.unknown_events = 0 and bridge.unpriced_coins = 0
