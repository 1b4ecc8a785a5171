-- Number of records of each account that carry a balance: the steps of its chains, including the first of each.
-- grain: one row per account
select account, cast(sum(row_count) as bigint) as steps
from staging.move_days
where has_balance and feed in (select feed from staging.feeds where has_balance)
group by account
