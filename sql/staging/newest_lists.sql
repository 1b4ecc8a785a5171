-- The newest answer of each list that is asked for whole, such as open orders or positions: when it was told and received, and the
-- first page of the newest that is proven whole. A row that is older than that page has left the list; where no answer is
-- proven, null.
-- grain: one row per account, feed and partition
select account, feed, partition, max(case when answers.is_proven then answers.first_page end) as first_page,
  max_by(told_at, answers.first_page) as read_at, max_by(received_at, answers.first_page) as arrived_at
from staging.whole_answers as answers
group by account, feed, partition
