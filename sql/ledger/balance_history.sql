-- Balances and outstanding loan principal at the end of each UTC day. They start with the first entry of a wallet and coin
-- and end with the later of two days: the last day that was over when a run answered by the venue ended, and the last day
-- on which any account has an entry. Books known only from imports continue to the last imported price of a coin they still
-- hold, if that is later, because no run asks for their state.
-- grain: one row per account, ledger, coin and day
-- keys:  account, ledger, coin, day unique
-- slices: day
-- columns:
--   account: Account.
--   ledger: Wallet; IMPORT for an account known only from imports.
--   coin: Coin.
--   day: UTC day.
--   change: Sum of the day's entries.
--   quantity: Balance at the end of the day, including borrowed coins.
--   borrowed: Loan principal that the wallet owes in this coin at the end of the day.
with
moves as (
  select account, ledger, coin, day, amount, cast(0 as decimal(38, 18)) as borrowed from staging.entry_days
  union all
  select account, ledger, coin, utc_day(occurred_at), cast(0 as decimal(38, 18)), amount from staging.principal_moves
  union all
  select account, ledger, coin, utc_day(occurred_at), amount, cast(0 as decimal(38, 18)) from main.imported_entries
),
changes as (
  select account, ledger, coin, day, sum(moves.amount) as change, sum(moves.borrowed) as borrowed
  from moves
  group by account, ledger, coin, day
),
spans as (
  select account, ledger, coin, min(day) as first_day from changes group by account, ledger, coin
),
held as (
  select coin from changes group by account, coin having sum(changes.change) <> 0
),
-- On either side, because a rate between two currencies prices both.
priced as (
  select asset as coin, priced_at, page_id from landing.imported_prices
  union all
  select currency, priced_at, page_id from landing.imported_prices
),
ends as (
  select max(day) as last_day
  from (
    select day from changes
    union all
    -- A run that found nothing new proves that the balances are unchanged, but it does not know the end of its own day.
    select plus_days(max(utc_day(ended_at)), -1) from main.runs where is_answered
    union all
    select max(utc_day(priced_at))
    from priced
    anti join landing.import_withdrawals using (page_id)
    where coin in (select coin from held) and coin <> (select currency from staging.reporting)
      and not exists (select 1 from staging.entry_days)
  )
),
days as (
  select spans.account as account, spans.ledger as ledger, spans.coin as coin,
    unnest(days_between(spans.first_day, ends.last_day)) as day
  from spans
  cross join ends
)
select days.account as account, days.ledger as ledger, days.coin as coin, days.day as day,
  coalesce(changes.change, 0) as change,
  sum(coalesce(changes.change, 0)) over running as quantity,
  coalesce(liabilities.owed_before, 0) + sum(coalesce(changes.borrowed, 0)) over running as borrowed
from days
left join changes
  on changes.account = days.account and changes.ledger = days.ledger
  and changes.coin = days.coin and changes.day = days.day
left join main.liabilities as liabilities
  on liabilities.account = days.account and liabilities.ledger = days.ledger and liabilities.coin = days.coin
window running as (
  partition by days.account, days.ledger, days.coin order by days.day
  rows between unbounded preceding and current row
)
