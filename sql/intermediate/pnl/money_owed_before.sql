-- What wallets owed in the reporting currency before the books began, with the time of their first entry in it.
-- grain: one row per account and ledger
select liabilities.account as account, liabilities.ledger as ledger,
  any_value(liabilities.owed_before) as owed_before, min(entries.occurred_at) as first_at
from main.liabilities as liabilities
join main.entries as entries
  on entries.account = liabilities.account and entries.ledger = liabilities.ledger and entries.coin = liabilities.coin
where liabilities.owed_before <> 0 and liabilities.coin = (select currency from staging.reporting)
group by liabilities.account, liabilities.ledger
