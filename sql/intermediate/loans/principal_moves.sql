-- Entries that change what a wallet owes: principal borrowed, or repaid with a negative sign.
-- slices: occurred_at
-- by day: main.entries
-- grain: one row per entry
-- keys:  entry_id unique
select entries.entry_id as entry_id, entries.account as account, entries.ledger as ledger, entries.coin as coin,
  entries.amount as amount, entries.occurred_at as occurred_at, entries.place as place
from main.entries as entries
join main.kinds as kinds on kinds.kind = entries.kind
where starts_with(kinds.counter_account, 'Liabilities:')
  and not exists (
    select 1 from main.unmatched_legs as unmatched
    where unmatched.account = entries.account and unmatched.place = entries.place and entries.part = 'amount'
  )
