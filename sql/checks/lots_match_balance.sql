-- What is left in the lots, plus borrowed coins on hand, less disposals without a known lot, equals the sum of the entries plus,
-- if imports report the account, what the imported rows moved. Imported history of an account that the venue also reports is
-- kept separately, under account/before, less what was carried over to the account's books. Lots that all accounts hold
-- together, or once held together, may be those of another account: there the coins must add up over all accounts.
-- needs: lots, unknown_basis, borrowed_coins, lot_matching
-- grain: one row per account and coin that differs; one per coin if lots are not held by account
with
matching as (select scope = 'account' as is_by_account from main.lot_matching),
held as (
  select case when is_by_account then changes.account else '' end as account, coin, sum(amount) as quantity
  from (
    select account, coin, amount from staging.entry_days
    union all
    select book_account, coin, amount from staging.imported_moves
    union all
    select account || '/before', coin, -quantity_taken from staging.basis_carry_overs
  ) as changes
  cross join matching
  group by all
),
matched as (
  select case when is_by_account then parts.account else '' end as account, coin, sum(parts.quantity) as quantity
  from (
    select account, coin, quantity_left as quantity from main.lots
    union all
    select account, coin, quantity from main.borrowed_coins
    union all
    select account, coin, -quantity from main.unknown_basis
  ) as parts
  cross join matching
  group by all
),
compared as (
  select coalesce(held.account, matched.account) as account, coalesce(held.coin, matched.coin) as coin,
    coalesce(held.quantity, 0) as expected, coalesce(matched.quantity, 0) as found
  from held
  full join matched on matched.account = held.account and matched.coin = held.coin
)
select 'error' as severity, nullif(compared.account, '') as account, cast(null as varchar) as ledger, coin,
  null_time() as occurred_at,
  expected, found, found - expected as difference,
  'The lots of this coin do not add up to its entries.' as explanation, '[]' as evidence, '' as culprit
from compared
where expected <> found and coin <> (select currency from staging.reporting)
