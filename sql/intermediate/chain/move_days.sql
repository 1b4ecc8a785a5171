-- What the moves of a UTC day come to: how many there are, and the last of them with its balance, if they carry one.
-- slices: day
-- by day: staging.moves
-- grain: one row per account, feed, line, coin, day and has_balance
select account, feed, line, coin, utc_day(occurred_at) as day, moves.balance is not null as has_balance,
  count(*) as row_count, max(moves.place) as place, max(moves.occurred_at) as last_at,
  max_by(moves.balance, moves.place) as balance
from staging.moves as moves
group by account, feed, line, coin, utc_day(occurred_at), moves.balance is not null
