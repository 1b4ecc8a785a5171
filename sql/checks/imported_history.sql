-- Imported history of an account that the venue tells of too ends where the account's books begin: what it holds then
-- is in its opening balances, or arrives later from a wallet that no feed tells of.
-- needs: lots
-- grain: one row per account and coin with more than that
with
left_over as (
  select replace(account, '/before', '') as account, coin, sum(quantity_left) as quantity,
    list(lot_id order by lot_id)[1:10] as ids
  from main.lots
  where account like '%/before'
  group by account, coin
)
select 'warning' as severity, account, cast(null as varchar) as ledger, coin, cast(null as timestamptz) as occurred_at,
  cast(0 as decimal(38, 18)) as expected, quantity as found, quantity as difference,
  'Imported history tells of ' || coin || ' in ' || account || ' that the venue never told of: neither its opening '
    || 'balances nor an arrival from elsewhere has it. It counts in no balance; correct the import, or its account or time.'
    as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from left_over
