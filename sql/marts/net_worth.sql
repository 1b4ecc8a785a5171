-- What each account was worth at the end of each UTC day: its coins less its debts, in the reporting currency. Coins without a
-- price are not in the value and are counted separately; open futures positions are included only to the extent realised.
-- grain: one row per account and day on which it held or owed something
-- keys:  account, day unique
-- columns:
--   account: Account.
--   day: UTC day.
--   value: Sum of everything that has a price; null if nothing has.
--   currency: Reporting currency.
--   unpriced_coins: Number of coins held or owed that have no price that day.
select account, day, sum(own_value) as value, any_value(daily_valuation.currency) as currency,
  count(distinct case when own_value is null then coin end) as unpriced_coins
from main.daily_valuation
group by account, day
