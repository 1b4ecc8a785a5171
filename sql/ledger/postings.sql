-- Double entry: each entry posted to the wallet that it moves, and its counter side to the account that its kind names. An
-- entry whose other side should be in the books but is not (unmatched_legs) is posted against a suspense account.
-- grain: one row per posting_id
-- keys:  posting_id unique; the amounts of one transaction and coin sum to zero
-- slices: occurred_at
-- by day: main.entries
-- view: every posting repeats its entry, and would be a fifth of the file
-- columns:
--   posting_id: entry_id and the side.
--   transaction_id: Transaction of the entry.
--   entry_id: Entry; null on a counter side.
--   account: Account of the books.
--   account_name: Double-entry account, such as Assets:Venue:main:UNIFIED or Expenses:Fees.
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
