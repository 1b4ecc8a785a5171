-- Balances at the end of each UTC day, from the first entry of a wallet and coin to the last day on which the
-- account has any.
-- grain: one row per account, ledger, coin and day
-- keys:  account, ledger, coin, day unique
-- columns:
--   account: Account.
--   ledger: Wallet; IMPORT for an account that imports alone tell of.
--   coin: Coin.
--   day: UTC day.
--   change: Sum of the day's entries.
--   quantity: Balance at the end of the day.
with
moves as (
  select account, ledger, coin, occurred_at, amount from main.entries
  union all
  select account, ledger, coin, occurred_at, amount from main.imported_entries
),
changes as (
  select account, ledger, coin, cast(occurred_at at time zone 'UTC' as date) as day, sum(amount) as change
  from moves
  group by account, ledger, coin, cast(occurred_at at time zone 'UTC' as date)
),
spans as (
  select account, ledger, coin, min(day) as first_day from changes group by account, ledger, coin
),
ends as (
  select account, max(day) as last_day from changes group by account
),
days as (
  select spans.account, spans.ledger, spans.coin, cast(each.day as date) as day
  from spans
  join ends on ends.account = spans.account
  cross join lateral unnest(
    generate_series(spans.first_day, ends.last_day, interval 1 day)
  ) as each (day)
)
select days.account, days.ledger, days.coin, days.day,
  coalesce(changes.change, 0) as change,
  sum(coalesce(changes.change, 0)) over (
    partition by days.account, days.ledger, days.coin order by days.day
    rows between unbounded preceding and current row
  ) as quantity
from days
left join changes
  on changes.account = days.account and changes.ledger = days.ledger
  and changes.coin = days.coin and changes.day = days.day
