-- The newest answer of each list that is requested whole, such as open orders or positions: its time, when it was received, and
-- the first page of the newest one that is proven whole, or null if no answer is proven. A row older than that page has left
-- the list.
-- grain: one row per account, feed and partition
select account, feed, partition, max(case when answers.is_proven then answers.first_page end) as first_page,
  max_by(told_at, answers.first_page) as read_at, max_by(received_at, answers.first_page) as arrived_at
from staging.whole_answers as answers
group by account, feed, partition
