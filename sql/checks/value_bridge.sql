-- What an account is worth at the end of a month follows from its worth before, what came in and went out, what it earned and
-- paid, its gains, and the change in value of what it still holds: to the last digit, if everything in the month is known.
-- Rules that merge the sales of a day (uk) count them at the first of them. If that is in the last hour of a UTC month, which in
-- summer belongs to the next day of London, later sales of that day are in the difference of both months: that is a notice.
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
affected as (
  select month from straddling
  union
  select month_of(plus_days(month_end(month), 1)) from straddling
)
select case when affected.month is null then 'warning' else 'notice' end as severity, account,
  cast(null as varchar) as ledger, currency as coin,
  day_start(bridge.month) as occurred_at, closing_value - difference as expected,
  closing_value as found, difference,
  'The worth of ' || coalesce(account, 'all accounts') || ' at the end of ' || substr(cast(bridge.month as varchar), 1, 7)
    || ' does not follow from the month before: the lines of value_bridge and the closing value differ.'
    || case
      when affected.month is null then ''
      else ' A day of London whose sales count as one reaches across the end of a month of UTC: the months before and after it '
        || 'differ by the same amount, and together they close.'
    end as explanation,
  cast(to_json([substr(cast(bridge.month as varchar), 1, 7)]) as varchar) as evidence,
  substr(cast(bridge.month as varchar), 1, 7) as culprit
from main.value_bridge as bridge
left join affected on affected.month = bridge.month
where difference <> 0 and unknown_events = 0 and unpriced_coins = 0
