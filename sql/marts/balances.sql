-- What each wallet holds: the sum of its entries, with the venue's last balance beside it. An account known only from imports
-- has one wallet, IMPORT: the sum of its imported_entries.
-- grain: one row per account, ledger and coin
-- keys:  account, ledger, coin unique
-- columns:
--   account: Account.
--   ledger: Wallet; IMPORT for an account known only from imports.
--   coin: Coin.
--   quantity: Sum of the entries, in units of the coin: everything in the wallet, including borrowed coins.
--   borrowed: Loan principal that the wallet owes in this coin (table liabilities).
--   own: quantity less borrowed, which is what `tieout report balances` values.
--   venue_balance: Last balance that the venue sent with a record; null if its feed has none.
--   as_of: Time of the last entry, or of the last record if none made an entry.
with
summed as (
  select account, ledger, coin, sum(amount) as quantity, max(last_at) as as_of
  from staging.entry_days
  group by account, ledger, coin
  union all
  select account, ledger, coin, sum(amount), max(occurred_at)
  from main.imported_entries
  group by account, ledger, coin
),
-- The last of each wallet's balance_chain.
last_known as (
  select days.account as account, ledgers.ledger as ledger, days.coin as coin,
    max_by(days.balance, days.place) as venue_balance, max(days.last_at) as reported_at
  from staging.move_days as days
  join staging.line_ledgers as ledgers
    on ledgers.account = days.account and ledgers.feed = days.feed and ledgers.line = days.line
  where days.has_balance and days.feed in (select feed from staging.feeds where has_balance)
  group by days.account, ledgers.ledger, days.coin
)
select
  coalesce(summed.account, last_known.account) as account,
  coalesce(summed.ledger, last_known.ledger) as ledger,
  coalesce(summed.coin, last_known.coin) as coin,
  coalesce(summed.quantity, 0) as quantity,
  coalesce(liabilities.quantity, 0) as borrowed,
  coalesce(summed.quantity, 0) - coalesce(liabilities.quantity, 0) as own,
  last_known.venue_balance as venue_balance,
  coalesce(summed.as_of, last_known.reported_at) as as_of
from summed
full join last_known
  on last_known.account = summed.account and last_known.ledger = summed.ledger
  and last_known.coin = summed.coin
left join main.liabilities as liabilities
  on liabilities.account = summed.account and liabilities.ledger = summed.ledger and liabilities.coin = summed.coin
