-- Transactions whose postings do not sum to zero: there are none, unless the books are wrong.
-- slices: occurred_at
-- by day: main.postings
-- grain: one row per transaction and coin with another sum
select transaction_id, account, coin, sum(amount) as total, min(postings.occurred_at) as occurred_at
from main.postings
group by transaction_id, account, coin
having sum(amount) <> 0
