-- What the entries of a UTC day add up to in each wallet and coin, by the feed that they come from.
-- slices: day
-- by day: main.entries
-- grain: one row per account, ledger, feed, coin and day
select account, ledger, source_feed, coin, utc_day(occurred_at) as day, sum(entries.amount) as amount,
  min(entries.occurred_at) as first_at, max(entries.occurred_at) as last_at
from main.entries as entries
group by account, ledger, source_feed, coin, utc_day(occurred_at)
