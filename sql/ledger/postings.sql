-- Double entry: each entry on the wallet that it moves, and its counter side on the account that its kind names. What
-- should have its other side in the books and has not (unmatched_legs) stands against a suspense account.
-- grain: one row per posting_id
-- keys:  posting_id unique; the amounts of one transaction and coin sum to zero
-- view: every posting says again what its entry says, and would be a fifth of the file
-- columns:
--   posting_id: entry_id and the side.
--   transaction_id: Transaction of the entry.
--   entry_id: Entry; null on a counter side.
--   account: Account of the books.
--   account_name: Account of double entry, such as Assets:Venue:main:UNIFIED or Expenses:Fees.
--   coin: Coin.
--   amount: Signed amount in units of the coin.
--   occurred_at: When it happened.
select entry_id || '/wallet' as posting_id, transaction_id, entry_id, account,
  'Assets:Venue:' || account || ':' || ledger as account_name, coin, amount, occurred_at
from main.entries
union all
select entries.entry_id || '/counter', entries.transaction_id, cast(null as varchar), entries.account,
  case
    when unmatched.place is not null and entries.part = 'amount' then 'Equity:Suspense'
    else coalesce(kinds.counter_account, 'Equity:Suspense')
  end,
  entries.coin, -entries.amount, entries.occurred_at
from main.entries as entries
left join main.kinds as kinds on kinds.kind = entries.kind
left join main.unmatched_legs as unmatched
  on unmatched.account = entries.account and unmatched.place = entries.place
