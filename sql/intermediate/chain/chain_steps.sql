-- Number of records of each account that carry a balance: the steps of its chains, including the first of each.
-- grain: one row per account
select account, cast(sum(move_count) as bigint) as steps
from staging.balance_days
where feed in (select feed from staging.feeds where has_balance)
group by account
