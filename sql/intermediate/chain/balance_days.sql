-- The moves that carry a balance, of each line, coin and day: how many, and the place of the last. One day is found here without
-- reading every move.
-- slices: occurred_at
-- by day: staging.moves
-- grain: one row per account, feed, coin, line and UTC day
select account, feed, coin, line, count(*) as move_count, max(moves.place) as place, max(moves.occurred_at) as occurred_at
from staging.moves as moves
where balance is not null
group by account, feed, coin, line, utc_day(moves.occurred_at)
