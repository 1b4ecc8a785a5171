-- Number of records of each account that carry a balance: the steps of its chains, including the first of each.
-- grain: one row per account
select account, count(*) as steps
from staging.moves
where balance is not null and feed in (select feed from staging.feeds where has_balance)
group by account
