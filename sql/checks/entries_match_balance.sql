-- The sum of the entries of a wallet and coin is the last balance that the venue sent. Where the chain of that wallet
-- and coin is open, that is the cause, and this is a notice that names it.
-- grain: one row per account, ledger and coin that differ
with
unequal as (
  select account, ledger, coin, quantity, venue_balance, as_of
  from main.balances
  where venue_balance is not null and quantity <> venue_balance
),
open_chains as (
  select account, ledger, coin, count(*) as open_count, min(source_id) as one_id
  from main.balance_chain
  where status = 'open'
  group by account, ledger, coin
)
select case when open_chains.account is null then 'warning' else 'notice' end as severity,
  unequal.account as account, unequal.ledger as ledger, unequal.coin as coin, unequal.as_of as occurred_at,
  venue_balance as expected, quantity as found, quantity - venue_balance as difference,
  case
    when open_chains.account is null
      then 'The entries of this wallet do not add up to its last balance.'
    else 'Follows from ' || counted(open_count, 'open step', 'open steps') || ' of the balance chain, the first at record '
      || one_id || '.'
  end as explanation,
  cast(to_json([coalesce(one_id, '')]) as varchar) as evidence,
  '' as culprit
from unequal
left join open_chains
  on open_chains.account = unequal.account and open_chains.ledger = unequal.ledger
  and open_chains.coin = unequal.coin
