-- Double entry: each entry on the wallet that it moves, and its counter side on the account that its kind names.
-- grain: one row per posting_id
-- keys:  posting_id unique; the amounts of one transaction and coin sum to zero
-- columns:
--   posting_id: entry_id and the side.
--   transaction_id: Transaction of the entry.
--   entry_id: Entry; null on a counter side.
--   account: Account of the books.
--   account_name: Account of double entry, such as Assets:Venue:main:UNIFIED or Expenses:Fees.
--   coin: Coin.
--   amount: Signed amount in units of the coin.
--   occurred_at: When it happened.
with
sided as (
  select entries.entry_id as entry_id, entries.transaction_id as transaction_id, entries.account as account,
    entries.ledger as ledger, entries.coin as coin,
    entries.amount as amount, entries.occurred_at as occurred_at,
    case
      when unmatched.place is not null and entries.part = 'amount' then 'Equity:Suspense'
      else coalesce(kinds.counter_account, 'Equity:Suspense')
    end as counter_account
  from main.entries as entries
  left join staging.kind_effects as kinds on kinds.kind = entries.kind
  left join staging.unmatched_legs as unmatched
    on unmatched.account = entries.account and unmatched.place = entries.place
),
sides as (select * from (values ('wallet'), ('counter')) as names (side))
select sided.entry_id || '/' || side as posting_id, transaction_id,
  case when side = 'wallet' then sided.entry_id end as entry_id, account,
  case when side = 'wallet' then 'Assets:Venue:' || account || ':' || ledger else counter_account end as account_name,
  coin, case when side = 'wallet' then sided.amount else -sided.amount end as amount, occurred_at
from sided
cross join sides
