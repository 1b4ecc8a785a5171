-- The time from which the books know what happened in a wallet of an account that has records of the venue. The venue keeps
-- the records of some wallets (P2P, classic futures) for longer than those on which the table beginnings is based; such a
-- wallet begins where its own records were received from. Wallets that begin within a day of their account begin with it.
-- grain: one row per account and ledger
-- keys:  account, ledger unique
-- columns:
--   account: Account.
--   ledger: Wallet.
--   begins_at: Start of the known history; for a coin's imported history from before it, see the table beginnings.
with
received as (
  select account, feed, max(first_at) as since
  from (
    select account, feed, partition, min(starts_at) as first_at
    from main.coverage
    where status in ('complete', 'empty')
    group by account, feed, partition
  ) as partitions
  group by account, feed
),
moved as (
  select account, ledger, source_feed, min(entry_days.first_at) as first_at
  from staging.entry_days
  group by account, ledger, source_feed
),
wallets as (
  select moved.account as account, moved.ledger as ledger, min(moved.first_at) as first_at, max(received.since) as since
  from moved
  left join received on received.account = moved.account and received.feed = moved.source_feed
  group by moved.account, moved.ledger
),
-- The table beginnings does not have this time if imports account for the history of every coin of the account.
accounts as (
  select moved.account as account, coalesce(any_value(starts.settled_at), min(moved.first_at)) as begins_at
  from moved
  left join staging.book_starts as starts on starts.account = moved.account
  group by moved.account
),
known as (
  select wallets.account as account, wallets.ledger as ledger,
    case when wallets.since < wallets.first_at then wallets.since else wallets.first_at end as told_from,
    accounts.begins_at as account_begins_at
  from wallets
  join accounts on accounts.account = wallets.account
)
select account, ledger,
  case when told_from < account_begins_at - interval 1 day then told_from else account_begins_at end as begins_at
from known
