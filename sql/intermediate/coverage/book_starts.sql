-- The time from which all business lines of an account are covered. While a first run is in progress, the venue's retention moves
-- forward, so the lines begin minutes apart; a transaction in between may be only half there, and that is no gap.
-- A line that begins more than a day later than the first is a matter of coverage and is not considered.
-- grain: one row per account
with
starts as (
  select account, partition, min(starts_at) as first_at
  from staging.covered_ranges
  where feed in (select feed from staging.feeds where has_balance)
  group by account, partition
),
earliest as (select account, min(starts.first_at) as first_at from starts group by account)
select starts.account as account, max(starts.first_at) as settled_at
from starts
join earliest on earliest.account = starts.account
where starts.first_at <= earliest.first_at + interval 1 day
group by starts.account
