-- What the lots have left, less what was disposed of without a known lot, is the sum of the entries.
-- needs: lots, unknown_basis
-- grain: one row per account and coin that differs
with
held as (
  select account, coin, sum(amount) as quantity from main.entries group by account, coin
),
matched as (
  select account, coin, sum(quantity) as quantity
  from (
    select account, coin, quantity_left as quantity from main.lots
    union all
    select account, coin, -quantity from main.unknown_basis
  ) as parts
  group by account, coin
),
compared as (
  select coalesce(held.account, matched.account) as account, coalesce(held.coin, matched.coin) as coin,
    coalesce(held.quantity, 0) as expected, coalesce(matched.quantity, 0) as found
  from held
  full join matched on matched.account = held.account and matched.coin = held.coin
)
select 'error' as severity, account, cast(null as varchar) as ledger, coin, cast(null as timestamptz) as occurred_at,
  expected, found, found - expected as difference,
  'The lots of this coin do not add up to its entries.' as explanation, '[]' as evidence, '' as culprit
from compared
where expected <> found and coin <> (select currency from staging.reporting)
