-- Imported history of an account that the venue reports too ends where the account's books begin: what it holds then
-- is in its opening balances, or arrives later from a wallet that no feed reports.
-- Lots that all accounts hold together do not say it: there it is what was moved, less what was handed over.
-- Nor may it tell of a sale that the venue tells of too.
-- needs: lots, lot_matching
-- grain: one row per account and coin with more than that, and per account and coin with such sales
with
matching as (select scope like '%universal' as is_held_together from main.lot_matching),
left_lots as (
  select account, coin, sum(quantity_left) as quantity, list(lot_id order by lot_id)[1:10] as ids
  from main.lots
  where account like '%/before'
  group by account, coin
),
left_moves as (
  select account, coin, sum(amount) as quantity, cast([] as varchar[]) as ids
  from (
    select book_account as account, coin, amount from staging.imported_moves
    union all
    select account || '/before', coin, -quantity_taken from staging.basis_carry_overs
  ) as moves
  where account like '%/before'
  group by account, coin
  having sum(amount) > 0
),
left_over as (
  select replace(account, '/before', '') as account, coin, quantity, ids
  from (
    select left_lots.* from left_lots cross join matching where not is_held_together
    union all
    select left_moves.* from left_moves cross join matching where is_held_together
  ) as parts
)
select 'warning' as severity, account, cast(null as varchar) as ledger, coin, cast(null as timestamptz) as occurred_at,
  cast(0 as decimal(38, 18)) as expected, quantity as found, quantity as difference,
  'Imported history reports ' || coin || ' in ' || account || ' that the venue never reported: neither its opening '
    || 'balances nor an arrival from elsewhere has it. It counts in no balance; correct the import, or its account or time.'
    as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from left_over
union all
-- A sale that the venue tells of too (the same coin and quantity within a minute) would be sold twice.
select 'warning', imported.account, null, imported.asset, min(imported.occurred_at), 0, sum(imported.quantity),
  sum(imported.quantity),
  'Sales of ' || imported.asset || ' in ' || imported.account || ' are imported that the venue tells of too (the same '
    || 'quantity within a minute): their gains count twice. Take the import back, and import only what is older.',
  cast(to_json(list(imported.id order by imported.place)[1:10]) as varchar), 'sales'
from staging.imported_rows as imported
where imported.type = 'sell' and imported.book_account <> imported.account
  and exists (
    select 1 from main.entries as entries
    where entries.account = imported.account and entries.coin = imported.asset and entries.kind = 'trade'
      and entries.amount = -imported.quantity
      and abs(epoch_ms(entries.occurred_at) - epoch_ms(imported.occurred_at)) <= 60000
  )
group by imported.account, imported.asset
