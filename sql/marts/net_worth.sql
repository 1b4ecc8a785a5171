-- What each account was worth at the end of each UTC day: its coins less its debts, in the reporting currency. Coins
-- without a price are counted apart, and in no value; open futures positions count as far as they are realised.
-- grain: one row per account and day
-- keys:  account, day unique
-- columns:
--   account: Account.
--   day: UTC day.
--   value: Sum of what has a price; null where nothing has.
--   currency: Reporting currency.
--   unpriced_coins: How many coins that are held or owed have no price that day.
select account, day, sum(own_value) as value, any_value(daily_valuation.currency) as currency,
  count(distinct case when own_value is null then coin end) as unpriced_coins
from main.daily_valuation
group by account, day
