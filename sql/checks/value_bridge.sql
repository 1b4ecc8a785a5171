-- What an account is worth at the end of a month follows from its worth before, what came in and went out, what it earned and
-- paid, its gains, and the change in value of what it still holds: to the last digit, if everything in the month is known.
-- needs: disposals
-- grain: one row per account and month that does not close
select 'warning' as severity, account, cast(null as varchar) as ledger, currency as coin,
  day_start(month) as occurred_at, closing_value - difference as expected,
  closing_value as found, difference,
  'The worth of ' || coalesce(account, 'all accounts') || ' at the end of ' || substr(cast(month as varchar), 1, 7)
    || ' does not follow from the month before: the lines of value_bridge and the closing value differ.' as explanation,
  cast(to_json([substr(cast(month as varchar), 1, 7)]) as varchar) as evidence,
  substr(cast(month as varchar), 1, 7) as culprit
from main.value_bridge
where difference <> 0 and unknown_events = 0 and unpriced_coins = 0
