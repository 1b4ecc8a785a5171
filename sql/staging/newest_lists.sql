-- The newest complete answer of each list that is asked for whole, such as open orders or positions: its first page, and
-- when that was received.
-- grain: one row per account, feed and partition
select account, feed, partition, max(answers.first_page) as first_page, max(received_at) as read_at
from staging.whole_answers as answers
group by account, feed, partition
